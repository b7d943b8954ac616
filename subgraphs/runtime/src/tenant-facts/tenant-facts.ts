import { LRUCache } from "lru-cache";
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

interface Held {
  readonly copy: TenantCopy;
  readonly bytes: number;
  readonly readAt: number;
}

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
  readonly #held = new LRUCache<string, Held>({
    max: maxTenants,
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
  });
  readonly #reading = new Map<string, Promise<TenantCopy | undefined>>();
  #oldBefore = Number.NEGATIVE_INFINITY;

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
    const heldCopy = this.#held.get(tenantId);
    const copy = heldCopy && this.#isFresh(heldCopy) ? heldCopy.copy : await this.#readAgain(tenantId, heldCopy);
    if (copy) await this.#editions.require(copy.editionCode);
    return this.#facts(copy);
  }

  /** The facts in memory, for callers that cannot wait. A missing or old copy is read for later calls. */
  peek(tenantId: string): FactsOfTenant | undefined {
    const heldCopy = this.#held.get(tenantId);
    if ((!heldCopy || !this.#isFresh(heldCopy)) && !this.#reading.has(tenantId))
      void this.of(tenantId).catch((error: unknown) =>
        this.#logger.debug({ err: error, tenantId }, "the facts of a tenant could not be read"),
      );
    return heldCopy && this.#facts(heldCopy.copy);
  }

  /** Reads the tenants again that are in memory with an older version. */
  async refresh(changedTenants: readonly ChangedTenant[]): Promise<void> {
    for (const { tenantId, version } of changedTenants) {
      // A read that is under way may have seen the row before the change.
      this.#reading.delete(tenantId);
      const heldCopy = this.#held.peek(tenantId);
      if (heldCopy && heldCopy.copy.version < version) await this.#read(tenantId);
    }
  }

  /** Every copy in memory may be outdated, and is read again at its next use. */
  distrust(): void {
    this.#oldBefore = performance.now();
    this.#reading.clear();
  }

  #isFresh({ readAt }: Held): boolean {
    return readAt > this.#oldBefore && performance.now() - readAt < freshMs;
  }

  #facts(copy: TenantCopy | undefined): FactsOfTenant {
    return new FactsOfTenant(copy, copy && this.#editions.find(copy.editionCode));
  }

  async #readAgain(tenantId: string, heldCopy: Held | undefined): Promise<TenantCopy | undefined> {
    try {
      return await this.#read(tenantId);
    } catch (error) {
      if (!heldCopy) throw error;
      this.#logger.warn({ err: error, tenantId }, "the facts of a tenant could not be read again; older ones are used");
      return heldCopy.copy;
    }
  }

  /** Reads the row, or asks the spine for a tenant without a row. Requests at the same time share one read. */
  #read(tenantId: string): Promise<TenantCopy | undefined> {
    const running = this.#reading.get(tenantId);
    if (running) return running;
    const reading: Promise<TenantCopy | undefined> = this.#stored(tenantId)
      .then((copy) => {
        if (copy && this.#reading.get(tenantId) === reading) this.#hold(copy);
        return copy;
      })
      .finally(() => {
        if (this.#reading.get(tenantId) === reading) this.#reading.delete(tenantId);
      });
    this.#reading.set(tenantId, reading);
    return reading;
  }

  async #stored(tenantId: string): Promise<TenantCopy | undefined> {
    const storedCopy = await this.#store.tenant(tenantId);
    if (storedCopy || !this.#source) return storedCopy;
    const copies = await this.#source.tenants([tenantId]);
    await this.#store.storeTenants(copies);
    return copies[0];
  }

  #hold(copy: TenantCopy): void {
    const heldCopy = this.#held.get(copy.tenantId);
    if (heldCopy && heldCopy.copy.version > copy.version) return;
    this.#held.set(copy.tenantId, { copy, bytes: 500 + JSON.stringify(copy).length, readAt: performance.now() });
  }
}
