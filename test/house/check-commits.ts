import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type CommitMessage, logFormat, parseLog, problemsOf } from "./commit-messages.js";
import { root } from "./tracked-files.js";

const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" });

/** The commits after the one that added the rules. A shallow clone does not show them all. */
function commitsWithRules(): CommitMessage[] {
  const additions = git("log", "--diff-filter=A", "--format=%H", "--", "test/house/commit-messages.ts").trim();
  const first = additions.split("\n").at(-1);
  const commits = first ? parseLog(git("log", logFormat, `${first}..HEAD`)) : [];
  const isShallow = git("rev-parse", "--is-shallow-repository").trim() === "true";
  console.log(`${commits.length} commit messages are checked${isShallow ? ", all that a shallow clone shows" : ""}.`);
  return commits;
}

/** The message that git hands to its hook `commit-msg`. Comments do not belong to it. */
function writtenMessage(file: string): CommitMessage {
  const lines = readFileSync(file, "utf8").split("\n");
  return { hash: "", text: lines.filter((line) => !line.startsWith("#")).join("\n") };
}

const [file] = process.argv.slice(2);
for (const commit of file === undefined ? commitsWithRules() : [writtenMessage(file)])
  for (const problem of problemsOf(commit)) {
    const [subject = ""] = commit.text.split("\n");
    console.error(`${commit.hash.slice(0, 8) || "This commit"} (${subject}): ${problem}.`);
    process.exitCode = 1;
  }
