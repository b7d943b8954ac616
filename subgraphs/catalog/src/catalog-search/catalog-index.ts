import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { hasStaleDocuments, indexStaleDocuments } from "./catalog-index-statement.js";

/** Documents of each kind in one transaction. */
const batch = 100;
/** How long a search waits until the texts of its tenant are in the index. */
const patienceMs = 2_000;

const staleStatement = tenantStatement("catalog_search_stale", hasStaleDocuments);

/**
 * The search index of templates and libraries. Their writers only mark a row as stale; the next search of the tenant
 * brings the index up to date before it reads, so that it finds all that was written before.
 */
export class CatalogIndex {
  readonly #database: Database;
  readonly #logger: Logger;

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  /** Returns whether the index has all texts of the tenant. A failure leaves it as it is, since a search can go on. */
  async refresh(tenant: Tenant): Promise<boolean> {
    const end = Date.now() + patienceMs;
    try {
      while (await this.#isStale(tenant)) {
        const written = await this.#database.transaction(tenant, { trace: continueTrace(undefined) }, (transaction) =>
          indexStaleDocuments(transaction, batch),
        );
        // rows that another transaction has locked are written by it
        if (written === 0 || Date.now() > end) return !(await this.#isStale(tenant));
      }
      return true;
    } catch (error) {
      this.#logger.warn(
        { err: error, tenantId: tenant.tenantId },
        "the search index of the catalog was not brought up to date",
      );
      return false;
    }
  }

  async #isStale(tenant: Tenant): Promise<boolean> {
    const row = await this.#database.reader.row<{ stale: boolean }>(staleStatement, tenant);
    return row?.stale ?? false;
  }
}
