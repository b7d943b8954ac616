import { listRemoteRefs } from "../git/remote-refs.js";
import { listTree, type TreeEntry } from "../git/tree-listing.js";
import { objectFormat, type Workspace } from "../git/workspace.js";
import { targetUnavailable } from "./target-failure.js";

// a server that cannot leave files out sends them all
const maxBaseBytes = 512 * 1024 * 1024;

/** How many commits of the branch a repeated execution searches for the commit that it pushed before. */
export const landedSearchDepth = 20;

/** What a target looked like at one moment. */
export interface TargetHead {
  /** Head of the branch itself; null while it does not exist. */
  readonly branch: string | null;
  /** What a scaffold is laid over: the branch, else the default branch; null in a repository without commits. */
  readonly base: string | null;
  readonly files: ReadonlyMap<string, TreeEntry>;
}

/** Looks at the remote and brings the base's trees and newest commits, without its files where the remote allows. */
export async function readTargetHead(workspace: Workspace, branch: string): Promise<TargetHead> {
  await workspace.initialise("sha1");
  const { ids, defaultBranch } = await listRemoteRefs(workspace, ["HEAD", "refs/heads/*"]);
  const head = ids.get(`refs/heads/${branch}`) ?? null;
  const base = head ?? defaultHead(ids, defaultBranch);
  return { branch: head, base, files: base === null ? new Map() : await fetchBase(workspace, base) };
}

async function fetchBase(workspace: Workspace, base: string): Promise<ReadonlyMap<string, TreeEntry>> {
  if (objectFormat(base) === "sha256") await workspace.initialise("sha256");
  // one more than is searched, so that every searched commit has its parent; the target's old history may break
  // rules that only new objects must keep
  const depth = `--depth=${landedSearchDepth + 1}`;
  const fetch = ["-c", "fetch.fsckObjects=false", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", depth];
  await workspace.receive([...fetch, "--filter=blob:none", "--", "origin", `+${base}:refs/target/base`], {
    maxBytes: maxBaseBytes,
    tooLarge: targetUnavailable("The target's newest commits are over 512 MiB."),
  });
  const entries = await listTree(workspace, base);
  if (entries === undefined) throw targetUnavailable("A path of the target is not valid UTF-8.");
  return new Map(entries.map((entry) => [entry.path, entry]));
}

/** A remote whose HEAD names no branch yet, as after a first push to another one, still has a base. */
function defaultHead(ids: ReadonlyMap<string, string>, defaultBranch: string | null): string | null {
  const named = [`refs/heads/${defaultBranch}`, "refs/heads/main", "refs/heads/master"].map((name) => ids.get(name));
  // ls-remote lists names in order
  const first = [...ids].find(([name]) => name.startsWith("refs/heads/"))?.[1];
  return ids.get("HEAD") ?? named.find((id) => id !== undefined) ?? first ?? null;
}
