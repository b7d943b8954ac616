export interface TreeFile {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** Posix relative paths without a leading slash. */
export type FileTree = ReadonlyMap<string, TreeFile>;
