import { collidingPaths, unsafePath } from "@factory/template-engine/path-safety";
import { GITLINK_MODE, SYMLINK_MODE, type TreeEntry } from "../../git/tree-listing.js";
import { sourceTooLarge, sourceUnsafe } from "./source-failure.js";

export const MAX_FILES = 10_000;
export const MAX_PACKED_BYTES = 50 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 200 * 1024 * 1024;
const MAX_RATIO = 100;

/** Refuses a tree that could leave its folder, or that another file system would read differently. */
export function requireSafeTree(entries: readonly TreeEntry[]): void {
  requireFileCount(entries.length);
  requireSafeNames(entries);
}

export function requireSafeNames(entries: readonly Pick<TreeEntry, "path" | "mode">[]): void {
  for (const { path, mode } of entries) {
    if (mode === SYMLINK_MODE) throw sourceUnsafe(`"${path}" is a symbolic link.`, [path]);
    if (mode === GITLINK_MODE) throw sourceUnsafe(`"${path}" is a submodule.`, [path]);
    const problem = unsafePath(path);
    if (problem !== undefined) throw sourceUnsafe(`The path "${path}" ${problem}.`, [path]);
  }
  const twins = collidingPaths(entries.map(({ path }) => path))[0];
  if (twins === undefined) return;
  const [first, second] = twins;
  if (first === second) throw sourceUnsafe(`"${first}" is there twice.`, [first]);
  throw sourceUnsafe(`"${first}" and "${second}" differ only in case or in Unicode form.`, twins);
}

export function requireFileCount(count: number): void {
  if (count > MAX_FILES) throw sourceTooLarge(`The template source has more than ${MAX_FILES} files.`);
}

export function requirePackedSize(bytes: number): void {
  if (bytes > MAX_PACKED_BYTES) throw sourceTooLarge("The template source is over 50 MiB packed.");
}

export function requireSize(blobs: readonly { size: number }[]): void {
  if (totalSize(blobs) > MAX_UNPACKED_BYTES) throw sourceTooLarge("The template source is over 200 MiB unpacked.");
}

/** Against the bytes that came, so that entries sharing their packed bytes count each time. */
export function requireRatio(files: readonly { size: number }[], packedBytes: number): void {
  if (totalSize(files) > MAX_RATIO * packedBytes)
    throw sourceTooLarge(`The template source unpacks to more than ${MAX_RATIO} times its size.`);
}

function totalSize(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
