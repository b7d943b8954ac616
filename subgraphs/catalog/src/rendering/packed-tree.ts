import type { FileTree, TreeFile } from "../engine/file-tree.js";

/** A file tree in one piece of memory, so that it passes between threads without a copy per file. */
export interface PackedTree {
  readonly memory: ArrayBufferLike;
  readonly files: readonly { readonly path: string; readonly size: number; readonly executable: boolean }[];
}

/** Shared memory serves several workers at once; an ArrayBuffer can be transferred. */
export function packTree(files: FileTree, allocate: (size: number) => ArrayBufferLike): PackedTree {
  let total = 0;
  for (const { bytes } of files.values()) total += bytes.length;
  const memory = allocate(total);
  const target = new Uint8Array(memory);
  let offset = 0;
  const packed = Array.from(files, ([path, { bytes, executable }]) => {
    target.set(bytes, offset);
    offset += bytes.length;
    return { path, size: bytes.length, executable };
  });
  return { memory, files: packed };
}

export function unpackTree({ memory, files }: PackedTree): Map<string, TreeFile> {
  const tree = new Map<string, TreeFile>();
  let offset = 0;
  for (const { path, size, executable } of files) {
    tree.set(path, { bytes: new Uint8Array(memory, offset, size), executable });
    offset += size;
  }
  return tree;
}
