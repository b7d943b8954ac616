import { DomainError } from "@factory/runtime/errors/domain-error";
import type { TreeFile } from "../engine/file-tree.js";
import { collidingPaths, unsafePath } from "../engine/path-safety.js";
import { blobId, readBlobs } from "../git/blobs.js";
import { GitError } from "../git/git.js";
import { reachRemote, type SourcePolicy } from "../git/remote-policy.js";
import { objectFormat, type RemoteCredential, Workspace } from "../git/workspace.js";
import { findLanded } from "./landed-commit.js";
import { type ProducedFile, planOverlay } from "./overlay.js";
import { type CommitMetadata, type ScaffoldCommit, writeCommit } from "./scaffold-commit.js";
import { targetConflict, targetFailure } from "./target-failure.js";
import { readTargetHead, type TargetHead } from "./target-head.js";

interface TargetLocation {
  url: string;
  branch: string;
  credential?: RemoteCredential;
}

/** Gives the new bytes of a file that the target already has. Runs again after a lost race, on the newer bytes. */
export type TargetEdit = (current: Uint8Array) => Uint8Array;

export interface Scaffold {
  files: ReadonlyMap<string, TreeFile>;
  /** Changes to the target's own files; they are never conflicts, and a missing file is left missing. */
  edits?: ReadonlyMap<string, TargetEdit>;
  commit: CommitMetadata;
  /** What happens when a produced file differs from the target's. */
  onConflict: "fail" | "overwrite";
}

export type ScaffoldPush = TargetLocation & Scaffold;

export interface PushedScaffold {
  commitSha: string;
  treeSha: string;
  /** False when the target already held everything; `commitSha` is then its head. */
  changed: boolean;
  filesCreated: number;
  filesUpdated: number;
}

export interface TargetOptions {
  signal?: AbortSignal;
  /** Time for everything between opening and closing the target. */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 300_000;
const MAX_REBUILDS = 3;

/** Opens, pushes and closes. Failures leave as TARGET_… errors. */
export async function pushScaffold(push: ScaffoldPush, policy: SourcePolicy, options: TargetOptions = {}) {
  const target = await openTarget(push, policy, options);
  try {
    return await target.push(push);
  } finally {
    await target.close();
  }
}

/** Reads the target branch, or the default branch it will start from. The caller closes the target. */
export async function openTarget(
  location: TargetLocation,
  policy: SourcePolicy,
  options: TargetOptions = {},
): Promise<Target> {
  try {
    const remote = await reachRemote(location.url, policy);
    const { credential } = location;
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
    const workspace = await Workspace.open({ remote, credential, signal, timeoutMs });
    try {
      return new Target(workspace, location.branch, await readTargetHead(workspace, location.branch));
    } catch (error) {
      await workspace.close();
      throw error;
    }
  } catch (error) {
    throw targetFailure(error);
  }
}

/** One branch of a remote repository, held in a temporary bare repository without a work tree. */
export class Target {
  constructor(
    private readonly workspace: Workspace,
    private readonly branch: string,
    private head: TargetHead,
  ) {}

  /** The commit a scaffold is laid over; null in a repository without commits. */
  get base(): string | null {
    return this.head.base;
  }

  /** Bytes of a file the target has now. */
  async file(path: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#readFile(path);
    } catch (error) {
      throw targetFailure(error);
    }
  }

  /** Pushes one commit, or none when nothing differs. Never forces: foreign commits stay. */
  async push(scaffold: Scaffold): Promise<PushedScaffold> {
    requireSafePaths(scaffold.files);
    try {
      for (let rebuilds = 0; rebuilds <= MAX_REBUILDS; rebuilds++) {
        const pushed = await this.#attempt(scaffold);
        if (pushed !== undefined) return pushed;
      }
    } catch (error) {
      throw targetFailure(error);
    }
    throw new DomainError("TARGET_MOVED", {
      detail: `The branch "${this.branch}" moved during every attempt to push.`,
    });
  }

  async close(): Promise<void> {
    await this.workspace.close();
  }

  /** Undefined when the branch moved, after looking at the remote again. */
  async #attempt(scaffold: Scaffold): Promise<PushedScaffold | undefined> {
    if (this.head.branch !== null) {
      const landed = await findLanded(this.workspace, this.head.branch, scaffold.commit.message);
      if (landed !== undefined) return { ...landed, changed: true };
    }
    const { writes, filesCreated, filesUpdated } = await this.#plan(scaffold);
    const changed = writes.size > 0 || this.head.base === null;
    const commit = changed
      ? await writeCommit(this.workspace, this.head.base, { files: writes, metadata: scaffold.commit })
      : await this.#baseCommit();
    const pushed = { ...commit, changed, filesCreated, filesUpdated };
    if (commit.commitSha === this.head.branch) return pushed;
    return (await this.#send(commit.commitSha)) ? pushed : undefined;
  }

  async #send(commit: string): Promise<boolean> {
    const ref = `refs/heads/${this.branch}`;
    const expected = this.head.branch;
    const lease = `--force-with-lease=${ref}:${expected ?? ""}`;
    try {
      await this.workspace.git([
        "push",
        "--porcelain",
        "--no-verify",
        "--no-thin",
        lease,
        "--",
        "origin",
        `${commit}:${ref}`,
      ]);
      return true;
    } catch (error) {
      if (!(error instanceof GitError) || error.timedOut) throw error;
      this.head = await readTargetHead(this.workspace, this.branch);
      if (this.head.branch === commit) return true;
      if (this.head.branch === expected) throw error;
      return false;
    }
  }

  async #plan({ files, edits = new Map(), onConflict }: Scaffold) {
    const produced = produce(files, objectFormat(this.head.base));
    const { created, updated, blocked } = planOverlay(this.head.files, produced);
    if (blocked.length > 0)
      throw targetConflict("A file stands where the target needs a folder, or the reverse.", blocked);
    if (updated.length > 0 && onConflict === "fail") {
      throw targetConflict(`${updated.length} file(s) of the target differ from the produced ones.`, updated);
    }
    const writes = new Map<string, TreeFile>();
    for (const path of [...created, ...updated]) {
      const file = files.get(path);
      if (file !== undefined) writes.set(path, file);
    }
    const edited = await this.#edit(edits, files);
    for (const [path, file] of edited) writes.set(path, file);
    return { writes, filesCreated: created.length, filesUpdated: updated.length + edited.size };
  }

  async #edit(edits: ReadonlyMap<string, TargetEdit>, files: ReadonlyMap<string, TreeFile>) {
    const edited = new Map<string, TreeFile>();
    for (const [path, edit] of edits) {
      if (files.has(path)) continue;
      const current = await this.#readFile(path);
      if (current === undefined) continue;
      const bytes = edit(current);
      const executable = this.head.files.get(path)?.mode === "100755";
      if (Buffer.compare(bytes, current) !== 0) edited.set(path, { bytes, executable });
    }
    return edited;
  }

  async #readFile(path: string): Promise<Uint8Array | undefined> {
    const entry = this.head.files.get(path);
    if (entry?.type !== "blob" || entry.mode === "120000") return undefined;
    const size = Number((await this.workspace.git(["cat-file", "-s", entry.id])).toString("utf8"));
    return (await readBlobs(this.workspace, [{ id: entry.id, size }])).get(entry.id);
  }

  async #baseCommit(): Promise<ScaffoldCommit> {
    const commitSha = this.head.base ?? "";
    const treeSha = (await this.workspace.git(["rev-parse", "--verify", `${commitSha}^{tree}`]))
      .toString("utf8")
      .trim();
    return { commitSha, treeSha };
  }
}

function produce(files: ReadonlyMap<string, TreeFile>, format: "sha1" | "sha256"): Map<string, ProducedFile> {
  const produced = new Map<string, ProducedFile>();
  for (const [path, { bytes, executable }] of files) {
    produced.set(path, { mode: executable ? "100755" : "100644", id: blobId(bytes, format) });
  }
  return produced;
}

/** The renderer checks its names too; this is the last gate before they reach somebody's repository. */
function requireSafePaths(files: ReadonlyMap<string, TreeFile>): void {
  for (const path of files.keys()) {
    const problem = unsafePath(path);
    if (problem !== undefined) {
      throw new DomainError("SOURCE_UNSAFE", { detail: `The path ${JSON.stringify(path)} ${problem}.`, paths: [path] });
    }
  }
  const twins = collidingPaths(files.keys())[0];
  if (twins !== undefined) {
    throw new DomainError("SOURCE_UNSAFE", { detail: `"${twins[0]}" and "${twins[1]}" collide.`, paths: twins });
  }
}
