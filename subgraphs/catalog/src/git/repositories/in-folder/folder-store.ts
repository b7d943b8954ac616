import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { folderWatch } from "@factory/runtime/files/folder-watch";
import type { PlatformFolder } from "@factory/runtime/files/platform-folder";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { git } from "../../git/git.js";
import { movePack, PushStaging, type StagedContent } from "../bare/push-staging.js";
import { type RepositoryLimits, remainingBytes, requireRoom } from "../port/repository-limits.js";
import {
  type BranchMove,
  isRepositoryPlace,
  type OpenRepository,
  type RepositoryPlace,
  type RepositoryStore,
  requireRepositoryPlace,
} from "../port/repository-store.js";
import {
  countObjects,
  createRepository,
  isRepository,
  moveBareRef,
  readRefs,
  removeStaleLocks,
} from "./bare-repository.js";
import { takeRepositoryLock } from "./folder-lock.js";
import { selectBytes } from "./folder-statement.js";
import { pushesFolder } from "./folder-tidying.js";

interface FolderStoreParts {
  readonly database: Database;
  /** The folder, which all platform processes have in common. */
  readonly folder: string;
  readonly limits: RepositoryLimits;
  readonly logger: Logger;
}

/** Git begins to merge packs at this number. */
const packsBeforeMerge = 50;

/** One bare repository for each tenant, owner and name, in a folder for all processes. */
export class FolderStore implements RepositoryStore {
  readonly disk: PlatformFolder;
  readonly #root: string;
  readonly #parts: FolderStoreParts;

  constructor(parts: FolderStoreParts) {
    this.#root = resolve(parts.folder);
    this.disk = folderWatch.folder("REPOSITORIES_DIR", this.#root);
    this.#parts = parts;
  }

  get roots(): readonly string[] {
    return [this.#root];
  }

  async find(place: RepositoryPlace): Promise<string | undefined> {
    if (!isRepositoryPlace(place)) return undefined;
    const folder = this.#folder(place);
    return (await isRepository(folder)) ? folder : undefined;
  }

  async open(place: RepositoryPlace, branch: string): Promise<OpenRepository> {
    requireRepositoryPlace(place);
    const pushes = join(this.#root, pushesFolder);
    await mkdir(pushes, { recursive: true, mode: 0o700 });
    const staging = await PushStaging.open(pushes, await this.#content(place, branch));
    return {
      url: pathToFileURL(staging.folder).href,
      policy: { allowFile: true, fileRoots: [this.#root], allowLoopback: false, allowHosts: [] },
      publish: (move) => this.#publish(place, staging, { move, branch }),
      refresh: async () => staging.reset(await this.#content(place, branch)),
      close: () => staging.remove(),
    };
  }

  async #content(place: RepositoryPlace, branch: string): Promise<StagedContent> {
    const { reader } = this.#parts.database;
    const tenant = tenantWithId(place.tenantId);
    const rows = await reader.rows<{ bytes: string; tenant_bytes: string }>(
      selectBytes,
      tenant,
      place.owner,
      place.name,
    );
    const storedBytes = { bytes: Number(rows[0]?.bytes), tenantBytes: Number(rows[0]?.tenant_bytes) };
    const maxBytes = remainingBytes(this.#parts.limits, storedBytes);
    const folder = this.#folder(place);
    if (!(await isRepository(folder))) return { objects: undefined, head: branch, refs: [], maxBytes };
    const { head, refs } = await readRefs(folder);
    const isBorn = refs.some(({ name }) => name === `refs/heads/${head}`);
    return { objects: join(folder, "objects"), head: isBorn ? head : branch, refs, maxBytes };
  }

  async #publish(
    place: RepositoryPlace,
    staging: PushStaging,
    { move, branch }: { move: BranchMove; branch: string },
  ): Promise<boolean> {
    const folder = this.#folder(place);
    const lock = await takeRepositoryLock(this.#parts.database, place, branch);
    let { bytes } = lock.stored;
    try {
      const receivedPacks = await staging.packs();
      const pushedBytes = receivedPacks.reduce((sum, pack) => sum + pack.bytes, 0);
      requireRoom(this.#parts.limits, lock.stored, pushedBytes);
      if (!(await isRepository(folder))) await createRepository(this.#root, folder);
      await removeStaleLocks(folder, move.ref);
      const { head, refs } = await readRefs(folder);
      // While the lock is held, only a process that lost its lease can move the branch.
      if ((refs.find(({ name }) => name === move.ref)?.objectId ?? null) !== move.expected) return false;
      failpoint("repository.received");
      for (const { file, checksum } of receivedPacks) await movePack(file, join(folder, "objects", "pack"), checksum);
      if (!(await moveBareRef(folder, move))) return false;
      failpoint("repository.committed");
      if (!refs.some(({ name }) => name === `refs/heads/${head}`))
        await git(["symbolic-ref", "HEAD", `refs/heads/${branch}`], { cwd: folder });
      const counts = await countObjects(folder);
      bytes = counts.bytes;
      if (counts.packs > packsBeforeMerge) await this.#mergePacks(folder);
      return true;
    } finally {
      await lock.release(bytes);
    }
  }

  /** Git continues in the background, beside pushes. */
  async #mergePacks(folder: string): Promise<void> {
    await git(["gc", "--auto", "--quiet"], { cwd: folder }).catch((error: unknown) =>
      this.#parts.logger.warn({ err: error }, "git could not merge the packs of a repository"),
    );
  }

  #folder({ tenantId, owner, name }: RepositoryPlace): string {
    return join(this.#root, tenantId, owner, `${name}.git`);
  }
}
