import { encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import {
  type WorkerPool,
  type WorkerTransaction,
  workerTransaction,
} from "@factory/runtime/unit-of-work/worker-transaction";
import { appendRecords } from "./append-records.js";
import { newRecord } from "./record-facts.js";

const batchSize = 5000;
const tenantsAtOnce = 100;
const dayMs = 24 * 60 * 60_000;

const dueTenants = "select tenant_id from audit_heads where retention_due_at <= $1 order by retention_due_at limit $2";
const expiredSeal = `select greatest(head.start_position, coalesce(
    (select max(seal.position) from audit_seals seal where seal.tenant_id = $1 and seal.sealed_at < $2), 0)) as through,
    head.start_position as "from" from audit_heads head where head.tenant_id = $1 for update of head`;
const prune = "select prune_audit_records($1, $2, $3) as deleted";
const postpone = "update audit_heads set retention_due_at = $2 where tenant_id = $1";

interface AuditRetentionParts {
  readonly workers: WorkerPool;
  readonly retentionDays: (tenantId: string) => Promise<number>;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/**
 * Deletes expired records once a day: a record is expired if a seal covers it that is older than the tenant's
 * retention. The chain then starts at that seal, and a record in the chain tells of it.
 */
export class AuditRetention {
  readonly #parts: AuditRetentionParts;

  constructor(parts: AuditRetentionParts) {
    this.#parts = parts;
  }

  /** Looks after all tenants that are due. A tenant that fails does not stop the others and is due again soon. */
  async run(signal: AbortSignal): Promise<void> {
    const { workers, clock, logger } = this.#parts;
    const failedTenants = new Set<string>();
    while (!signal.aborted) {
      const { rows } = await workers.pool.query<{ tenant_id: string }>(dueTenants, [
        clock(),
        tenantsAtOnce + failedTenants.size,
      ]);
      const due = rows.filter(({ tenant_id: uuid }) => !failedTenants.has(uuid));
      if (due.length === 0) return;
      for (const { tenant_id: uuid } of due) {
        if (signal.aborted) return;
        await this.#prune(encodeId("ten", uuid), uuid, signal).catch((error: unknown) => {
          failedTenants.add(uuid);
          logger.warn({ err: error, tenantId: encodeId("ten", uuid) }, "expired audit records were not deleted");
        });
      }
    }
  }

  async #prune(tenantId: string, uuid: string, signal: AbortSignal): Promise<void> {
    const { workers, retentionDays, clock } = this.#parts;
    const now = clock();
    const before = new Date(now.getTime() - (await retentionDays(tenantId)) * dayMs);
    const cause = { trace: continueTrace(undefined), actorId: "audit-log" };
    const once = (work: (transaction: WorkerTransaction) => Promise<number>) =>
      workerTransaction(workers, tenantWithId(tenantId), cause, work);
    let deletedRows = batchSize;
    while (deletedRows === batchSize && !signal.aborted)
      deletedRows = await once(async (transaction) => {
        const [seal] = await transaction.execute<{ through: string; from: string }>(expiredSeal, [uuid, before]);
        if (!seal || seal.through === "0") return 0;
        const [result] = await transaction.execute<{ deleted: number }>(prune, [uuid, seal.through, batchSize]);
        if (seal.from !== seal.through)
          await appendRecords(transaction, [startRecord(tenantId, seal.through, cause.trace.traceId, now)], now);
        return result?.deleted ?? 0;
      });
    if (!signal.aborted) await workers.pool.query(postpone, [uuid, new Date(now.getTime() + dayMs)]);
  }
}

/** The record that tells that the chain starts anew. */
const startRecord = (tenantId: string, through: string, traceid: string, now: Date) =>
  newRecord({
    messagekind: "audit",
    id: newId("aud"),
    type: "AuditRecord",
    time: now.toISOString(),
    tenantid: tenantId,
    source: "/spine",
    operation: "deleteExpiredAuditRecords",
    outcome: "Succeeded",
    subject: `audit-seals/${through}`,
    traceid,
    partitionkey: tenantId,
  });
