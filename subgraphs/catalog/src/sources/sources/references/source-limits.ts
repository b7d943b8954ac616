import { collidingPaths, unsafePath } from "@factory/template-engine/path-safety";
import { gitlinkMode, symlinkMode, type TreeEntry } from "../../../git/git/tree-listing.js";
import { sourceTooLarge, sourceUnsafe } from "./source-failure.js";

/** The number of files that a source may have. */
export const maxFiles = 10_000;
/** The compressed size that a source may have. */
export const maxPackedBytes = 50 * 1024 * 1024;
const maxUnpackedBytes = 200 * 1024 * 1024;
const maxRatio = 100;

/** Throws SOURCE_UNSAFE for a tree with paths that could leave its folder or that differ between file systems. */
export function requireSafeTree(entries: readonly TreeEntry[]): void {
  requireFileCount(entries.length);
  requireSafeNames(entries);
}

/** Throws SOURCE_UNSAFE for links, submodules, unsafe paths, and paths that are equal on some file systems. */
export function requireSafeNames(entries: readonly Pick<TreeEntry, "path" | "mode">[]): void {
  for (const { path, mode } of entries) {
    if (mode === symlinkMode)
      throw sourceUnsafe(`"${path}" is a symbolic link. Links are not allowed in a source.`, [path]);
    if (mode === gitlinkMode)
      throw sourceUnsafe(`"${path}" is a submodule. Submodules are not allowed in a source.`, [path]);
    const problem = unsafePath(path);
    if (problem !== undefined) throw sourceUnsafe(`The path "${path}" is not allowed: it ${problem}.`, [path]);
  }
  const twins = collidingPaths(entries.map(({ path }) => path))[0];
  if (twins === undefined) return;
  const [first, second] = twins;
  if (first === second) throw sourceUnsafe(`The path "${first}" occurs twice.`, [first]);
  throw sourceUnsafe(
    `The paths "${first}" and "${second}" differ only in case or in Unicode form. Rename one of them.`,
    twins,
  );
}

/** Throws SOURCE_TOO_LARGE. */
export function requireFileCount(count: number): void {
  if (count > maxFiles)
    throw sourceTooLarge(`The template source has more than ${maxFiles} files, which is the limit.`);
}

/** Throws SOURCE_TOO_LARGE. */
export function requirePackedSize(bytes: number): void {
  if (bytes > maxPackedBytes)
    throw sourceTooLarge("The template source has more than 50 MiB compressed, which is the limit.");
}

/** Throws SOURCE_TOO_LARGE when the files together are over 200 MiB. */
export function requireSize(blobs: readonly { size: number }[]): void {
  if (totalSize(blobs) > maxUnpackedBytes)
    throw sourceTooLarge("The template source has more than 200 MiB uncompressed, which is the limit.");
}

/**
 * Throws SOURCE_TOO_LARGE for a zip bomb. Compares with the downloaded bytes, so that entries that share compressed
 * bytes count each.
 */
export function requireRatio(files: readonly { size: number }[], packedBytes: number): void {
  if (totalSize(files) > maxRatio * packedBytes)
    throw sourceTooLarge(
      `The template source uncompresses to more than ${maxRatio} times its size, which is the limit.`,
    );
}

function totalSize(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
