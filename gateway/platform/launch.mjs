import { existsSync, readFileSync } from "node:fs";
import { compile } from "./compile.mjs";

// Starts a program of the platform: `node gateway/platform/launch.mjs start`, and so on. It is JavaScript, because it runs
// before anything is compiled. `compile` makes the modules only, which is enough for unit tests.

/** Commands of the operator, for a checkout that is perhaps not compiled. Each is a module of `src`. */
const commands = ["token", "command", "jobs", "backup", "restore", "accept-folder", "rewrap"];

const programs = {
  start: { greeting: "Starting the platform.", load: () => import("./dist/bundle/main.js") },
  demo: { greeting: "The demo starts a platform of its own.", load: () => import("./dist/demo.js") },
  dev: { greeting: "Starting the platform for development.", load: () => import("./dist/dev.js") },
  build: { load: async () => undefined, checksTypes: true },
  compile: { load: async () => undefined, checksTypes: true, needsBundle: false },
  ...Object.fromEntries(commands.map((name) => [name, { load: () => runCommand(name), needsBundle: false }])),
};

/** Prints a line for a person. Standard output belongs to the program. */
const print = (text) => process.stderr.write(`${text}\n`);

const program = programs[process.argv[2]];
if (!program) throw new Error(`Choose a program: ${Object.keys(programs).join(", ")}`);
if (program.greeting) print(program.greeting);
if (!isBuiltArtifact()) await compile({ checksTypes: program.checksTypes === true });
else if (program.greeting) print("This folder has no compiler, so that its build is started as it is.");
if (program.needsBundle !== false && !isBuiltArtifact() && !isBundled()) {
  const { bundlePlatform } = await import("./dist/bundling/platform-bundle.js");
  await bundlePlatform(print);
}
await program.load();

/** A command reads its arguments as if it had been started by itself. */
async function runCommand(name) {
  process.argv.splice(2, 1);
  await import(`./dist/${name}.js`);
}

/** Whether the packages of development are absent (`npm ci --omit=dev`), and a bundle is there. */
function isBuiltArtifact() {
  const exists = (path) => existsSync(new URL(path, import.meta.url));
  if (exists("../../node_modules/typescript/bin/tsc")) return false;
  if (exists("dist/bundle/main.js")) return true;
  throw new Error("The platform is not built, and a compiler is missing. Run `npm ci && npm run build` first.");
}

/** Whether the bundle was made from the present state of the sources. */
function isBundled() {
  const read = (file) => readFileSync(new URL(`./dist/${file}`, import.meta.url), "utf8");
  try {
    return read("bundle/.bundled") === read(".compiled");
  } catch {
    return false;
  }
}
