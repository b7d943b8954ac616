import type { Workspace } from "./workspace.js";

/** One entry in a git tree, as `git ls-tree -r` lists it. */
export interface TreeEntry {
  readonly mode: string;
  readonly type: string;
  readonly id: string;
  readonly path: string;
  /** Bytes. Undefined for an entry that is not a blob, and in a listing without sizes. */
  readonly size: number | undefined;
}

/** A symbolic link's mode. */
export const symlinkMode = "120000";
/** A submodule's mode. */
export const gitlinkMode = "160000";

const rowPattern = /^(\d{6}) (\w+) ([0-9a-f]+)(?: +(\d+|-))?\t/;

// About 300,000 files. A tree that contains itself many times lists more than its repository stores.
const maxTreeBytes = 32 * 1024 * 1024;

/** Lists every file in a commit, without sizes. Undefined when a path is not valid UTF-8. */
export async function listTree(workspace: Workspace, commit: string): Promise<TreeEntry[] | undefined> {
  const listing = ["ls-tree", "-r", "-z", "--full-tree", commit];
  return parseTree(await workspace.git(listing, { maxOutputBytes: maxTreeBytes }));
}

/** Parses what `ls-tree -z` prints, with or without sizes. Undefined when a path is not valid UTF-8. */
export function parseTree(listing: Buffer): TreeEntry[] | undefined {
  const text = decodeUtf8(listing);
  if (text === undefined) return undefined;
  return text
    .split("\0")
    .filter((row) => row !== "")
    .map(parseRow);
}

function parseRow(row: string): TreeEntry {
  const match = rowPattern.exec(row);
  if (match === null) throw new Error("git ls-tree wrote a row that cannot be read");
  const [head, mode = "", type = "", id = "", size = "-"] = match;
  return { mode, type, id, path: row.slice(head.length), size: size === "-" ? undefined : Number(size) };
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    // ignoreBOM keeps a byte order mark that is part of a name.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether a mode means an executable file. Old trees may have 100664, so only the owner's execute bit counts. */
export function isExecutable(mode: string): boolean {
  return (Number.parseInt(mode, 8) & 0o100) !== 0;
}

/** The mode that git stores for a regular file. */
export function fileMode({ executable }: { readonly executable: boolean }): "100644" | "100755" {
  return executable ? "100755" : "100644";
}
