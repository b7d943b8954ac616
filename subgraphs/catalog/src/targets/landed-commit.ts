import type { Workspace } from "../git/workspace.js";
import type { ScaffoldCommit } from "./scaffold-commit.js";

/** How far back a repeated execution looks for the commit that it already pushed. */
export const LANDED_SEARCH_DEPTH = 20;

interface LandedCommit extends ScaffoldCommit {
  readonly filesCreated: number;
  readonly filesUpdated: number;
}

/** Finds the commit of the same execution among the newest commits of the branch. */
export async function findLanded(
  workspace: Workspace,
  head: string,
  message: string,
): Promise<LandedCommit | undefined> {
  const trailer = executionTrailer(message);
  if (trailer === undefined) return undefined;
  const log = await workspace.git(["log", `--max-count=${LANDED_SEARCH_DEPTH}`, "-z", "--format=%H %T%n%B", head]);
  for (const record of log.toString("utf8").split("\0")) {
    const [ids = "", ...body] = record.split("\n");
    const [commitSha = "", treeSha = ""] = ids.split(" ");
    if (body.includes(trailer)) return { commitSha, treeSha, ...(await countChanges(workspace, commitSha)) };
  }
  return undefined;
}

function executionTrailer(message: string): string | undefined {
  return message.split("\n").find((line) => /^Execution-Id: \S+$/.test(line));
}

async function countChanges(workspace: Workspace, commit: string) {
  const diff = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames", "--name-status", commit];
  const rows = (await workspace.git(diff)).toString("utf8").split("\0");
  const states = rows.filter((_, index) => index % 2 === 0);
  return {
    filesCreated: states.filter((state) => state === "A").length,
    filesUpdated: states.filter((state) => state === "M" || state === "T").length,
  };
}
