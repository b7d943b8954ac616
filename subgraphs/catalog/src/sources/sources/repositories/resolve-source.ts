import { objectTypes } from "../../../git/git/blobs.js";
import { isCommitId } from "../../../git/git/ref-name.js";
import type { SourcePolicy } from "../../../git/git/remote-policy.js";
import { listRemoteRefs } from "../../../git/git/remote-refs.js";
import type { Workspace } from "../../../git/git/workspace.js";
import { sourceUnavailable } from "../references/source-failure.js";
import type { SourceOptions } from "../references/source-options.js";
import { formatSourceRef, type GitSourceRef } from "../references/source-ref.js";
import { fetchCommit, withSource } from "./source-workspace.js";

/** A reference pinned to a commit. */
interface ResolvedSource {
  /** The reference with its ref replaced by the full commit id. */
  resolvedRef: string;
  commit: string;
}

/**
 * Pins a reference to the commit that it means now. A tag has precedence over a branch with the same name, as in git.
 */
export function resolveSource(
  ref: GitSourceRef,
  policy: SourcePolicy,
  options: SourceOptions,
): Promise<ResolvedSource> {
  return withSource({ ref, policy }, options, async (workspace, source) => {
    const commit = await findCommit(workspace, source.ref);
    return { resolvedRef: formatSourceRef({ ...source, ref: commit }), commit };
  });
}

async function findCommit(workspace: Workspace, ref: string | null): Promise<string> {
  if (ref !== null && isCommitId(ref)) {
    await fetchCommit(workspace, ref, true);
    const [type] = await objectTypes(workspace, [ref]);
    if (type === "commit") return ref;
    throw sourceUnavailable("The ref of the template source is not a commit. Use a branch, a tag or a commit id.");
  }
  const names = candidates(ref);
  const { ids } = await listRemoteRefs(workspace, names);
  const commit = names.map((name) => ids.get(name)).find((id) => id !== undefined);
  if (commit !== undefined) return commit;
  const detail =
    ref === null
      ? "The repository of the template source has no commits."
      : `The repository of the template source has no branch or tag "${ref}".`;
  throw sourceUnavailable(detail);
}

function candidates(ref: string | null): string[] {
  if (ref === null) return ["HEAD"];
  if (ref.startsWith("refs/")) return [`${ref}^{}`, ref];
  return [`refs/tags/${ref}^{}`, `refs/tags/${ref}`, `refs/heads/${ref}`];
}
