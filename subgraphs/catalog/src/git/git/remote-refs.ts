import type { Workspace } from "./workspace.js";

interface RemoteRefs {
  /** Object ids by full ref name. An annotated tag is also listed as `<name>^{}` with its commit. */
  readonly ids: ReadonlyMap<string, string>;
  /** The branch that HEAD names; null when the remote does not tell. */
  readonly defaultBranch: string | null;
}

const maxListingBytes = 32 * 1024 * 1024;

/**
 * Lists the remote's refs by full names or globs. Git also matches the end of a name, so callers look names up exactly.
 */
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
