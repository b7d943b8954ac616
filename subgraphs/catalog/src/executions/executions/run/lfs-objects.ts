import type { FileTree } from "@factory/template-engine/file-tree";
import { isLfsPointer } from "../../../git/git/lfs-pointer.js";
import { sourceUnsafe } from "../../../sources/sources/references/source-failure.js";

const maxNamed = 20;

/** Throws SOURCE_UNSAFE for produced files whose content is in the source's Git LFS store, which was not read. */
export function requireLfsObjects(files: FileTree): void {
  const pointers = Array.from(files).flatMap(([path, { bytes }]) => (isLfsPointer(bytes) ? [path] : []));
  const [first] = pointers;
  if (first === undefined) return;
  const others = pointers.length - 1;
  const more = others === 0 ? "" : ` The same is true for ${others} more.`;
  throw sourceUnsafe(
    `"${first}" is a pointer of Git LFS, and its object is not in the source. Commit the file itself.${more}`,
    pointers.slice(0, maxNamed),
  );
}
