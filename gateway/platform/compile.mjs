import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** The state of the sources that were compiled last, and the state whose types were checked last. */
const stamps = {
  compiled: `${root}gateway/platform/dist/.compiled`,
  checked: `${root}gateway/platform/dist/.checked`,
};
const places = [
  "package-lock.json",
  "tsconfig.base.json",
  "tsconfig.json",
  "schema",
  "subgraphs",
  "gateway",
  "rest-facade",
  "test",
];
const skipped = new Set(["node_modules", "dist", "fixtures"]);
/** The build also plans GraphQL documents over the supergraph. */
const input = /\.(?:ts|json|graphql)$/;
const compiler = `${root}node_modules/typescript/bin/tsc`;
/** The pause between two lines of progress (ms). */
const progressMs = 3000;

/** Prints a line of progress. Standard output belongs to the program that starts afterwards. */
const print = (text) => process.stderr.write(`${text}\n`);

/**
 * Compiles the workspaces when a source has changed since the last time, and prints the progress. A build without
 * changes takes no compiler, because asking the compiler would take longer than the start of the platform. Types are
 * left unchecked for a program that only runs the code, because checking them takes most of the time.
 */
export async function compile({ checksTypes }) {
  const state = sourceState();
  if (stateIn(stamps.compiled) === state && !(checksTypes && stateIn(stamps.checked) !== state)) return;
  print("Compiling the sources: a fresh clone takes 10 to 20 seconds on an idle machine.");
  const started = performance.now();
  const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
  const progress = setInterval(() => print(`  still compiling after ${seconds()}`), progressMs);
  const options = checksTypes ? [] : ["--noCheck"];
  const code = await runCompiler(options).finally(() => clearInterval(progress));
  if (code !== 0) process.exit(code);
  writeFileSync(stamps.compiled, state);
  if (checksTypes) writeFileSync(stamps.checked, state);
  print(`  compiled in ${seconds()}`);
}

function runCompiler(options) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [compiler, "-b", root, ...options], { stdio: ["ignore", 2, 2] });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** A digest over the names, sizes and change times of the files that the build reads. */
function sourceState() {
  const digest = createHash("sha256");
  const add = (path) => {
    const file = statSync(root + path);
    if (file.isDirectory()) {
      for (const { name } of readdirSync(root + path, { withFileTypes: true }).filter(isInput)) add(`${path}/${name}`);
    } else digest.update(`${path} ${file.size} ${file.mtimeMs}\n`);
  };
  for (const place of places) add(place);
  return digest.digest("hex");
}

const isInput = (entry) => (entry.isDirectory() ? !skipped.has(entry.name) : input.test(entry.name));

function stateIn(stamp) {
  try {
    return readFileSync(stamp, "utf8");
  } catch {
    return undefined;
  }
}
