import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { rows } from "./database.js";

const [traceId, spanId] = ["a".repeat(32), "b".repeat(16)];

interface WantedRun {
  readonly operation: string;
  readonly status: "Queued" | "Completed";
  readonly deliveryId?: string;
  readonly connectionId?: string;
}

/** Inserts a run without a job, as a lost job would leave it. */
async function insertRun(
  tenantId: string,
  { operation, status, deliveryId, connectionId }: WantedRun,
): Promise<string> {
  const runId = newId("run");
  await rows(
    `insert into integration.runs (tenant_id, run_id, delivery_id, connection_id, operation, status, max_attempts,
       correlation_id, traceparent, completed_at)
     values ($1, $2, $3, $7, $4, $5, 5, 'walked', $6, case when $5 = 'Completed' then now() end)`,
    [
      decodeId("ten", tenantId),
      decodeId("run", runId),
      deliveryId === undefined ? null : decodeId("whd", deliveryId),
      ...[operation, status, `00-${traceId}-${spanId}-01`],
      connectionId === undefined ? null : decodeId("con", connectionId),
    ],
  );
  return runId;
}

/** A run that waits for a job that it does not have. Its connection was deleted. */
export const aWaitingRun = (tenantId: string): Promise<string> =>
  insertRun(tenantId, { operation: "CheckHealth", status: "Queued", connectionId: newId("con") });

/** A run that fails, since its operation has no handler in this release. */
export async function aFailedRun(tenantId: string): Promise<string> {
  const runId = await insertRun(tenantId, { operation: "SendEmail", status: "Queued" });
  await rows(
    `insert into integration_jobs.job (name, data, group_id, singleton_key, policy, dead_letter, retry_limit,
       expire_seconds, keep_until)
     select name, $1, $2, $3, policy, dead_letter, 0, 60, now() + interval '1 day'
     from integration_jobs.queue where name = 'integration.runs'`,
    [JSON.stringify({ tenantId, runId, attempt: 1 }), tenantId, runId],
  );
  return runId;
}

interface WantedDelivery {
  readonly providerId: string;
  readonly status?: "Accepted" | "Failed" | "Processed";
  readonly attempts?: number;
  /** A payload that cannot be opened. Otherwise the payload was deleted already. */
  readonly unreadable?: true;
}

/** Inserts a vendor's delivery with its run. */
export async function aDelivery(
  tenantId: string,
  { providerId, status = "Accepted", attempts = 0, unreadable }: WantedDelivery,
): Promise<{ deliveryId: string; runId: string }> {
  const deliveryId = newId("whd");
  const runStatus = status === "Processed" ? "Completed" : "Queued";
  const runId = await insertRun(tenantId, { operation: "ProcessDelivery", status: runStatus, deliveryId });
  const sealedPayload = unreadable ? "x" : null;
  await rows(
    `insert into integration.webhook_deliveries (tenant_id, delivery_id, provider_id, provider_key, provider_delivery_id,
       event_name, normalized_event_type, body_sha256, key_id, wrapped_key, ciphertext, run_id, status, attempts,
       next_attempt_at, trace_id)
     values ($1, $2, $3, 'walked', $4, 'walked', 'VendorEventReceived', '', $5, $6, $6, $7, $8, $9,
       case when $8 <> 'Processed' then now() end, $10)`,
    [
      decodeId("ten", tenantId),
      decodeId("whd", deliveryId),
      decodeId("prv", providerId),
      deliveryId,
      sealedPayload,
      sealedPayload && Buffer.from(sealedPayload),
      decodeId("run", runId),
      ...[status, attempts, traceId],
    ],
  );
  return { deliveryId, runId };
}
