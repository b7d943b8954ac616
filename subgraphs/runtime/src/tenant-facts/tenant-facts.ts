import { FollowedCache } from "../caches/followed-cache.js";
import type { Logger } from "../telemetry/logger.js";
import type { EditionFacts } from "./edition-facts.js";
import { FactsOfTenant } from "./facts-of-tenant.js";
import type { ProjectionStore } from "./projection-store.js";
import type { SnapshotSource } from "./snapshot-source.js";
import type { TenantCopy } from "./tenant-copy.js";

const maxTenants = 10_000;
const maxBytes = 32 * 1024 * 1024;
/** A notice can be lost, so copies in memory are read again after this time. */
const freshMs = 30_000;

/** A tenant whose stored version may be higher than the one in memory. */
interface ChangedTenant {
  readonly tenantId: string;
  readonly version: number;
}

/**
 * Tenants' settings, limits and features, from memory. A change in the spine arrives within a second by the bus, and at
 * the latest after a minute. Tenants that were not used for long are read from their row again.
 */
export class TenantFacts {
  readonly #store: ProjectionStore;
  readonly #editions: EditionFacts;
  readonly #source: SnapshotSource | undefined;
  readonly #logger: Logger;
  readonly #copies = new FollowedCache<TenantCopy | undefined>({
    freshMs,
    keepsOld: true,
    maxEntries: maxTenants,
    maxBytes,
    bytesOf: (copy) => 500 + JSON.stringify(copy).length,
    keeps: (copy, former) => copy !== undefined && !(former && former.version > copy.version),
  });

  /** Without a source, tenants without a stored row have the defaults. */
  constructor(options: {
    store: ProjectionStore;
    editions: EditionFacts;
    source: SnapshotSource | undefined;
    logger: Logger;
  }) {
    this.#store = options.store;
    this.#editions = options.editions;
    this.#source = options.source;
    this.#logger = options.logger;
  }

  /** Throws UNAVAILABLE when no copy is stored for the tenant and the spine does not answer. */
  async of(tenantId: string): Promise<FactsOfTenant> {
    const copy = this.#copies.fresh(tenantId) ?? (await this.#readAgain(tenantId));
    if (copy) await this.#editions.require(copy.editionCode);
    return this.#facts(copy);
  }

  /** The facts in memory, for callers that cannot wait. A missing or old copy is read for later calls. */
  peek(tenantId: string): FactsOfTenant | undefined {
    const freshCopy = this.#copies.fresh(tenantId);
    if (freshCopy) return this.#facts(freshCopy);
    if (!this.#copies.find(tenantId))
      void this.of(tenantId).catch((error: unknown) =>
        this.#logger.debug({ err: error, tenantId }, "the facts of a tenant could not be read"),
      );
    const olderCopy = this.#copies.lastKnown(tenantId);
    return olderCopy && this.#facts(olderCopy);
  }

  /** Reads the tenants again that are in memory with an older version. */
  async refresh(changedTenants: readonly ChangedTenant[]): Promise<void> {
    for (const { tenantId, version } of changedTenants) {
      // A read that is under way may have seen the row before the change.
      this.#copies.dropReads(tenantId);
      const storedCopy = this.#copies.lastKnown(tenantId);
      if (storedCopy && storedCopy.version < version) await this.#read(tenantId);
    }
  }

  /** Every copy in memory may be outdated, and is read again at its next use. */
  distrust(): void {
    this.#copies.outdate();
  }

  #facts(copy: TenantCopy | undefined): FactsOfTenant {
    return new FactsOfTenant(copy, copy && this.#editions.find(copy.editionCode));
  }

  async #readAgain(tenantId: string): Promise<TenantCopy | undefined> {
    const olderCopy = this.#copies.lastKnown(tenantId);
    try {
      return await (this.#copies.find(tenantId) ?? this.#read(tenantId));
    } catch (error) {
      if (!olderCopy) throw error;
      this.#logger.warn({ err: error, tenantId }, "the facts of a tenant could not be read again; older ones are used");
      return olderCopy;
    }
  }

  #read(tenantId: string): Promise<TenantCopy | undefined> {
    return this.#copies.keep(tenantId, this.#stored(tenantId));
  }

  /** Reads the row, or asks the spine for a tenant without a row. */
  async #stored(tenantId: string): Promise<TenantCopy | undefined> {
    const storedCopy = await this.#store.tenant(tenantId);
    if (storedCopy || !this.#source) return storedCopy;
    const copies = await this.#source.tenants([tenantId]);
    await this.#store.storeTenants(copies);
    return copies[0];
  }
}
