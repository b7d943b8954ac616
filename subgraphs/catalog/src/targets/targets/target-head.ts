import { listRemoteRefs } from "../../git/git/remote-refs.js";
import { listTree, type TreeEntry } from "../../git/git/tree-listing.js";
import { objectFormat, type Workspace } from "../../git/git/workspace.js";
import { targetForbidden, targetUnavailable } from "./target-failure.js";

// A server that does not support filters sends all files.
const maxBaseBytes = 512 * 1024 * 1024;

/** How many commits on the branch a repeated execution searches for the commit that it pushed before. */
export const landedSearchDepth = 20;

/** A target's branch. */
export interface TargetBranch {
  readonly branch: string;
  /** The branch from which a missing branch must start. Undefined: the default branch, if there is one. */
  readonly baseBranch: string | undefined;
}

/** A target's state at one moment. */
export interface TargetHead {
  /** The branch's own head; null while it does not exist. */
  readonly branch: string | null;
  /** The commit that a scaffold is laid over: the branch's, else the default branch's. Null in an empty repository. */
  readonly base: string | null;
  readonly files: ReadonlyMap<string, TreeEntry>;
}

/**
 * Reads the remote's refs, and fetches the base's trees and newest commits. Files are left out where the remote
 * supports it.
 */
export async function readTargetHead(workspace: Workspace, { branch, baseBranch }: TargetBranch): Promise<TargetHead> {
  await workspace.initialise("sha1");
  const { ids, defaultBranch } = await listRemoteRefs(workspace, ["HEAD", "refs/heads/*"]);
  const head = ids.get(`refs/heads/${branch}`) ?? null;
  const base = head ?? (baseBranch === undefined ? defaultHead(ids, defaultBranch) : headOf(ids, baseBranch));
  return { branch: head, base, files: base === null ? new Map() : await fetchBase(workspace, base) };
}

async function fetchBase(workspace: Workspace, base: string): Promise<ReadonlyMap<string, TreeEntry>> {
  if (objectFormat(base) === "sha256") await workspace.initialise("sha256");
  // One more than is searched, so that every searched commit has its parent. The object check is off, since a target's
  // old history may break rules that only new objects must follow.
  const depth = `--depth=${landedSearchDepth + 1}`;
  const fetch = ["-c", "fetch.fsckObjects=false", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", depth];
  await workspace.receive([...fetch, "--filter=blob:none", "--", "origin", `+${base}:refs/target/base`], {
    maxBytes: maxBaseBytes,
    tooLarge: targetUnavailable("The newest commits of the target have more than 512 MiB."),
  });
  const entries = await listTree(workspace, base);
  if (entries === undefined)
    throw targetUnavailable("The target has a path that is not valid UTF-8. Rename that file.");
  return new Map(entries.map((entry) => [entry.path, entry]));
}

/** Throws TARGET_FORBIDDEN for a branch that does not exist. */
function headOf(ids: ReadonlyMap<string, string>, branch: string): string {
  const id = ids.get(`refs/heads/${branch}`);
  if (id === undefined)
    throw targetForbidden(
      `The target has no branch "${branch}" into which a pull request could be merged. Create it, or name another one as target.branch.`,
    );
  return id;
}

/** The base of a remote whose HEAD names a branch that does not exist, as after a first push to another branch. */
function defaultHead(ids: ReadonlyMap<string, string>, defaultBranch: string | null): string | null {
  const namedIds = [`refs/heads/${defaultBranch}`, "refs/heads/main", "refs/heads/master"].map((name) => ids.get(name));
  // ls-remote sorts by name.
  const first = [...ids].find(([name]) => name.startsWith("refs/heads/"))?.[1];
  return ids.get("HEAD") ?? namedIds.find((id) => id !== undefined) ?? first ?? null;
}
