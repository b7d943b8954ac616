import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import type { OnConflict } from "./on-conflict.js";
import type { CommitMetadata } from "./scaffold-commit.js";

/** Gives the new bytes of a file that the target already has. Runs again after a lost race, on the newer bytes. */
export type TargetEdit = (current: Uint8Array) => Uint8Array;

/**
 * Renders an earlier execution again, as it was. Undefined where the id names no execution of the same template: anyone
 * may have written it into a commit message.
 */
export type MergeBase = (executionId: string) => Promise<FileTree | undefined>;

export interface ScaffoldContent {
  files: ReadonlyMap<string, TreeFile>;
  /** Changes to the target's own files; they are never conflicts, and a missing file is left missing. */
  edits?: ReadonlyMap<string, TargetEdit>;
  onConflict: OnConflict;
  /** For `merge`; where no base is found, files that differ are conflicts as with `fail`. */
  mergeBase?: MergeBase;
}

export interface Scaffold extends ScaffoldContent {
  commit: CommitMetadata;
}

/** Only a merge deletes: what the template no longer produces and nobody changed. */
export type FileChange = "Created" | "Updated" | "Unchanged" | "Deleted";

/** A produced or edited file as the target holds it after the push; a deleted one as it was before. */
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
  /** Of a merge: places where both sides changed the same lines; 1 where the files conflict as a whole; else 0. */
  conflictingHunks: number;
  /** Before the push; undefined where the target has no such file. */
  oldMode: string | undefined;
  mode: string;
  /** Undefined where the target has no such file, where nothing changes, and for files over 16 MiB. */
  oldBytes: Uint8Array | undefined;
  /** Undefined where nothing changes. Of a conflict: what was produced. */
  newBytes: Uint8Array | undefined;
}
