import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { git } from "../../git/git.js";
import { writeBareFolder } from "../bare/bare-folder.js";
import { movePack, type ReceivedPack } from "../bare/push-staging.js";
import { downloadPack } from "./pack-chunks.js";
import type { RepositoryState, StoredPack } from "./repository-state.js";

const indexTimeoutMs = 300_000;
const maxFiles = 200;
const mergedKeptMs = 3_600_000;

/** A state of a repository that has been pushed to. */
export type ExistingState = RepositoryState & { readonly repositoryId: string };

/**
 * Repositories' packs in a folder, as a copy of rows. It is safe to delete at any time. Each repository has one objects
 * folder, and one bare folder (a view) for each version that was asked for. Packs and views are complete when they get
 * their names and never change, so several processes may use one cache without a lock.
 */
export class PackCache {
  readonly root: string;
  readonly #reader: TenantReader;
  /** Updates that run, so that two readers do not download the same pack. */
  readonly #running = new Map<string, Promise<string>>();

  constructor(root: string, reader: TenantReader) {
    this.root = resolve(root);
    this.#reader = reader;
  }

  /** The folder for pushes, on the same file system. */
  async pushes(): Promise<string> {
    const folder = join(this.root, "pushes");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** This version's view, if the cache has it. Counts as a use. */
  async find(tenant: Tenant, repositoryId: string, version: number): Promise<string | undefined> {
    const view = this.#view(tenant, repositoryId, version);
    if (!(await touch(this.#folder(tenant, repositoryId)))) return undefined;
    return (await touch(view)) ? view : undefined;
  }

  /** Brings the objects up to date and returns their folder. */
  async objects(tenant: Tenant, state: ExistingState): Promise<string> {
    const objects = join(this.#folder(tenant, state.repositoryId), "objects");
    await mkdir(join(objects, "pack"), { recursive: true, mode: 0o700 });
    await touch(this.#folder(tenant, state.repositoryId));
    for (const pack of state.packs) if (!(await hasPack(objects, pack))) await this.#download(tenant, objects, pack);
    await removeMerged(join(objects, "pack"), state.packs);
    return objects;
  }

  /** Makes the state's view, with all its objects. */
  view(tenant: Tenant, state: ExistingState): Promise<string> {
    const view = this.#view(tenant, state.repositoryId, state.version);
    const running = this.#running.get(view);
    if (running) return running;
    const newView = this.#makeView(tenant, state, view).finally(() => this.#running.delete(view));
    this.#running.set(view, newView);
    return newView;
  }

  /** Takes a pack whose push was acknowledged, so that it need not be downloaded. */
  async adopt(tenant: Tenant, repositoryId: string, { file, checksum }: ReceivedPack): Promise<void> {
    const packs = join(this.#folder(tenant, repositoryId), "objects", "pack");
    await mkdir(packs, { recursive: true, mode: 0o700 });
    await movePack(file, packs, checksum);
  }

  async #makeView(tenant: Tenant, state: ExistingState, view: string): Promise<string> {
    const objects = await this.objects(tenant, state);
    const unfinishedFolder = await mkdtemp(join(objects, "..", "unfinished-"));
    try {
      await writeBareFolder(unfinishedFolder, { objects, head: state.head ?? "main", refs: state.refs });
      await rename(unfinishedFolder, view);
    } catch (error) {
      await rm(unfinishedFolder, { recursive: true, force: true });
      // Another process may have made the same view.
      if (!(await touch(view))) throw error;
    }
    return view;
  }

  async #download(tenant: Tenant, objects: string, { packId, checksum, bytes }: StoredPack): Promise<void> {
    const folder = await mkdtemp(join(objects, "..", "unfinished-"));
    try {
      const file = join(folder, `pack-${checksum}.pack`);
      await downloadPack(this.#reader, tenant, { packId, bytes, file });
      const options = { cwd: folder, unpacks: true, timeoutMs: indexTimeoutMs };
      const writtenChecksum = String(await git(["index-pack", "--threads=1", file], options)).trim();
      if (writtenChecksum !== checksum)
        throw new Error(`The stored pack ${packId} has the checksum ${writtenChecksum}`);
      await movePack(file, join(objects, "pack"), checksum);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #folder(tenant: Tenant, repositoryId: string): string {
    return join(this.root, tenant.tenantId, repositoryId);
  }

  #view(tenant: Tenant, repositoryId: string, version: number): string {
    return join(this.#folder(tenant, repositoryId), `view-${version}.git`);
  }
}

/** An index without its pack, or a pack with another size, is what a power failure has left. */
async function hasPack(objects: string, { checksum, bytes }: StoredPack): Promise<boolean> {
  const file = join(objects, "pack", `pack-${checksum}`);
  const [pack, index] = await Promise.all([sizeOf(`${file}.pack`), sizeOf(`${file}.idx`)]);
  return pack === bytes && (index ?? 0) > 0;
}

/**
 * Removes packs that were merged into others, once there are many. A reader that looks for such a pack finds its
 * objects in the merged pack.
 */
async function removeMerged(folder: string, packs: readonly StoredPack[]): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= maxFiles) return;
  const keptNames = new Set(packs.map(({ checksum }) => `pack-${checksum}`));
  for (const name of names) {
    const file = join(folder, name);
    if (!keptNames.has(name.replace(/\.\w+$/, "")) && (await isOlder(file))) await rm(file, { force: true });
  }
}

/** A newer pack may be one that another process has just pushed. */
async function isOlder(file: string): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > mergedKeptMs;
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Sets a folder's time to now. False when it does not exist. */
async function touch(folder: string): Promise<boolean> {
  try {
    await utimes(folder, new Date(), new Date());
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}
