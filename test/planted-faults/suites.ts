import { basename } from "node:path/posix";
import { sliceOf } from "../house/folder-rules.js";
import type { Import } from "../house/import-graph.js";

/** Whole-stack suites that walk all rows, fields and tables. They see faults that no import leads to. */
const walks = [
  /^test\/contract\//,
  /^test\/rest\/(endpoints|other-tenant|tenancy)\.test\.ts$/,
  /^test\/graphql\/(root-fields|other-tenant|scopes-and-errors)\.test\.ts$/,
  /^test\/events\/(schemas|examples)\.test\.ts$/,
];

/** The number of near suites that run before the whole-stack suites. */
const nearBefore = 16;
const batchSize = 8;

export const isSuite = (file: string): boolean => file.endsWith(".test.ts");

/** Whole-stack suites share one platform, so they run together. */
export const isStack = (file: string): boolean =>
  file.startsWith("test/") && !/^test\/(house|planted-faults)\//.test(file);

/** The suites that reach a file by imports, the nearest first. */
export function reachingSuites(file: string, imports: readonly Import[]): string[] {
  const sources = new Map<string, string[]>();
  for (const { from, to } of imports) sources.set(to, [...(sources.get(to) ?? []), from]);
  const users = new Set([file]);
  // a set is walked in the order in which its members were added, also those that are added meanwhile
  for (const user of users) for (const from of sources.get(user) ?? []) users.add(from);
  return [...users].filter(isSuite);
}

/** The words in a name, without the plural. Short words say too little. */
const words = (name: string): string[] =>
  name
    .split("-")
    .map((word) => word.replace(/ies$/, "y").replace(/s$/, ""))
    .filter((word) => word.length > 3);

/** The whole-stack suites that share a word with the file's slice name. */
function suitesOfSlice(file: string, suites: readonly string[]): string[] {
  const nameWords = words(basename(sliceOf(file) ?? ""));
  return suites.filter(isStack).filter((suite) => {
    const [, name = ""] = /([\w-]+)\.test\.ts$/.exec(suite) ?? [];
    return words(name).some((word) => nameWords.includes(word));
  });
}

/** The jest runs that look for a fault in a file, in their order. No suite runs twice. */
export function runsFor(file: string, suites: readonly string[], imports: readonly Import[]): string[][] {
  const near = reachingSuites(file, imports).filter((suite) => !isStack(suite));
  const sliceSuites = suitesOfSlice(file, suites);
  const isWalk = (suite: string) => walks.some((walk) => walk.test(suite)) && !sliceSuites.includes(suite);
  const [nearest = [], ...nearer] = batches(near.slice(0, nearBefore));
  return [
    nearest,
    suites.filter((suite) => suite.startsWith("test/house/") && !near.includes(suite)),
    ...nearer,
    sliceSuites.filter((suite) => !suite.startsWith("test/faults/")),
    suites.filter(isWalk),
    sliceSuites.filter((suite) => suite.startsWith("test/faults/")),
    ...batches(near.slice(nearBefore)),
  ].filter((run) => run.length > 0);
}

function batches(suites: readonly string[]): string[][] {
  const count = Math.ceil(suites.length / batchSize);
  return Array.from({ length: count }, (_, at) => suites.slice(at * batchSize, (at + 1) * batchSize));
}
