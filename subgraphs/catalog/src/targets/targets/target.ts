import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FileTree, TreeFile } from "@factory/template-engine/file-tree";
import { collidingPaths, unsafePath, visiblePath } from "@factory/template-engine/path-safety";
import { blobId } from "../../git/git/blobs.js";
import { GitError } from "../../git/git/git.js";
import type { Workspace } from "../../git/git/workspace.js";
import type { OpenRepository } from "../../git/repositories/port/repository-store.js";
import { byPath, findLanded, landedFiles } from "./landed-commit.js";
import { planMerge } from "./merge.js";
import { findMergeBase, memoizeMergeBase } from "./merge-base.js";
import { type PlannedFile, planOverlay } from "./overlay.js";
import type { FilePreview, LandedFile, PushedScaffold, Scaffold, ScaffoldContent, TargetEdit } from "./scaffold.js";
import { type ScaffoldCommit, writeCommit } from "./scaffold-commit.js";
import { conflictOf, targetFailure } from "./target-failure.js";
import { readTargetHead, type TargetBranch, type TargetHead } from "./target-head.js";
import { TargetTree } from "./target-tree.js";

const maxRebuilds = 3;
const maxPreviewBytes = 16 * 1024 * 1024;

/** A target's temporary repository, and the platform's repository behind its remote, if it is one. */
interface TargetFolders {
  readonly workspace: Workspace;
  readonly stored: OpenRepository | undefined;
}

/** One branch in a remote repository, in a temporary bare repository without a work tree. */
export class Target {
  readonly #workspace: Workspace;
  readonly #stored: OpenRepository | undefined;
  readonly #place: TargetBranch;
  #head: TargetHead;

  constructor({ workspace, stored }: TargetFolders, place: TargetBranch, head: TargetHead) {
    this.#workspace = workspace;
    this.#stored = stored;
    this.#place = place;
    this.#head = head;
  }

  /** The commit that a scaffold is laid over; null in an empty repository. */
  get base(): string | null {
    return this.#head.base;
  }

  /** The temporary bare repository on disk; `close` removes it. */
  get folder(): string {
    return this.#workspace.folder;
  }

  /** A file's bytes in the target now; undefined when it has none. */
  async file(path: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#tree.read(path);
    } catch (error) {
      throw targetFailure(error);
    }
  }

  /** The paths of the files that the target has now. */
  get paths(): Iterable<string> {
    return this.#head.files.keys();
  }

  /**
   * The texts of small files, as many as fit into the limits in the given order. Files that are not UTF-8 are left out.
   */
  async texts(
    paths: readonly string[],
    limits: { maxBytes: number; maxTotalBytes: number },
  ): Promise<Map<string, string>> {
    try {
      return await this.#tree.texts(paths, limits);
    } catch (error) {
      throw targetFailure(error);
    }
  }

  /** A push's effect on each file, sorted by path, and the TARGET_CONFLICT with which it would be refused. */
  async plan(content: ScaffoldContent): Promise<{ files: FilePreview[]; refusal: DomainError | undefined }> {
    requireSafePaths(content.files);
    try {
      const plannedFiles = await this.#planned(content);
      return { files: await this.#preview(plannedFiles), refusal: conflictOf(plannedFiles) };
    } catch (error) {
      throw targetFailure(error);
    }
  }

  /**
   * Pushes one commit, or none when nothing differs. Never overwrites the commits of others. Throws TARGET_CONFLICT and
   * TARGET_MOVED.
   */
  async push(scaffold: Scaffold): Promise<PushedScaffold> {
    requireSafePaths(scaffold.files);
    const { mergeBase } = scaffold;
    const attempt = mergeBase === undefined ? scaffold : { ...scaffold, mergeBase: memoizeMergeBase(mergeBase) };
    try {
      for (let rebuilds = 0; rebuilds <= maxRebuilds; rebuilds++) {
        const pushResult = await this.#attempt(attempt);
        if (pushResult !== undefined) return pushResult;
      }
    } catch (error) {
      throw targetFailure(error);
    }
    throw new DomainError("TARGET_MOVED", {
      detail: `Other commits came to the branch "${this.#place.branch}" during every attempt to push. Try again later.`,
    });
  }

  async close(): Promise<void> {
    await this.#stored?.close();
    await this.#workspace.close();
  }

  get #tree(): TargetTree {
    return new TargetTree(this.#workspace, this.#head);
  }

  /** Undefined when the branch has moved; the head is then read again. */
  async #attempt(scaffold: Scaffold): Promise<PushedScaffold | undefined> {
    const landedResult = await this.#landed(scaffold);
    if (landedResult !== undefined) return landedResult;
    const plannedFiles = await this.#planned(scaffold);
    const refusal = conflictOf(plannedFiles);
    if (refusal) throw refusal;
    const files = new Map<string, TreeFile>();
    for (const { path, written } of plannedFiles) if (written !== undefined) files.set(path, written);
    const deletedPaths = plannedFiles.filter(({ change }) => change === "Deleted").map(({ path }) => path);
    const isChanged = files.size + deletedPaths.length > 0 || this.#head.base === null;
    const commit = isChanged
      ? await writeCommit(this.#workspace, this.#head.base, { files, deleted: deletedPaths, metadata: scaffold.commit })
      : await this.#baseCommit();
    // A branch without its own change could not become a pull request.
    const isNeeded = isChanged || this.#place.baseBranch === undefined;
    if (isNeeded && commit.commitSha !== this.#head.branch && !(await this.#send(commit.commitSha))) return undefined;
    return { ...commit, changed: isChanged, ...summary(plannedFiles.map(scaffoldFile)) };
  }

  /** The commit from an earlier run of the same execution, so that a second run pushes nothing. */
  async #landed({ files, edits, commit }: Scaffold): Promise<PushedScaffold | undefined> {
    if (this.#head.branch === null) return undefined;
    const landedCommit = await findLanded(this.#workspace, this.#head.branch, commit.message);
    if (landedCommit === undefined) return undefined;
    const tree = this.#tree;
    const knownSizes = new Map([...files.values()].map(({ bytes }) => [blobId(bytes, tree.format), bytes.length]));
    const paths = [...files.keys(), ...(edits?.keys() ?? [])];
    const listedFiles = await landedFiles(this.#workspace, tree, { ...landedCommit, paths, knownSizes });
    return { ...landedCommit, changed: true, ...summary(listedFiles) };
  }

  async #send(commit: string): Promise<boolean> {
    const ref = `refs/heads/${this.#place.branch}`;
    const expectedHead = this.#head.branch;
    const lease = `--force-with-lease=${ref}:${expectedHead ?? ""}`;
    const push = ["push", "--porcelain", "--no-verify", "--no-thin", lease, "--", "origin", `${commit}:${ref}`];
    try {
      await this.#workspace.git(push);
      if ((await this.#stored?.publish({ ref, expected: expectedHead, commit })) !== false) return true;
      await this.#readHead();
    } catch (error) {
      if (!(error instanceof GitError) || error.timedOut) throw error;
      await this.#readHead();
      if (this.#head.branch === commit) return true;
      if (this.#head.branch === expectedHead) throw error;
    }
    return false;
  }

  async #readHead(): Promise<void> {
    await this.#stored?.refresh();
    this.#head = await readTargetHead(this.#workspace, this.#place);
  }

  async #planned(content: ScaffoldContent): Promise<PlannedFile[]> {
    const { files, edits = new Map<string, TargetEdit>() } = content;
    const tree = this.#tree;
    const plannedFiles = await this.#plannedFiles(content, tree);
    for (const [path, edit] of edits) {
      const current = files.has(path) ? undefined : await tree.read(path);
      const existing = tree.entries.get(path);
      if (current === undefined || existing === undefined) continue;
      const bytes = edit(current);
      const isSame = Buffer.compare(bytes, current) === 0;
      plannedFiles.push({
        path,
        change: isSame ? "Unchanged" : "Updated",
        conflict: undefined,
        existing,
        written: isSame ? undefined : { bytes, executable: existing.mode === "100755" },
        mode: existing.mode,
        blobSha: blobId(bytes, tree.format),
        size: bytes.length,
      });
    }
    return plannedFiles.toSorted(byPath);
  }

  async #plannedFiles({ files, edits, onConflict, mergeBase }: ScaffoldContent, tree: TargetTree) {
    const head = this.#head.base;
    if (onConflict === "merge" && mergeBase !== undefined && head !== null) {
      const base = await findMergeBase(this.#workspace, head, mergeBase);
      if (base !== undefined) return planMerge(tree, { base, produced: files, edited: new Set(edits?.keys()) });
    }
    return planOverlay(tree.entries, files, { format: tree.format, onConflict });
  }

  async #preview(plannedFiles: readonly PlannedFile[]): Promise<FilePreview[]> {
    const replacedIds = plannedFiles.flatMap(({ change, existing }) =>
      change !== "Unchanged" && existing?.type === "blob" ? [existing.id] : [],
    );
    const blobs = await this.#tree.readSmallBlobs(replacedIds, maxPreviewBytes);
    return plannedFiles.map(({ path, change, conflict, hunks, existing, written, mode }) => ({
      path,
      change,
      conflict: conflict !== undefined,
      conflictingHunks: conflict === undefined ? 0 : (hunks ?? 1),
      oldMode: existing?.mode,
      mode,
      oldBytes: change === "Unchanged" || existing === undefined ? undefined : blobs.get(existing.id),
      newBytes: written?.bytes,
    }));
  }

  async #baseCommit(): Promise<ScaffoldCommit> {
    const commitSha = this.#head.base ?? "";
    const treeSha = (await this.#workspace.git(["rev-parse", "--verify", `${commitSha}^{tree}`]))
      .toString("utf8")
      .trim();
    return { commitSha, treeSha };
  }
}

function scaffoldFile({ path, change, mode, blobSha, size = 0 }: PlannedFile): LandedFile {
  return { path, change, mode, blobSha, size };
}

function summary(files: LandedFile[]): Pick<PushedScaffold, "filesCreated" | "filesUpdated" | "files"> {
  const count = (change: LandedFile["change"]) => files.filter((file) => file.change === change).length;
  return { filesCreated: count("Created"), filesUpdated: count("Updated"), files };
}

/** The renderer checks paths too. This is the last check before they reach a repository. */
function requireSafePaths(files: FileTree): void {
  for (const path of files.keys()) {
    const problem = unsafePath(path);
    if (problem !== undefined) {
      const shownPath = visiblePath(path);
      throw new DomainError("SOURCE_UNSAFE", {
        detail: `The path "${shownPath}" cannot be written: it ${problem}. Rename it in the template.`,
        paths: [shownPath],
      });
    }
  }
  const twins = collidingPaths(files.keys())[0];
  if (twins !== undefined) {
    throw new DomainError("SOURCE_UNSAFE", {
      detail: `The paths "${twins[0]}" and "${twins[1]}" are one path on some file systems. Rename one in the template.`,
      paths: twins,
    });
  }
}
