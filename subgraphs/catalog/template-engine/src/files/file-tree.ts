/** A file's content and its executable bit. */
export interface TreeFile {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** Files by their relative POSIX paths, without a leading slash. */
export type FileTree = ReadonlyMap<string, TreeFile>;
