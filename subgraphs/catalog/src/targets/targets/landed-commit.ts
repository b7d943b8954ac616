import { gitlinkMode, listTree } from "../../git/git/tree-listing.js";
import type { Workspace } from "../../git/git/workspace.js";
import type { FileChange, LandedFile } from "./scaffold.js";
import type { ScaffoldCommit } from "./scaffold-commit.js";
import { targetUnavailable } from "./target-failure.js";
import { landedSearchDepth } from "./target-head.js";
import type { TargetTree } from "./target-tree.js";

const maxDiffBytes = 128 * 1024 * 1024;

/** Finds the same execution's commit, by its trailer, among the newest commits on the branch. */
export async function findLanded(
  workspace: Workspace,
  head: string,
  message: string,
): Promise<ScaffoldCommit | undefined> {
  const trailer = executionTrailer(message);
  if (trailer === undefined) return undefined;
  const log = await workspace.git(["log", `--max-count=${landedSearchDepth}`, "-z", "--format=%H %T%n%B", head]);
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
  /** The produced and the edited files. Those that the commit does not change are listed as Unchanged. */
  readonly paths: Iterable<string>;
  /** Sizes by blob id that are known without reading the target. */
  readonly knownSizes: ReadonlyMap<string, number>;
}

export async function landedFiles(
  workspace: Workspace,
  tree: TargetTree,
  { commitSha, paths, knownSizes }: LandedScaffold,
): Promise<LandedFile[]> {
  const changes = await changesOf(workspace, commitSha);
  const entries = await listTree(workspace, commitSha);
  if (entries === undefined)
    throw targetUnavailable("The target has a path that is not valid UTF-8. Rename that file.");
  const wantedPaths = new Set(paths);
  const files = entries
    .filter(({ path, type }) => type === "blob" && wantedPaths.has(path) && !changes.has(path))
    .map(({ path, mode, id }): ChangedFile => ({ path, change: "Unchanged", mode, blobSha: id }))
    .concat(...changes.values());
  const unknown = files.map(({ blobSha }) => blobSha).filter((id) => !knownSizes.has(id));
  const sizes = new Map([...knownSizes, ...(await tree.sizes(unknown, commitSha))]);
  return files.map((file) => ({ ...file, size: sizes.get(file.blobSha) ?? 0 })).toSorted(byPath);
}

export function byPath(left: { path: string }, right: { path: string }): number {
  return left.path < right.path ? -1 : Number(left.path > right.path);
}

type ChangedFile = Omit<LandedFile, "size">;

const changeByStatus: Record<string, FileChange> = { A: "Created", M: "Updated", T: "Updated", D: "Deleted" };

async function changesOf(workspace: Workspace, commit: string): Promise<Map<string, ChangedFile>> {
  const diff = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames", "--raw", "--no-abbrev", commit];
  const fields = (await workspace.git(diff, { maxOutputBytes: maxDiffBytes })).toString("utf8").split("\0");
  const changes = new Map<string, ChangedFile>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [oldMode = "", newMode = "", oldId = "", newId = "", status = ""] = (fields[index] ?? "").slice(1).split(" ");
    const path = fields[index + 1] ?? "";
    const change = changeByStatus[status];
    const [mode, blobSha] = change === "Deleted" ? [oldMode, oldId] : [newMode, newId];
    if (change !== undefined && mode !== gitlinkMode) changes.set(path, { path, change, mode, blobSha });
  }
  return changes;
}
