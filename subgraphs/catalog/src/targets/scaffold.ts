import type { TreeFile } from "../engine/file-tree.js";
import type { CommitMetadata } from "./scaffold-commit.js";

/** Gives the new bytes of a file that the target already has. Runs again after a lost race, on the newer bytes. */
export type TargetEdit = (current: Uint8Array) => Uint8Array;

export interface ScaffoldContent {
  files: ReadonlyMap<string, TreeFile>;
  /** Changes to the target's own files; they are never conflicts, and a missing file is left missing. */
  edits?: ReadonlyMap<string, TargetEdit>;
  /** What happens when a produced file differs from the target's. */
  onConflict: "fail" | "overwrite";
}

export interface Scaffold extends ScaffoldContent {
  commit: CommitMetadata;
}

export type FileChange = "Created" | "Updated" | "Unchanged";

/** A produced or edited file as the target holds it after the push. */
export interface ScaffoldFile {
  path: string;
  change: FileChange;
  mode: string;
  blobSha: string;
  /** In bytes. */
  size: number;
}

export interface PushedScaffold {
  commitSha: string;
  treeSha: string;
  /** False when the target already held everything; `commitSha` is then its head. */
  changed: boolean;
  filesCreated: number;
  filesUpdated: number;
  /** Sorted by path. */
  files: ScaffoldFile[];
}

/** What a push would do to one path. */
export interface FilePreview {
  path: string;
  change: FileChange;
  /** The push would end with TARGET_CONFLICT because of this file. */
  conflict: boolean;
  /** Before the push; undefined where the target has no such file. */
  oldMode: string | undefined;
  mode: string;
  /** Undefined where the target has no such file, where nothing changes, and for files over 16 MiB. */
  oldBytes: Uint8Array | undefined;
  /** Undefined where nothing changes. Of a conflict: what was produced. */
  newBytes: Uint8Array | undefined;
}
