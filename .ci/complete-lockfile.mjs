// Names in package-lock.json the optional platform packages that the registry at hand does not offer. npm leaves them
// out when it writes the file, and then "npm ci" calls the file out of sync. Run after "npm install": node .ci/complete-lockfile.mjs
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
const systems = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const processors = ["arm64", "arm", "ia32", "loong64", "ppc64", "riscv64", "s390x", "x64"];

function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith("musl"))
    ? "musl"
    : words.some((word) => word.startsWith("gnu"))
      ? "glibc"
      : undefined;
  return os && cpu && { os: [os], cpu: [cpu], ...(os === "linux" && libc ? { libc: [libc] } : {}) };
}

/** Where npm would look for a dependency of the package at `path`. */
function* places(path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    yield folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (folder === "") return;
  }
}

let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if ([...places(path, name)].some((place) => place in lock.packages)) continue;
    const platform = platformOf(name);
    if (!platform) throw new Error(`${path} wants ${name}, whose platform its name does not tell`);
    lock.packages[`node_modules/${name}`] = {
      version: version.replace(/^[^\d]*/, ""),
      ...platform,
      dev: entry.dev,
      optional: true,
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} optional packages named`);
