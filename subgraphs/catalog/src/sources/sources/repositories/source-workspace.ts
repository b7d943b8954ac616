import { type ReachableRemote, reachRemote, type SourcePolicy } from "../../../git/git/remote-policy.js";
import { type ObjectFormat, objectFormat, Workspace } from "../../../git/git/workspace.js";
import { sourceFailure, sourceTooLarge } from "../references/source-failure.js";
import { maxPackedBytes } from "../references/source-limits.js";
import type { SourceOptions } from "../references/source-options.js";
import type { GitSourceRef } from "../references/source-ref.js";

/**
 * Opens a workspace for a source's repository, runs `use` and removes the workspace. Failures become errors with codes
 * SOURCE_….
 */
export async function withSource<T>(
  source: { readonly ref: GitSourceRef; readonly policy: SourcePolicy },
  options: SourceOptions,
  use: (workspace: Workspace, git: GitSourceRef) => Promise<T>,
): Promise<T> {
  const git = source.ref;
  try {
    const remote = await reachRemote(git.url, source.policy);
    return await withWorkspace(remote, formatOf(git), options, (workspace) => use(workspace, git));
  } catch (error) {
    throw sourceFailure(error);
  }
}

async function withWorkspace<T>(
  remote: ReachableRemote,
  format: ObjectFormat,
  options: SourceOptions,
  use: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const workspace = await Workspace.open({ remote, ...options });
  try {
    await workspace.initialise(format);
    return await use(workspace);
  } finally {
    await workspace.close();
  }
}

function formatOf(git: GitSourceRef): ObjectFormat {
  return objectFormat(git.ref);
}

/** Fetches one commit with its trees. With `lean`, without its files. */
export async function fetchCommit(workspace: Workspace, commit: string, lean: boolean): Promise<void> {
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
  const oneCommit = [
    ...(lean ? ["--filter=blob:none"] : []),
    "--depth=1",
    "--",
    "origin",
    `${commit}:refs/source/commit`,
  ];
  const all = ["--no-filter", "--", "origin", "+refs/heads/*:refs/source/heads/*", "+refs/tags/*:refs/source/tags/*"];
  const limit = {
    maxBytes: maxPackedBytes,
    tooLarge: sourceTooLarge("The template source has more than 50 MiB compressed, which is the limit."),
  };
  try {
    await workspace.receive([...fetch, ...oneCommit], limit);
  } catch (error) {
    if (!refusesCommitIds(error)) throw error;
    // A server with protocol version 0 gives only commits that refs name, and no files later. So everything is fetched.
    await workspace.receive([...fetch, ...all], limit);
  }
}

function refusesCommitIds(error: unknown): boolean {
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
  return /unadvertised object/i.test(stderr);
}
