import type { Workspace } from "./workspace.js";

interface RemoteRefs {
  /** Full ref name to object id; an annotated tag is also listed as `<name>^{}` with its commit. */
  readonly ids: ReadonlyMap<string, string>;
  /** The branch that HEAD names, where the remote says it. */
  readonly defaultBranch: string | null;
}

const maxListingBytes = 32 * 1024 * 1024;

/** Lists refs of the remote. Patterns are full names or globs; git also matches tails, so callers look names up exactly. */
export async function listRemoteRefs(workspace: Workspace, patterns: readonly string[]): Promise<RemoteRefs> {
  const output = await workspace.git(["ls-remote", "--symref", "--", "origin", ...patterns], {
    maxOutputBytes: maxListingBytes,
  });
  const ids = new Map<string, string>();
  let defaultBranch: string | null = null;
  for (const line of output.toString("utf8").split("\n")) {
    const [value = "", name = ""] = line.split("\t");
    if (value.startsWith("ref: ") && name === "HEAD") defaultBranch = value.slice("ref: refs/heads/".length);
    else if (name !== "") ids.set(name, value);
  }
  return { ids, defaultBranch };
}
