import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { type SealedTable, wrappedKeyTable } from "@factory/runtime/resealing/sealed-table";
import { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { ModelContent } from "./model-content.entity.js";

/** The request in a call as the caller sent it, and its answer; null for a call that failed. */
export interface ModelExchange {
  readonly request: unknown;
  readonly answer: unknown;
}

const label = "factory integration model contents";

/** The seal for prompts and answers. */
export const contentSeal = (masterKeys: MasterKeys): EnvelopeSeal => new EnvelopeSeal(masterKeys.keyring(label));

const boundTo = (tenantId: string, runId: string): string => `${tenantId}|${runId}`;

const insert = namedStatement(
  "model_content_insert",
  `insert into model_contents (tenant_id, run_id, key_id, wrapped_key, ciphertext, expires_at)
    values ($tenant, $run, $keyId, $wrappedKey, $ciphertext, now() + make_interval(days => $days::int))
    on conflict do nothing`,
);

const sealedMembers = ["keyId", "wrappedKey", "ciphertext"] as const;
type ContentRow = RowOf<ModelContent, (typeof sealedMembers)[number]>;

const byRun = tenantStatement(
  "model_content_by_run",
  `select ${columnsOf(ModelContent, sealedMembers)} from model_contents
   where tenant_id = scope.tenant and run_id = $2 and expires_at > now()`,
);

/** Stores prompts and answers where the tenant's configuration says so, sealed and for some days. */
export class ModelContents {
  readonly #database: Database;
  readonly #seal: EnvelopeSeal;
  readonly #facts: TenantFacts;

  constructor(database: Database, seal: EnvelopeSeal, facts: TenantFacts) {
    this.#database = database;
    this.#seal = seal;
    this.#facts = facts;
  }

  /** The days for which the tenant keeps content; null: it keeps none. */
  async days(tenantId: string): Promise<number | null> {
    return (await this.#facts.of(tenantId)).setting("models.contentDays");
  }

  async storeIn(transaction: Transaction, runId: string, exchange: ModelExchange, days: number): Promise<void> {
    const { execute, tenant } = transaction;
    const plain = Buffer.from(JSON.stringify(exchange));
    const { keyId, wrappedKey, ciphertext } = this.#seal.seal(plain, boundTo(tenant.tenantId, runId));
    const run = decodeId("run", runId);
    await execute(insert, insert.valuesOf({ tenant: tenant.uuid, run, keyId, wrappedKey, ciphertext, days }));
  }

  /** Undefined when nothing was stored, or it has expired. */
  async read(tenant: Tenant, runId: string): Promise<ModelExchange | undefined> {
    const uuid = decodeId("run", runId);
    const row = uuid === undefined ? undefined : await this.#database.reader.row<ContentRow>(byRun, tenant, uuid);
    if (!row) return undefined;
    const sealedContent = { keyId: row.key_id, wrappedKey: row.wrapped_key, ciphertext: row.ciphertext };
    return JSON.parse(this.#seal.open(sealedContent, boundTo(tenant.tenantId, runId)).toString()) as ModelExchange;
  }
}

/** The stored contents, for a change of the master key. */
export const sealedContents = (seal: EnvelopeSeal): SealedTable =>
  wrappedKeyTable({
    label,
    table: "model_contents",
    key: { tenant_id: "uuid", run_id: "uuid" },
    newestKeyId: seal.newestKeyId,
    rewrapped: (wrapping, { tenant_id: tenant = "", run_id: run = "" }) =>
      seal.rewrapped(wrapping, boundTo(encodeId("ten", tenant), encodeId("run", run))),
  });
