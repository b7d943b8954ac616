import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import { blobId } from "../../git/git/blobs.js";
import { fileMode, isExecutable, symlinkMode, type TreeEntry } from "../../git/git/tree-listing.js";
import { type MergedText, mergeText, type RemainingWork } from "./merge-text.js";
import { blockedPaths, overlaid, type PlannedFile } from "./overlay.js";
import type { TargetTree } from "./target-tree.js";

/** Larger files are not merged: they come from one side, or they conflict. */
const maxMergedBytes = 5 * 1024 * 1024;
// The work of one merge: about half a second.
const maxComparisons = 500_000_000;
const maxComparedLines = 2_000_000;

interface MergeSides {
  /** The files that the same template's last scaffold rendered. */
  readonly base: FileTree;
  readonly produced: FileTree;
  /** Paths that the scaffold changes by edits. They are never removed. */
  readonly edited: ReadonlySet<string>;
}

/** A file that both sides changed, or whose bytes and mode come from different sides. */
interface ChangedOnBothSides {
  readonly path: string;
  readonly base: TreeFile;
  readonly ours: TreeEntry;
  readonly theirs: TreeFile;
}

/**
 * Plans a three-way merge between the target (ours) and the produced files (theirs). Where one side made no change, the
 * other side wins, also when it removed the file. A file that one side removed and the other changed is a conflict, as
 * in git.
 */
export async function planMerge(tree: TargetTree, { base, produced, edited }: MergeSides): Promise<PlannedFile[]> {
  const plannedFiles: PlannedFile[] = [];
  const bothSides: ChangedOnBothSides[] = [];
  for (const [path, theirs] of produced) {
    const decision = decide(tree, path, { theirs, base: base.get(path) });
    if (decision === undefined) continue;
    if ("ours" in decision) bothSides.push(decision);
    else plannedFiles.push(decision);
  }
  for (const [path, file] of base) {
    const removedFile = produced.has(path) || edited.has(path) ? undefined : removal(tree, path, file);
    if (removedFile !== undefined) plannedFiles.push(removedFile);
  }
  plannedFiles.push(...(await mergeContents(tree, bothSides)));
  return withSizes(tree, withBlocked(tree, plannedFiles));
}

/** Decides one produced file by its base and its entry in the target. Undefined: the file stays removed. */
function decide(
  tree: TargetTree,
  path: string,
  { theirs, base }: { theirs: TreeFile; base: TreeFile | undefined },
): PlannedFile | ChangedOnBothSides | undefined {
  const ours = tree.entries.get(path);
  const plannedFile = overlaid(path, theirs, { existing: ours, format: tree.format });
  const untouchedByThem = base !== undefined && sameFile(base, theirs);
  if (ours === undefined) {
    if (base === undefined) return plannedFile;
    return untouchedByThem ? undefined : { ...plannedFile, conflict: "Differs" };
  }
  if (plannedFile.change === "Unchanged") return plannedFile;
  if (untouchedByThem) return kept(path, ours);
  if (base === undefined || !isRegular(ours)) return { ...plannedFile, conflict: "Differs" };
  return isSame(tree, ours, base) ? plannedFile : { path, base, ours, theirs };
}

/** Plans to remove a file that the template no longer produces. */
function removal(tree: TargetTree, path: string, base: TreeFile): PlannedFile | undefined {
  const ours = tree.entries.get(path);
  if (ours === undefined) return undefined;
  const removedFile: PlannedFile = { ...kept(path, ours), change: "Deleted" };
  return isSame(tree, ours, base) ? removedFile : { ...removedFile, conflict: "Differs" };
}

async function mergeContents(tree: TargetTree, bothSides: readonly ChangedOnBothSides[]): Promise<PlannedFile[]> {
  const blobs = await tree.readSmallBlobs(
    bothSides.map(({ ours }) => ours.id),
    maxMergedBytes,
  );
  const remaining: RemainingWork = { comparisons: maxComparisons, lines: maxComparedLines };
  const merges: PlannedFile[] = [];
  for (const file of bothSides) {
    merges.push(merged(tree, file, { bytes: blobs.get(file.ours.id), remaining }));
    // Let other work of the process run between files.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return merges;
}

function merged(
  tree: TargetTree,
  { path, base, ours, theirs }: ChangedOnBothSides,
  { bytes, remaining }: { bytes: Uint8Array | undefined; remaining: RemainingWork },
): PlannedFile {
  const plannedFile = overlaid(path, theirs, { existing: ours, format: tree.format });
  const sides = { base: base.bytes, theirs: theirs.bytes };
  const content = bytes === undefined ? "unmergeable" : mergedBytes({ ...sides, ours: bytes }, remaining);
  if (content === "unmergeable") return { ...plannedFile, conflict: "Differs" };
  if ("conflictingHunks" in content) {
    const writtenFile = { bytes: content.marked, executable: theirs.executable };
    return { ...plannedFile, conflict: "Differs", hunks: content.conflictingHunks, written: writtenFile };
  }
  const wasExecutable = isExecutable(ours.mode);
  const executable = wasExecutable === base.executable ? theirs.executable : wasExecutable;
  return overlaid(path, { bytes: content.bytes, executable }, { existing: ours, format: tree.format });
}

function mergedBytes(
  sides: { ours: Uint8Array; base: Uint8Array; theirs: Uint8Array },
  remaining: RemainingWork,
): MergedText {
  const { ours, base, theirs } = sides;
  if (equal(theirs, base) || equal(theirs, ours)) return { bytes: ours };
  if (equal(ours, base)) return { bytes: theirs };
  if (theirs.length > maxMergedBytes || base.length > maxMergedBytes) return "unmergeable";
  return mergeText(sides, remaining);
}

function kept(path: string, ours: TreeEntry): PlannedFile {
  const { mode, id } = ours;
  return { path, change: "Unchanged", conflict: undefined, existing: ours, written: undefined, mode, blobSha: id };
}

/** Marks blocked paths. A file that is removed no longer blocks a folder with the same path. */
function withBlocked(tree: TargetTree, plannedFiles: readonly PlannedFile[]): PlannedFile[] {
  const staying = new Set(tree.entries.keys());
  for (const { path, change, conflict } of plannedFiles) {
    if (change === "Deleted" && conflict === undefined) staying.delete(path);
  }
  const createdPaths = plannedFiles.filter(({ change }) => change === "Created").map(({ path }) => path);
  const unwritablePaths = blockedPaths(staying, createdPaths);
  return plannedFiles.map((file) => (unwritablePaths.has(file.path) ? { ...file, conflict: "Blocked" } : file));
}

async function withSizes(tree: TargetTree, plannedFiles: readonly PlannedFile[]): Promise<PlannedFile[]> {
  const unknown = plannedFiles.filter(({ size, existing }) => size === undefined && existing?.type === "blob");
  const sizes = await tree.sizes(unknown.map(({ blobSha }) => blobSha));
  return plannedFiles.map((file) => ({ ...file, size: file.size ?? sizes.get(file.blobSha) ?? 0 }));
}

function isRegular({ type, mode }: TreeEntry): boolean {
  return type === "blob" && mode !== symlinkMode;
}

function isSame(tree: TargetTree, ours: TreeEntry, file: TreeFile): boolean {
  return ours.id === blobId(file.bytes, tree.format) && ours.mode === fileMode(file);
}

function sameFile(left: TreeFile, right: TreeFile): boolean {
  return left.executable === right.executable && equal(left.bytes, right.bytes);
}

function equal(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
