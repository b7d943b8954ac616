import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { longWork } from "@factory/runtime/threads/long-work";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { writeDocuments } from "./catalog-index-statement.js";
import { indexedDocuments } from "./indexed-documents.js";
import { hasStaleDocuments, type StaleDocument, staleDocuments } from "./stale-documents-statement.js";

/** Documents that are read for one step. */
const maxDocuments = 50;
/** About the most rows that one step writes and removes. A step has at least one document, which may need more. */
const maxRows = 10_000;
/** How long a search waits until its tenant's texts are in the index. */
const defaultPatienceMs = 2_000;
const limitStatements = "select set_config('statement_timeout', '5s', true)";

interface CatalogIndexOptions {
  readonly database: Pick<Database, "reader" | "transaction">;
  readonly logger: Logger;
  readonly patienceMs?: number;
}

/**
 * The search index for templates and libraries. Their writers only mark a row as stale; the next search of the tenant
 * brings the index up to date before it reads, so that it finds all that was written before. It does so in small steps,
 * and takes at least one.
 */
export class CatalogIndex {
  readonly #database: CatalogIndexOptions["database"];
  readonly #logger: Logger;
  readonly #patienceMs: number;
  /** Each tenant's work. Its other searches wait for it. */
  readonly #work = new Map<string, Promise<void>>();
  /** A tenant's documents whose step has failed. Each gets its own step, after all other documents. */
  readonly #failed = new Map<string, Set<string>>();

  constructor({ database, logger, patienceMs = defaultPatienceMs }: CatalogIndexOptions) {
    this.#database = database;
    this.#logger = logger;
    this.#patienceMs = patienceMs;
  }

  /** Returns whether the index has all the tenant's texts. A failure leaves it as it is, since a search can go on. */
  async refresh(tenant: Tenant): Promise<boolean> {
    const end = Date.now() + this.#patienceMs;
    const { reader } = this.#database;
    try {
      for (;;) {
        if (!(await hasStaleDocuments(reader, tenant))) return true;
        const others = this.#work.get(tenant.tenantId);
        if (others === undefined) {
          await this.#begin(tenant, end);
          return !(await hasStaleDocuments(reader, tenant));
        }
        await others;
        if (Date.now() >= end) return !(await hasStaleDocuments(reader, tenant));
      }
    } catch (error) {
      this.#warn(error, tenant);
      return false;
    }
  }

  async #begin(tenant: Tenant, end: number): Promise<void> {
    const work = this.#bringUpToDate(tenant, end).finally(() => this.#work.delete(tenant.tenantId));
    this.#work.set(
      tenant.tenantId,
      work.catch(() => undefined),
    );
    await work;
  }

  async #bringUpToDate(tenant: Tenant, end: number): Promise<void> {
    // documents that another transaction has locked, that have changed meanwhile, or that have failed alone
    const skippedIds = new Set<string>();
    for (;;) {
      const documents = await this.#next(tenant, skippedIds);
      if (documents.length === 0) return;
      await this.#index(tenant, documents, skippedIds);
      if (Date.now() >= end) return;
    }
  }

  async #next(tenant: Tenant, skippedIds: ReadonlySet<string>): Promise<StaleDocument[]> {
    const { reader } = this.#database;
    const failures = this.#failed.get(tenant.tenantId) ?? [];
    const others = await staleDocuments(reader, tenant, { limit: maxDocuments, ids: [...skippedIds, ...failures] });
    if (others.length > 0) return others;
    for (const id of failures) {
      if (skippedIds.has(id)) continue;
      const again = await staleDocuments(reader, tenant, { limit: 1, ids: [id], only: true });
      if (again.length > 0) return again;
      this.#forget(tenant, id);
    }
    return [];
  }

  async #index(tenant: Tenant, documents: readonly StaleDocument[], skippedIds: Set<string>): Promise<void> {
    let ids = documents.map(({ document_id }) => document_id);
    try {
      const entries = await longWork.run(tenant.tenantId, indexedDocuments(documents, maxRows));
      ids = entries.map(({ document }) => document.document_id);
      const writtenIds = await this.#database.transaction(
        tenant,
        { trace: continueTrace(undefined) },
        async (transaction) => {
          await transaction.defer(limitStatements);
          return writeDocuments(transaction, entries);
        },
      );
      for (const id of ids)
        if (writtenIds.has(id)) this.#forget(tenant, id);
        else skippedIds.add(id);
    } catch (error) {
      // too much other work for the tenant waits
      if (error instanceof DomainError) throw error;
      this.#warn(error, tenant);
      for (const id of ids) this.#putLast(tenant, id);
      if (ids.length === 1) for (const id of ids) skippedIds.add(id);
    }
  }

  #putLast({ tenantId }: Tenant, id: string): void {
    const failures = this.#failed.get(tenantId) ?? new Set();
    failures.delete(id);
    this.#failed.set(tenantId, failures.add(id));
  }

  #forget({ tenantId }: Tenant, id: string): void {
    const failures = this.#failed.get(tenantId);
    failures?.delete(id);
    if (failures?.size === 0) this.#failed.delete(tenantId);
  }

  #warn(error: unknown, { tenantId }: Tenant): void {
    this.#logger.warn({ err: error, tenantId }, "the search index of the catalog was not brought up to date");
  }
}
