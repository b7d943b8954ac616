import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import { fetchBlobsById, missingBlobs, objectTypes, readBlobs } from "../../../git/git/blobs.js";
import { isCommitId } from "../../../git/git/ref-name.js";
import type { SourcePolicy } from "../../../git/git/remote-policy.js";
import { isExecutable, parseTree, type TreeEntry } from "../../../git/git/tree-listing.js";
import type { Workspace } from "../../../git/git/workspace.js";
import { contentDigest } from "../references/content-digest.js";
import { sourceTooLarge, sourceUnavailable, sourceUnsafe } from "../references/source-failure.js";
import { maxFiles, maxPackedBytes, requireSafeTree, requireSize } from "../references/source-limits.js";
import type { SourceOptions } from "../references/source-options.js";
import type { GitSourceRef } from "../references/source-ref.js";
import { fetchCommit, withSource } from "./source-workspace.js";

/** A source's files, and the commit that they are from. */
interface FetchedSource {
  files: FileTree;
  /** `sha256:<hex>` over the sorted lines `mode path size blob`. */
  contentDigest: string;
  commit: string;
}

type Blob = TreeEntry & { size: number };

/** Reads the files under a pinned reference into memory, without a work tree or hooks, so that no content is run. */
export function fetchSource(
  pinnedRef: GitSourceRef,
  policy: SourcePolicy,
  options: SourceOptions,
): Promise<FetchedSource> {
  return withSource({ ref: pinnedRef, policy }, options, async (workspace, { ref: commit, path }) => {
    if (commit === null || !isCommitId(commit)) throw new Error("fetchSource takes a reference pinned to a commit");
    // For a folder, only its own files are fetched, since the repository may be large.
    const lean = path !== "";
    await fetchCommit(workspace, commit, lean);
    const tree = `${commit}:${path}`;
    await requireFolder(workspace, commit, path);
    if (lean) await fetchMissingBlobs(workspace, tree);
    const entries = await listEntries(workspace, tree);
    const bytes = await readBlobs(workspace, entries);
    return { files: fileTree(entries, bytes), contentDigest: contentDigest(entries), commit };
  });
}

async function requireFolder(workspace: Workspace, commit: string, path: string): Promise<void> {
  const [type, folder] = await objectTypes(workspace, [commit, `${commit}:${path}`]);
  if (type !== "commit")
    throw sourceUnavailable("The ref of the template source is not a commit. Use a branch, a tag or a commit id.");
  if (folder !== "tree")
    throw sourceUnavailable(`The commit has no folder "${path}". Check the path after the colon of sourceRef.`);
}

async function fetchMissingBlobs(workspace: Workspace, tree: string): Promise<void> {
  const ids = await missingBlobs(workspace, tree);
  if (ids.length > maxFiles)
    throw sourceTooLarge(`The template source has more than ${maxFiles} files, which is the limit.`);
  const tooLarge = sourceTooLarge("The template source has more than 50 MiB compressed, which is the limit.");
  await fetchBlobsById(workspace, { ids, maxBytes: maxPackedBytes, tooLarge });
}

async function listEntries(workspace: Workspace, tree: string): Promise<Blob[]> {
  const entries = parseTree(await workspace.git(["ls-tree", "-r", "-z", "-l", "--full-tree", tree]));
  if (entries === undefined)
    throw sourceUnsafe("The template source has a path that is not valid UTF-8. Rename that file.");
  requireSafeTree(entries);
  const blobs = entries.filter((entry): entry is Blob => entry.size !== undefined);
  requireSize(blobs);
  return blobs;
}

function fileTree(entries: readonly Blob[], bytes: ReadonlyMap<string, Uint8Array>): FileTree {
  const files = new Map<string, TreeFile>();
  for (const { path, id, mode } of entries) {
    const content = bytes.get(id);
    if (content === undefined) throw new Error(`git did not give blob ${id}`);
    files.set(path, { bytes: content, executable: isExecutable(mode) });
  }
  return files;
}
