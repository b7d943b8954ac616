import type { Import } from "./import-graph.js";

/** Suites that run after a change, each in the first group that holds it. */
export interface ChangedTests {
  /** The changed file that every suite depends on. */
  readonly all: string | undefined;
  readonly reaching: readonly string[];
  readonly reading: readonly string[];
  readonly stack: readonly string[];
  /** The changed file that the platform reaches. */
  readonly ofPlatform: string | undefined;
}

/** Changes to these reach every suite: dependencies, compilation, and the test runner. */
const ofAll =
  /(?:^|\/)(?:package\.json|tsconfig[^/]*\.json)$|^(?:package-lock\.json|jest\.config\.js|test\/runner\/.*)$/;
/** Suites that list sources read files which they do not import. */
const listing = "subgraphs/runtime/src/subgraph/tracked-files.fixture.ts";
/** Stack suites call the platform, which runs in a separate process. */
const platform = ["gateway/platform/src/main.ts", "test/kit/start-platform.ts"];
const ofStack = /^test\/(?!house\/)/;

/** The suites among `tests` that the changed files may break. `ways` are imports and other ways from file to file. */
export function changedTests(
  tests: readonly string[],
  changedFiles: readonly string[],
  ways: readonly Import[],
): ChangedTests {
  const none = { all: undefined, reaching: [], reading: [], stack: [], ofPlatform: undefined };
  if (changedFiles.length === 0) return none;
  const all = changedFiles.find((file) => ofAll.test(file) && !file.startsWith("test/fixtures/"));
  if (all !== undefined) return { ...none, all, reaching: tests };
  const reachedFiles = reachedFrom(ways, changedFiles);
  const ofPlatform = changedFiles.find((file) => {
    const users = reachedFrom(ways, [file]);
    return platform.some((candidate) => users.has(candidate));
  });
  const lists = reachedFrom(ways, [listing]);
  const reaching = tests.filter((test) => reachedFiles.has(test));
  const reading = tests.filter((test) => !reachedFiles.has(test) && lists.has(test));
  const stack = ofPlatform === undefined ? [] : tests.filter((test) => ofStack.test(test));
  const before = new Set([...reaching, ...reading]);
  return { all, reaching, reading, stack: stack.filter((test) => !before.has(test)), ofPlatform };
}

/** The files, and everything that has a way to one file. */
function reachedFrom(ways: readonly Import[], files: readonly string[]): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  for (const { from, to } of ways) {
    const importers = users.get(to);
    if (importers) importers.push(from);
    else users.set(to, [from]);
  }
  const result = new Set(files);
  for (const file of result) for (const user of users.get(file) ?? []) result.add(user);
  return result;
}
