import { join } from "node:path";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { git } from "../../git/git.js";
import { mergesChosenPacks } from "../../git/git-version.js";
import { PushStaging, type ReceivedPack } from "../bare/push-staging.js";
import { waitsForMerge } from "../rows/repository.entity.js";
import type { PackCache } from "./pack-cache.js";
import { keepPreparedPack, preparePack } from "./pack-chunks.js";
import { readRepositoryState, type StoredPack } from "./repository-state.js";
import { countMergedPacks, expirePacks, lockRepository, selectPlace } from "./repository-statement.js";

/** The payload for the job that merges a repository's packs. */
interface MergePayload {
  tenantId: string;
  repositoryId: string;
}

export const mergePacksJob: JobDefinition<MergePayload> = {
  queue: "merge-repository-packs",
  retryLimit: 3,
  retryDelaySeconds: 30,
  retryBackoff: true,
  expireInSeconds: 900,
  concurrency: 1,
  concurrencyPerTenant: 1,
  fair: true,
  subject: "repositoryId",
};

/** The repositories with many packs. */
export const unmergedRepositories: WaitingRows<MergePayload> = {
  slice: "repositories",
  job: mergePacksJob,
  table: "repositories",
  id: "repository_id",
  prefix: "rep",
  waiting: waitsForMerge,
  since: "crowded_at",
  payload: ({ tenantId, id }) => ({ tenantId, repositoryId: id }),
};

const mergeTimeoutMs = 600_000;

/** Merges a repository's small packs into one, beside pushes and readers. */
export class PackMerging {
  readonly #database: Database;
  readonly #cache: PackCache;

  constructor(database: Database, cache: PackCache) {
    this.#database = database;
    this.#cache = cache;
  }

  /** Does nothing for a repository with few packs. A run that dies leaves the repository as it was. */
  async merge({ tenantId, repositoryId: wireId }: MergePayload, signal: AbortSignal): Promise<void> {
    // Git before 2.32 cannot merge chosen packs. The packs stay, which costs readers time.
    if (!(await mergesChosenPacks())) return;
    const tenant = tenantWithId(tenantId);
    const repositoryId = decodeId("rep", wireId) ?? "";
    const { reader } = this.#database;
    const place = await reader.row<{ owner: string; name: string }>(selectPlace, tenant, repositoryId);
    if (!place) return;
    const state = await readRepositoryState(reader, tenant, place);
    const packs = smallPacks(state.packs);
    if (packs.length < 2) return;
    const objects = await this.#cache.objects(tenant, { ...state, repositoryId });
    const content = { objects, head: "main", refs: [], maxBytes: 1 };
    const staging = await PushStaging.open(await this.#cache.pushes(), content);
    try {
      const mergedPack = await this.#write(staging, packs, signal);
      await this.#replace(tenant, repositoryId, { packs, merged: mergedPack });
      await this.#cache.adopt(tenant, repositoryId, mergedPack);
    } finally {
      await staging.remove();
    }
  }

  async #write(staging: PushStaging, packs: readonly StoredPack[], signal: AbortSignal): Promise<ReceivedPack> {
    const names = packs.map(({ checksum }) => `pack-${checksum}.pack\n`).join("");
    const prefix = join(staging.folder, "objects", "pack", "pack");
    await git(["pack-objects", "--stdin-packs", "--quiet", "--threads=1", "--window-memory=64m", prefix], {
      ...{ cwd: staging.folder, input: names, unpacks: true, timeoutMs: mergeTimeoutMs, signal },
    });
    const [mergedPack] = await staging.packs();
    if (!mergedPack) throw new Error("Git merged no pack");
    return mergedPack;
  }

  /** Does nothing when another process has merged a pack meanwhile. */
  async #replace(
    tenant: Tenant,
    repositoryId: string,
    { packs, merged }: { packs: readonly StoredPack[]; merged: ReceivedPack },
  ): Promise<void> {
    const preparedPack = await preparePack(this.#database, tenant, { repositoryId, pack: merged });
    failpoint("repository.merged");
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    await this.#database.transaction(tenant, cause, async (transaction) => {
      const { execute } = transaction;
      await execute(lockRepository, [tenant.uuid, repositoryId]);
      const ids = packs.map(({ packId }) => packId);
      const expiredPacks = await execute<{ bytes: string }>(expirePacks, [tenant.uuid, repositoryId, ids]);
      if (expiredPacks.length < packs.length) throw new Error("Another process has merged the packs meanwhile");
      await keepPreparedPack(transaction, repositoryId, preparedPack);
      const freedBytes = expiredPacks.reduce((sum, { bytes }) => sum + Number(bytes), -merged.bytes);
      await execute(countMergedPacks, [tenant.uuid, repositoryId, packs.length - 1, freedBytes]);
    });
  }
}

/**
 * The smallest packs, so that each other pack is more than twice as large as all smaller ones together. So a large pack
 * is rarely written again.
 */
export function smallPacks<Pack extends { readonly bytes: number }>(packs: readonly Pack[]): Pack[] {
  const ascending = packs.toSorted((a, b) => a.bytes - b.bytes);
  let sum = 0;
  let count = 0;
  for (const [place, { bytes }] of ascending.entries()) {
    if (place > 0 && bytes <= 2 * sum) count = place + 1;
    sum += bytes;
  }
  return ascending.slice(0, count);
}
