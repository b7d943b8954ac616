import { setTimeout as pause } from "node:timers/promises";
import { openPool } from "@factory/runtime/connections/pool";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import {
  entryOfLibrary,
  forgetFinishedTenant,
  type LockedLibraryRow,
  librariesWithoutEntry,
  lockLibrary,
  waitingTenants,
} from "./search-backlog-statement.js";
import { indexEntry } from "./search-index-statement.js";

interface BacklogOptions {
  readonly database: Database;
  readonly workerUrl: string;
  readonly logger: Logger;
  readonly batchSize?: number;
  readonly retryMs?: number;
}

const defaultBatchSize = 100;
const defaultRetryMs = 30_000;

/**
 * Indexes libraries that were registered before the search index existed, while the platform runs. Each library takes one
 * transaction, so that others wait shortly and the runner can stop at any moment; `search_backlog` has what is left.
 */
export class SearchBacklogRunner {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #workerUrl: string;
  readonly #batchSize: number;
  readonly #retryMs: number;
  readonly #stopping = new AbortController();
  #running: Promise<number> = Promise.resolve(0);

  constructor({ database, workerUrl, logger, batchSize, retryMs }: BacklogOptions) {
    this.#database = database;
    this.#workerUrl = workerUrl;
    this.#logger = logger;
    this.#batchSize = batchSize ?? defaultBatchSize;
    this.#retryMs = retryMs ?? defaultRetryMs;
  }

  /** Runs until no tenant is left; resolves with the number of indexed libraries. */
  start(): Promise<number> {
    this.#running = this.#run();
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<number> {
    const { signal } = this.#stopping;
    let indexedCount = 0;
    while (!signal.aborted) {
      try {
        const tenants = await this.#tenants();
        if (tenants.length === 0) return indexedCount;
        for (const tenant of tenants) indexedCount += await this.#indexTenant(tenant);
        if ((await this.#tenants()).length === 0) break;
      } catch (error) {
        this.#logger.warn({ err: error }, "libraries could not be added to the search index and are tried again");
      }
      await pause(this.#retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.#logger.info({ indexed: indexedCount }, "libraries were added to the search index");
    return indexedCount;
  }

  async #tenants(): Promise<Tenant[]> {
    const pool = openPool(this.#workerUrl, 1, this.#logger);
    try {
      const { rows } = await pool.query<{ tenant_id: string }>(waitingTenants);
      return rows.map(({ tenant_id }) => tenantWithId(encodeId("ten", tenant_id)));
    } finally {
      await pool.end();
    }
  }

  async #indexTenant(tenant: Tenant): Promise<number> {
    let indexedCount = 0;
    let after: string | undefined;
    while (!this.#stopping.signal.aborted) {
      const missing = await this.#missing(tenant, after);
      if (missing.length === 0) break;
      for (const libraryId of missing) {
        if (this.#stopping.signal.aborted) return indexedCount;
        try {
          if (await this.#transaction(tenant, (transaction) => indexLibrary(transaction, libraryId))) indexedCount += 1;
        } catch (error) {
          this.#logger.warn(
            { err: error, tenantId: tenant.tenantId, libraryId },
            "a library could not be added to the search index",
          );
        }
      }
      after = missing.at(-1);
    }
    await this.#transaction(tenant, ({ execute }) => execute(forgetFinishedTenant, [tenant.uuid]));
    return indexedCount;
  }

  async #missing(tenant: Tenant, after: string | undefined): Promise<string[]> {
    const rows = await this.#transaction(tenant, ({ execute }) =>
      execute<{ library_id: string }>(librariesWithoutEntry, [tenant.uuid, after ?? null, this.#batchSize]),
    );
    return rows.map(({ library_id }) => library_id);
  }

  #transaction<T>(tenant: Tenant, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#database.transaction(tenant, { trace: continueTrace(undefined) }, work);
  }
}

/** Adds a library to the index; false where another transaction has added it before. */
async function indexLibrary(transaction: Transaction, libraryId: string): Promise<boolean> {
  const { execute, tenant } = transaction;
  // transactions that write library versions take the same lock, so they run before or after this one
  const [library] = await execute<LockedLibraryRow>(lockLibrary, [tenant.uuid, libraryId]);
  const existingEntries = await execute(entryOfLibrary, [tenant.uuid, libraryId]);
  if (!library || existingEntries.length > 0) return false;
  const { package_name: name, ...entry } = library;
  await indexEntry(transaction, { ...entry, entryId: libraryId, source: "Library", name });
  return true;
}
