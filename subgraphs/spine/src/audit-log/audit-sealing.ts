import type { RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { type WorkerPool, workerTransaction } from "@factory/runtime/unit-of-work/worker-transaction";
import type { ChainHead } from "./audit-head.entity.js";
import type { AuditKeys } from "./audit-keys.js";
import { signSeal } from "./sign-seal.js";

const batchSize = 100;

const dueHeads = "select tenant_id from audit_heads where unsealed_since < $1 order by unsealed_since limit $2";
const lockDueHead = "select position, hash from audit_heads where tenant_id = $1 and unsealed_since < $2 for update";
const insertSeal = namedStatement(
  "insert_audit_seal",
  "insert into audit_seals (tenant_id, position, hash, sealed_at, jws) values ($tenant, $position, $hash, $now, $jws)",
);
const markSealed = "update audit_heads set unsealed_since = null where tenant_id = $1";

interface AuditSealingParts {
  readonly workers: WorkerPool;
  readonly keys: AuditKeys;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/**
 * Signs the heads of chains that got their first unsealed record before the current day (UTC), so a tenant has at most
 * one seal a day. The seal, its event and the mark on the head are one transaction: a killed process leaves everything
 * or nothing.
 */
export class AuditSealing {
  readonly #parts: AuditSealingParts;

  constructor(parts: AuditSealingParts) {
    this.#parts = parts;
  }

  /** Seals all heads that are due. A tenant that fails does not stop the others. */
  async run(signal: AbortSignal): Promise<void> {
    const { workers, clock, logger } = this.#parts;
    const now = clock();
    const today = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
    const failedTenants = new Set<string>();
    while (!signal.aborted) {
      const { rows } = await workers.pool.query<{ tenant_id: string }>(dueHeads, [
        today,
        batchSize + failedTenants.size,
      ]);
      const due = rows.filter(({ tenant_id: uuid }) => !failedTenants.has(uuid));
      if (due.length === 0) return;
      for (const { tenant_id: uuid } of due) {
        if (signal.aborted) return;
        await this.#seal(encodeId("ten", uuid), now, today).catch((error: unknown) => {
          failedTenants.add(uuid);
          logger.error({ err: error, tenantId: encodeId("ten", uuid) }, "the audit log of a tenant was not sealed");
        });
      }
    }
  }

  async #seal(tenantId: string, now: Date, today: Date): Promise<void> {
    const { workers, keys } = this.#parts;
    const key = await keys.signing(now);
    const cause = { trace: continueTrace(undefined), actorId: "audit-log" };
    const tenant = tenantWithId(tenantId);
    await workerTransaction(workers, tenant, cause, async ({ execute, record }) => {
      // another process may have sealed it meanwhile
      const [head] = await execute<RowOf<ChainHead, "position" | "hash">>(lockDueHead, [tenant.uuid, today]);
      if (!head) return;
      const facts = {
        tenantId,
        position: Number(head.position),
        hash: head.hash.toString("hex"),
        sealedAt: now.toISOString(),
      };
      const jws = await signSeal(facts, key);
      await execute(insertSeal, insertSeal.valuesOf({ tenant: tenant.uuid, ...head, now, jws }));
      await execute(markSealed, [tenant.uuid]);
      record({ type: "AuditLogSealed", subject: `audit-seals/${head.position}`, data: { ...facts, jws } });
      failpoint("audit.sealing");
    });
    failpoint("audit.sealed");
  }
}
