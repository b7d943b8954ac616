import { collidingPaths, unsafePath } from "@factory/template-engine/path-safety";
import { gitlinkMode, symlinkMode, type TreeEntry } from "../../git/tree-listing.js";
import { sourceTooLarge, sourceUnsafe } from "./source-failure.js";

export const maxFiles = 10_000;
export const maxPackedBytes = 50 * 1024 * 1024;
const maxUnpackedBytes = 200 * 1024 * 1024;
const maxRatio = 100;

/** Refuses a tree that could leave its folder, or that another file system would read differently. */
export function requireSafeTree(entries: readonly TreeEntry[]): void {
  requireFileCount(entries.length);
  requireSafeNames(entries);
}

export function requireSafeNames(entries: readonly Pick<TreeEntry, "path" | "mode">[]): void {
  for (const { path, mode } of entries) {
    if (mode === symlinkMode) throw sourceUnsafe(`"${path}" is a symbolic link.`, [path]);
    if (mode === gitlinkMode) throw sourceUnsafe(`"${path}" is a submodule.`, [path]);
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
  if (count > maxFiles) throw sourceTooLarge(`The template source has more than ${maxFiles} files.`);
}

export function requirePackedSize(bytes: number): void {
  if (bytes > maxPackedBytes) throw sourceTooLarge("The template source is over 50 MiB packed.");
}

export function requireSize(blobs: readonly { size: number }[]): void {
  if (totalSize(blobs) > maxUnpackedBytes) throw sourceTooLarge("The template source is over 200 MiB unpacked.");
}

/** Against the bytes that came, so that entries sharing their packed bytes count each time. */
export function requireRatio(files: readonly { size: number }[], packedBytes: number): void {
  if (totalSize(files) > maxRatio * packedBytes)
    throw sourceTooLarge(`The template source unpacks to more than ${maxRatio} times its size.`);
}

function totalSize(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
