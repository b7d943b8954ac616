import type { ScaffoldFileChange } from "@factory/schema/vocabularies/executions";
import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import type { OnConflict } from "./on-conflict.js";
import type { CommitMetadata } from "./scaffold-commit.js";

/** Returns the new bytes for a file that the target has. It runs again on newer bytes when the branch has moved. */
export type TargetEdit = (current: Uint8Array) => Uint8Array;

/**
 * Renders an earlier execution again. Undefined when the id does not name an execution with the same template: anybody
 * may write an id into a commit message.
 */
export type MergeBase = (executionId: string) => Promise<FileTree | undefined>;

export interface ScaffoldContent {
  files: ReadonlyMap<string, TreeFile>;
  /** Changes to files that the target has. They never conflict; a file that is missing stays missing. */
  edits?: ReadonlyMap<string, TargetEdit>;
  onConflict: OnConflict;
  /** For `merge`. Without a base, files that differ are conflicts, as with `fail`. */
  mergeBase?: MergeBase;
}

export interface Scaffold extends ScaffoldContent {
  commit: CommitMetadata;
}

/** Only a merge deletes: a file that the template no longer produces and that nobody changed. */
export type FileChange = ScaffoldFileChange;

/** A produced or edited file as it is in the target after the push. A deleted file as it was before. */
export interface LandedFile {
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
  /** False when the target had all files already. Then `commitSha` is its head. */
  changed: boolean;
  filesCreated: number;
  filesUpdated: number;
  /** Sorted by path. */
  files: LandedFile[];
}

/** The change that a push would make to one path. */
export interface FilePreview {
  path: string;
  change: FileChange;
  /** True when the push would fail with TARGET_CONFLICT because of this file. */
  conflict: boolean;
  /** The number of places where both sides changed the same lines; 1 when the files conflict as a whole, else 0. */
  conflictingHunks: number;
  /** The mode before the push; undefined when the target has no such file. */
  oldMode: string | undefined;
  mode: string;
  /** Undefined when the target has no such file, when nothing changes, and for files over 16 MiB. */
  oldBytes: Uint8Array | undefined;
  /**
   * The produced or merged bytes; for a merge conflict with marks around each place. Undefined when nothing changes.
   */
  newBytes: Uint8Array | undefined;
}
