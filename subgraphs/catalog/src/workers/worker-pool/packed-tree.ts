import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";

/** Paths, sizes and modes for files whose bytes are in one memory block, in this order. */
export type PackedFiles = readonly { readonly path: string; readonly size: number; readonly executable: boolean }[];

/** A file tree in one memory block, so that it is sent to another process without a message for each file. */
export interface PackedTree {
  readonly files: PackedFiles;
  readonly bytes: Uint8Array;
}

/** Copies the files into one memory block. */
export function packTree(files: FileTree): PackedTree {
  let total = 0;
  for (const { bytes } of files.values()) total += bytes.length;
  const target = new Uint8Array(total);
  let offset = 0;
  const packedFiles = Array.from(files, ([path, { bytes, executable }]) => {
    target.set(bytes, offset);
    offset += bytes.length;
    return { path, size: bytes.length, executable };
  });
  return { bytes: target, files: packedFiles };
}

/** The file tree as views of `bytes`, without copies. */
export function unpackTree(files: PackedFiles, bytes: Uint8Array = new Uint8Array()): Map<string, TreeFile> {
  const tree = new Map<string, TreeFile>();
  let offset = 0;
  for (const { path, size, executable } of files) {
    tree.set(path, { bytes: bytes.subarray(offset, offset + size), executable });
    offset += size;
  }
  return tree;
}
