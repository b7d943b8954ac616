import { listTree, type TreeEntry } from "../git/tree-listing.js";
import type { Workspace } from "../git/workspace.js";
import type { FileChange, ScaffoldFile } from "./scaffold.js";
import type { ScaffoldCommit } from "./scaffold-commit.js";
import { targetUnavailable } from "./target-failure.js";
import type { TargetTree } from "./target-tree.js";

/** How far back a repeated execution looks for the commit that it already pushed. */
export const LANDED_SEARCH_DEPTH = 20;

/** Finds the commit of the same execution among the newest commits of the branch. */
export async function findLanded(
  workspace: Workspace,
  head: string,
  message: string,
): Promise<ScaffoldCommit | undefined> {
  const trailer = executionTrailer(message);
  if (trailer === undefined) return undefined;
  const log = await workspace.git(["log", `--max-count=${LANDED_SEARCH_DEPTH}`, "-z", "--format=%H %T%n%B", head]);
  for (const record of log.toString("utf8").split("\0")) {
    const [ids = "", ...body] = record.split("\n");
    const [commitSha = "", treeSha = ""] = ids.split(" ");
    if (body.includes(trailer)) return { commitSha, treeSha };
  }
  return undefined;
}

function executionTrailer(message: string): string | undefined {
  return message.split("\n").find((line) => /^Execution-Id: \S+$/.test(line));
}

interface LandedScaffold {
  readonly commitSha: string;
  /** Produced and edited files; those without a change in the commit are listed as unchanged. */
  readonly paths: Iterable<string>;
  /** Sizes that need no look at the target, by blob. */
  readonly knownSizes: ReadonlyMap<string, number>;
}

export async function landedFiles(
  workspace: Workspace,
  tree: TargetTree,
  { commitSha, paths, knownSizes }: LandedScaffold,
): Promise<ScaffoldFile[]> {
  const changes = await changesOf(workspace, commitSha);
  const wanted = new Set([...changes.keys(), ...paths]);
  const listed = await listTree(workspace, commitSha);
  if (listed === undefined) throw targetUnavailable("A path of the target is not valid UTF-8.");
  const entries = listed.filter(({ path, type }) => wanted.has(path) && type === "blob");
  const unknown = entries.map(({ id }) => id).filter((id) => !knownSizes.has(id));
  const sizes = new Map([...knownSizes, ...(await tree.sizes(unknown, commitSha))]);
  const file = ({ path, mode, id }: TreeEntry): ScaffoldFile => {
    return { path, change: changes.get(path) ?? "Unchanged", mode, blobSha: id, size: sizes.get(id) ?? 0 };
  };
  return entries.map(file).toSorted(byPath);
}

export function byPath(left: { path: string }, right: { path: string }): number {
  return left.path < right.path ? -1 : Number(left.path > right.path);
}

const wordsOfStatus: Record<string, FileChange> = { A: "Created", M: "Updated", T: "Updated" };

async function changesOf(workspace: Workspace, commit: string): Promise<Map<string, FileChange>> {
  const diff = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames", "--name-status", commit];
  const fields = (await workspace.git(diff)).toString("utf8").split("\0");
  const changes = new Map<string, FileChange>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const change = wordsOfStatus[fields[index] ?? ""];
    if (change !== undefined) changes.set(fields[index + 1] ?? "", change);
  }
  return changes;
}
