import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import { blobId } from "../../git/git/blobs.js";
import { fileMode, type TreeEntry } from "../../git/git/tree-listing.js";
import type { ObjectFormat } from "../../git/git/workspace.js";
import type { OnConflict } from "./on-conflict.js";
import type { FileChange } from "./scaffold.js";

/** The planned change at one path in the target. */
export interface PlannedFile {
  readonly path: string;
  readonly change: FileChange;
  readonly conflict: PathConflict | undefined;
  /** The number of places where both sides changed the same lines. Absent when the files conflict as a whole. */
  readonly hunks?: number;
  readonly existing: TreeEntry | undefined;
  /**
   * The file that the commit writes, or would write without the conflict. Where both sides changed the same lines, it
   * has both versions between marks. Undefined when the target's file stays or is removed.
   */
  readonly written: TreeFile | undefined;
  readonly mode: string;
  readonly blobSha: string;
  /** Bytes. Absent until it is read from the target. */
  readonly size?: number;
}

/**
 * `Blocked`: the target has a file where a folder is needed, or the reverse, so writing would remove the files of
 * others.
 */
type PathConflict = "Blocked" | "Differs";

interface OverlayRules {
  readonly format: ObjectFormat;
  readonly onConflict: OnConflict;
}

/** Compares the produced files with the target's tree. All other files stay. */
export function planOverlay(
  existing: ReadonlyMap<string, TreeEntry>,
  producedFiles: FileTree,
  { format, onConflict }: OverlayRules,
): PlannedFile[] {
  const unwritablePaths = blockedPaths(existing, producedFiles.keys());
  return [...producedFiles].map(([path, file]): PlannedFile => {
    const plannedFile = overlaid(path, file, { existing: existing.get(path), format });
    if (unwritablePaths.has(path)) return { ...plannedFile, conflict: "Blocked" };
    return plannedFile.change === "Updated" && onConflict !== "overwrite"
      ? { ...plannedFile, conflict: "Differs" }
      : plannedFile;
  });
}

/** Plans one produced file over the entry that the target has at its path. */
export function overlaid(
  path: string,
  file: TreeFile,
  { existing, format }: { existing: TreeEntry | undefined; format: ObjectFormat },
): PlannedFile {
  const mode = fileMode(file);
  const blobSha = blobId(file.bytes, format);
  const isSame = existing?.id === blobSha && existing.mode === mode;
  const change = existing === undefined ? "Created" : isSame ? "Unchanged" : "Updated";
  const writtenFile = isSame ? undefined : file;
  return { path, change, conflict: undefined, existing, written: writtenFile, mode, blobSha, size: file.bytes.length };
}

/** The paths that cannot be written, because a file has the path of a needed folder, or the reverse. */
export function blockedPaths(existing: Pick<ReadonlySet<string>, "has" | "keys">, writtenPaths: Iterable<string>) {
  const paths = [...writtenPaths];
  const longest = paths.reduce((most, path) => Math.max(most, path.length), 0);
  const folders = foldersOf(existing.keys(), longest);
  const isBlocked = (path: string) => folders.has(path) || parentsOf(path).some((parent) => existing.has(parent));
  return new Set(paths.filter(isBlocked));
}

/** Only folders whose path is short enough to be a written path: a target may nest folders very deeply. */
function foldersOf(paths: Iterable<string>, longest: number): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) for (const parent of parentsOf(path.slice(0, longest + 1))) folders.add(parent);
  return folders;
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) parents.push(path.slice(0, end));
  return parents;
}
