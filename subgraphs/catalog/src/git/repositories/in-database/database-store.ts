import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { folderWatch } from "@factory/runtime/files/folder-watch";
import type { PlatformFolder } from "@factory/runtime/files/platform-folder";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { PushStaging, type ReceivedPack, type StagedContent } from "../bare/push-staging.js";
import { type RepositoryLimits, remainingBytes } from "../port/repository-limits.js";
import {
  isRepositoryPlace,
  type OpenRepository,
  type RepositoryPlace,
  type RepositoryStore,
  requireRepositoryPlace,
} from "../port/repository-store.js";
import { insertRepository } from "../rows/insert-repository.js";
import { type ExistingState, PackCache } from "./pack-cache.js";
import { PackGone, preparePack } from "./pack-chunks.js";
import { commitPush, type PushForRows } from "./push-commit.js";
import { type RepositoryState, readRepositoryState } from "./repository-state.js";
import { selectRepositoryId, selectVersion } from "./repository-statement.js";

interface DatabaseStoreParts {
  readonly database: Database;
  /** The cache's folder. */
  readonly cacheFolder: string;
  readonly limits: RepositoryLimits;
  readonly logger: Logger;
}

/** Packs that git has received, and the branches that move with them. */
interface ReceivedPush extends Omit<PushForRows, "repositoryId" | "packs"> {
  readonly received: readonly ReceivedPack[];
}

interface VersionRow {
  repository_id: string;
  version: number;
}

/** Repositories whose packs and refs are rows. Folders are caches, so losing a machine loses no acknowledged push. */
export class DatabaseStore implements RepositoryStore {
  readonly cache: PackCache;
  readonly disk: PlatformFolder;
  readonly #parts: DatabaseStoreParts;

  constructor(parts: DatabaseStoreParts) {
    this.#parts = parts;
    this.cache = new PackCache(parts.cacheFolder, parts.database.reader);
    this.disk = folderWatch.folder("DATA_DIR", dirname(parts.cacheFolder));
  }

  get roots(): readonly string[] {
    return [this.cache.root];
  }

  async find(place: RepositoryPlace): Promise<string | undefined> {
    if (!isRepositoryPlace(place)) return undefined;
    const tenant = tenantWithId(place.tenantId);
    const { reader } = this.#parts.database;
    const { owner, name } = place;
    const row = await reader.row<VersionRow>(selectVersion, tenant, owner, name);
    if (!row) return undefined;
    const view = await this.cache.find(tenant, row.repository_id, row.version);
    return view ?? this.#upToDate(place, (state) => this.cache.view(tenant, state));
  }

  async open(place: RepositoryPlace, branch: string): Promise<OpenRepository> {
    requireRepositoryPlace(place);
    const { limits } = this.#parts;
    const tenant = tenantWithId(place.tenantId);
    const content = () => this.#content(tenant, place, branch);
    const staging = await PushStaging.open(await this.cache.pushes(), await content());
    return {
      url: pathToFileURL(staging.folder).href,
      policy: { allowFile: true, fileRoots: [this.cache.root], allowLoopback: false, allowHosts: [] },
      refresh: async () => staging.reset(await content()),
      close: () => staging.remove(),
      publish: async (move) =>
        this.publish(tenant, place, { moves: [move], branch, received: await staging.packs(), limits }),
    };
  }

  /** A repository's newest state, also where the repository does not exist. */
  state(place: RepositoryPlace): Promise<RepositoryState> {
    return readRepositoryState(this.#parts.database.reader, tenantWithId(place.tenantId), place);
  }

  /** As `OpenRepository.publish`, for received packs and several branches at once. */
  async publish(tenant: Tenant, place: RepositoryPlace, { received, ...push }: ReceivedPush): Promise<boolean> {
    const { database, logger } = this.#parts;
    const repositoryId = await this.#repositoryId(tenant, place, push.branch);
    const packs = [];
    for (const pack of received) packs.push(await preparePack(database, tenant, { repositoryId, pack }));
    failpoint("repository.received");
    if (!(await commitPush(database, tenant, { ...push, repositoryId, packs }))) return false;
    failpoint("repository.committed");
    for (const pack of received)
      await this.cache
        .adopt(tenant, repositoryId, pack)
        .catch((error: unknown) => logger.debug({ err: error }, "the cache did not take over a pack"));
    return true;
  }

  /** A staging folder's content: the newest state's refs, over the cache's objects. */
  async #content(tenant: Tenant, place: RepositoryPlace, branch: string): Promise<StagedContent> {
    const content = (state: RepositoryState, objects: string | undefined) => ({
      objects,
      head: state.refs.some(({ name }) => name === `refs/heads/${state.head}`) ? (state.head ?? branch) : branch,
      refs: state.refs,
      maxBytes: remainingBytes(this.#parts.limits, state),
    });
    return this.#upToDate(
      place,
      async (state) => content(state, await this.cache.objects(tenant, state)),
      (state) => content(state, undefined),
    );
  }

  /** Runs `work` with the newest state, again when packs in the state were merged and have expired meanwhile. */
  async #upToDate<T>(
    place: RepositoryPlace,
    work: (state: ExistingState) => Promise<T>,
    otherwise?: (state: RepositoryState) => T,
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const state = await this.state(place);
      const { repositoryId } = state;
      try {
        if (repositoryId !== undefined) return await work({ ...state, repositoryId });
      } catch (error) {
        if (!(error instanceof PackGone) || tries === 3) throw error;
        continue;
      }
      if (!otherwise) throw new Error("A repository has vanished");
      return otherwise(state);
    }
  }

  async #repositoryId(tenant: Tenant, { owner, name }: RepositoryPlace, branch: string): Promise<string> {
    const { database } = this.#parts;
    const cause = { trace: continueTrace(undefined) };
    const rows = await database.transaction(tenant, cause, async ({ execute }) => {
      const look = () => execute<{ repository_id: string }>(selectRepositoryId, [tenant.uuid, owner, name]);
      const foundRows = await look();
      if (foundRows.length > 0) return foundRows;
      await execute(insertRepository, [tenant.uuid, decodeId("rep", newId("rep")), owner, name, branch]);
      return look();
    });
    return rows[0]?.repository_id ?? "";
  }
}
