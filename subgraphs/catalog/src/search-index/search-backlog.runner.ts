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
  readonly patienceMs?: number;
}

const usualBatchSize = 100;
const usualPatienceMs = 30_000;

/**
 * Enters the libraries that were registered before search knew of libraries, beside everything else that goes on. One
 * transaction each, so nothing waits long and it can end at any moment; what is left stands in `search_backlog`.
 */
export class SearchBacklogRunner {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #workerUrl: string;
  readonly #batchSize: number;
  readonly #patienceMs: number;
  readonly #stopping = new AbortController();
  #running: Promise<number> = Promise.resolve(0);

  constructor({ database, workerUrl, logger, batchSize, patienceMs }: BacklogOptions) {
    this.#database = database;
    this.#workerUrl = workerUrl;
    this.#logger = logger;
    this.#batchSize = batchSize ?? usualBatchSize;
    this.#patienceMs = patienceMs ?? usualPatienceMs;
  }

  /** Goes on until no tenant is left; resolves with the number of libraries entered. */
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
    let entered = 0;
    while (!signal.aborted) {
      try {
        const tenants = await this.#tenants();
        if (tenants.length === 0) return entered;
        for (const tenant of tenants) entered += await this.#enterAll(tenant);
        if ((await this.#tenants()).length === 0) break;
      } catch (error) {
        this.#logger.warn({ err: error }, "libraries not entered into the search, tried again");
      }
      await pause(this.#patienceMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.#logger.info({ entered }, "libraries entered into the search");
    return entered;
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

  async #enterAll(tenant: Tenant): Promise<number> {
    let entered = 0;
    let after: string | undefined;
    while (!this.#stopping.signal.aborted) {
      const missing = await this.#missing(tenant, after);
      if (missing.length === 0) break;
      for (const libraryId of missing) {
        if (this.#stopping.signal.aborted) return entered;
        try {
          if (await this.#transaction(tenant, (transaction) => enter(transaction, libraryId))) entered += 1;
        } catch (error) {
          this.#logger.warn(
            { err: error, tenantId: tenant.tenantId, libraryId },
            "library not entered into the search",
          );
        }
      }
      after = missing.at(-1);
    }
    await this.#transaction(tenant, ({ execute }) => execute(forgetFinishedTenant, [tenant.uuid]));
    return entered;
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

/** False: somebody else has entered it meanwhile. */
async function enter(transaction: Transaction, libraryId: string): Promise<boolean> {
  const { execute, tenant } = transaction;
  // who writes versions of the library waits here for its entry, or is waited for
  const [library] = await execute<LockedLibraryRow>(lockLibrary, [tenant.uuid, libraryId]);
  const known = await execute(entryOfLibrary, [tenant.uuid, libraryId]);
  if (!library || known.length > 0) return false;
  const { package_name: name, ...entry } = library;
  await indexEntry(transaction, { ...entry, entryId: libraryId, source: "Library", name });
  return true;
}
