import { execFileSync } from "node:child_process";
import { posix } from "node:path";
import { type ChangedTests, changedTests } from "./changed-tests.js";
import { wayGraph } from "./named-files.js";
import { root, workingFiles } from "./tracked-files.js";

const git = (...args: string[]): string => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();

function exists(ref: string): boolean {
  try {
    return git("rev-parse", "--verify", "--quiet", `${ref}^{commit}`) !== "";
  } catch {
    return false;
  }
}

/** The commit that the working tree is compared with. CHANGED_SINCE names another one than the default branch. */
function base(): { name: string; commit: string } {
  const requestedCommit = process.env["CHANGED_SINCE"];
  if (requestedCommit !== undefined && !exists(requestedCommit))
    throw new Error(`CHANGED_SINCE names no commit: ${requestedCommit}`);
  const name = requestedCommit ?? ["origin/main", "main"].find(exists) ?? "HEAD";
  return { name, commit: git("merge-base", name, "HEAD") };
}

/** The files that differ from the commit, uncommitted and new ones included. */
function changedSince(commit: string): string[] {
  const differing = git("diff", "--name-only", "--no-renames", commit);
  const newFiles = git("ls-files", "--others", "--exclude-standard");
  // a line that ends with a slash is a clone beside the code
  return `${differing}\n${newFiles}`.split("\n").filter((file) => file !== "" && !file.endsWith("/"));
}

async function choose(): Promise<ReadonlySet<string>> {
  const { name, commit } = base();
  const files = workingFiles();
  const tests = files.filter((file) => file.endsWith(".test.ts") && !file.startsWith("test/fixtures/"));
  const changedFiles = changedSince(commit);
  const suites = changedTests(tests, changedFiles, await wayGraph(files));
  const keptSuites = new Set([...suites.reaching, ...suites.reading, ...suites.stack]);
  const since = `${changedFiles.length} files differ from ${name} (${commit.slice(0, 8)})`;
  process.stderr.write(`${since}: ${keptSuites.size} of ${tests.length} suites run\n${reasons(suites)}`);
  return keptSuites;
}

function reasons({ all, reaching, reading, stack, ofPlatform }: ChangedTests): string {
  if (all !== undefined) return `  every suite depends on ${all}\n`;
  return [
    [reaching.length, "reach a changed file by their imports or by its path"],
    [reading.length, "list the sources, so they run after each change"],
    [stack.length, `call the platform, which reaches ${ofPlatform}`],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, reason]) => `  ${count} ${reason}\n`)
    .join("");
}

// jest calls the filter once for each project
let keptTests: Promise<ReadonlySet<string>> | undefined;

/** A jest filter (`--filter`): keeps the suites that the changed files may break. */
async function keepChangedTests(paths: readonly string[]): Promise<{ filtered: string[] }> {
  keptTests ??= choose();
  const suites = await keptTests;
  return { filtered: paths.filter((path) => suites.has(posix.relative(root, path))) };
}

// jest loads its filter with `require`, which returns this ES module's export
export { keepChangedTests as "module.exports" };
