import { collidingPaths, unsafePath } from "../engine/path-safety.js";
import { GITLINK_MODE, SYMLINK_MODE, type TreeEntry } from "../git/tree-listing.js";
import { sourceTooLarge, sourceUnsafe } from "./source-failure.js";

export const MAX_FILES = 10_000;
const MAX_UNPACKED_BYTES = 200 * 1024 * 1024;

/** Refuses a tree that could leave its folder, or that another file system would read differently. */
export function requireSafeTree(entries: readonly TreeEntry[]): void {
  if (entries.length > MAX_FILES) throw sourceTooLarge(`The template source has more than ${MAX_FILES} files.`);
  for (const { path, mode } of entries) {
    if (mode === SYMLINK_MODE) throw sourceUnsafe(`"${path}" is a symbolic link.`, [path]);
    if (mode === GITLINK_MODE) throw sourceUnsafe(`"${path}" is a submodule.`, [path]);
    const problem = unsafePath(path);
    if (problem !== undefined) throw sourceUnsafe(`The path ${JSON.stringify(path)} ${problem}.`, [path]);
  }
  const twins = collidingPaths(entries.map(({ path }) => path))[0];
  if (twins !== undefined) {
    throw sourceUnsafe(`"${twins[0]}" and "${twins[1]}" differ only in case or in Unicode form.`, twins);
  }
}

export function requireSize(blobs: readonly { size: number }[]): void {
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_UNPACKED_BYTES) throw sourceTooLarge("The template source is over 200 MiB unpacked.");
}
