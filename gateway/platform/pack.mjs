import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

// Makes one package of the built platform: `npm run pack`. The workspaces are bundled in it as `node_modules/@factory/*`,
// and npm installs the other packages from the registry.

const root = fileURLToPath(new URL("../../", import.meta.url));
const scope = "node_modules/@factory";
const workspaces = [
  "schema",
  "subgraphs/runtime",
  "subgraphs/catalog",
  "subgraphs/catalog/template-engine",
  "subgraphs/catalog/nuget",
  "subgraphs/integration",
  "subgraphs/spine",
  "gateway",
  "rest-facade",
];
/** It stays inside the folder of the gateway, so that its files find the others by the same relative addresses. */
const platform = "gateway/platform";
/** Files that the programs read beside the compiled modules. */
const resources = {
  schema: ["supergraph.graphql", "commands", "events"],
  "subgraphs/catalog": ["GUIDE.md"],
  "subgraphs/integration": ["GUIDE.md"],
  "subgraphs/spine": ["GUIDE.md"],
  gateway: ["GUIDE.md", "OPERATING.md"],
  "rest-facade": ["src/operations"],
};
/** Tests, and what only a build or a developer needs. */
const unneeded = /\.(?:test|fixture|bench)\.js$|\.(?:map|d\.ts|tsbuildinfo)$|\/\.(?:compiled|checked|bundled|chunks)$/;
/** The address of a compiled module, or of a file of another package. */
const placeInRepository =
  /new URL\("(?:\.\.\/){4}(?:(subgraphs\/[\w/-]+?)\/dist\/|node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\/([^"]+)",\s*bundleAddress\))/g;
const isOfBundle = /^bundle\/.*\.js$/;
/** The options of `npm start`. */
const program = `#!/usr/bin/env -S node --no-warnings --max-semi-space-size=8
import "./${scope}/gateway/platform/dist/bundle/main.js";
`;

const sample = "test/fixtures/web-api-template";

const read = (path) => readFileSync(join(root, path), "utf8");
const manifestOf = (workspace) => JSON.parse(read(`${workspace}/package.json`));
const nameOf = (workspace) => workspace.split("/").at(-1);

/** The packages that npm installs from the registry, with their versions. */
function thirdParties() {
  const versions = { ...JSON.parse(read("package.json")).dependencies };
  for (const [name, version] of [...workspaces, platform].flatMap((workspace) =>
    Object.entries(manifestOf(workspace).dependencies ?? {}),
  )) {
    if (name.startsWith("@factory/")) continue;
    if ((versions[name] ?? version) !== version) throw new Error(`Workspaces need several versions of ${name}`);
    versions[name] = version;
  }
  return versions;
}

/** Writes the content of the package into an empty folder. */
export function stage(folder) {
  const write = (path, text, mode = 0o644) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode });
  };
  const copy = (from, to) =>
    cpSync(join(root, from), join(folder, to), { recursive: true, filter: (path) => !path.endsWith(".ts") });
  const dependencies = thirdParties();
  for (const workspace of [...workspaces, platform]) {
    const target = `${scope}/${workspace === platform ? platform : nameOf(workspace)}`;
    const { name, version, type, exports } = manifestOf(workspace);
    // Only the package itself names what npm installs, so that all modules share it.
    write(`${target}/package.json`, JSON.stringify({ name, version, type, exports }));
    for (const file of filesOf(`${workspace}/dist`)) {
      if (unneeded.test(`/${file}`)) continue;
      if (isOfBundle.test(file))
        write(`${target}/dist/${file}`, packed(read(`${workspace}/dist/${file}`), dependencies));
      else copy(`${workspace}/dist/${file}`, `${target}/dist/${file}`);
    }
    for (const resource of resources[workspace] ?? []) copy(`${workspace}/${resource}`, `${target}/${resource}`);
  }
  // A start in development makes a sample repository of this template.
  write(`${scope}/test/package.json`, JSON.stringify({ name: "@factory/test", version: manifestOf("test").version }));
  copy(sample, `${scope}/${sample}`);
  const { name, description, license, type, engines } = JSON.parse(read("package.json"));
  const { version } = manifestOf(platform);
  write("platform.mjs", program, 0o755);
  write("README.md", packedLinks(read("README.md")));
  const bundled = [...workspaces, "test"].map(manifestOf);
  const manifest = {
    ...{ name, version, description, license, type, engines },
    bin: { [name]: "platform.mjs" },
    dependencies: {
      ...dependencies,
      ...Object.fromEntries(bundled.map((workspace) => [workspace.name, workspace.version])),
    },
    bundleDependencies: bundled.map((workspace) => workspace.name),
  };
  write("package.json", JSON.stringify(manifest, undefined, 2));
  return manifest;
}

/** The bundle names files by their place in the repository. In the package, Node finds them. */
function packed(text, dependencies) {
  return text.replace(placeInRepository, (address, workspace, packageName, file) => {
    if (workspace !== undefined) return `new URL("../../../../${nameOf(workspace)}/dist/`;
    const manifest = `require("node:module").findPackageJSON(${JSON.stringify(packageName)},bundleAddress)`;
    return packageName in dependencies
      ? `new URL(${JSON.stringify(`./${file}`)},require("node:url").pathToFileURL(${manifest}))`
      : address;
  });
}

/** The links of the README lead to the guides of the package. Other pages of the repository are not in it. */
function packedLinks(text) {
  return text.replace(/\]\(([\w./-]+)\/([\w-]+\.md)\)/g, (link, workspace, file) =>
    resources[workspace]?.includes(file) ? `](${scope}/${nameOf(workspace)}/${file})` : link,
  );
}

const filesOf = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(resolve(root, folder).length + 1));

/** Packs the built platform. Returns what npm says about the package. */
export async function pack(destination, options = []) {
  const folder = mkdtempSync(join(tmpdir(), "factory-pack-"));
  try {
    stage(folder);
    const packing = ["pack", "--json", "--ignore-scripts", `--pack-destination=${resolve(destination)}`, ...options];
    const { stdout } = await promisify(execFile)("npm", packing, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    const answer = JSON.parse(stdout);
    return Array.isArray(answer) ? answer[0] : Object.values(answer)[0];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { filename, size } = await pack(process.argv[2] ?? ".");
  process.stdout.write(`${filename} (${Math.round(size / 1024)} KiB)\n`);
}
