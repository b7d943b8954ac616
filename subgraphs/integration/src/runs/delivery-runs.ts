import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type Trace, traceparent } from "@factory/runtime/telemetry/trace";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** The run of a delivery, which its dispatcher claims and ends together with the delivery. */
export interface DeliveryRun {
  readonly runId: string;
  readonly deliveryId: string;
  readonly connectionId: string | null;
  readonly projectId: string | null;
  readonly trace: Trace;
}

/** The attempts to handle a delivery. */
const maxAttempts = 5;

const insertRuns = {
  name: "delivery_runs_insert",
  text: `insert into runs (tenant_id, run_id, connection_id, project_id, delivery_id, operation, status, attempts, max_attempts,
      correlation_id, traceparent, next_attempt_at)
    select $1, run_id, connection_id, project_id, delivery_id, 'ProcessDelivery', 'Queued', 0, ${maxAttempts}, correlation_id,
      traceparent, now()
    from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[])
      as run(run_id, connection_id, delivery_id, correlation_id, traceparent, project_id)`,
};

/** Inserts Queued runs of the operation ProcessDelivery, without jobs, in the caller's transaction. */
export async function startDeliveryRuns({ defer, tenant }: Transaction, runs: readonly DeliveryRun[]): Promise<void> {
  await defer(insertRuns, [
    tenant.uuid,
    runs.map(({ runId }) => decodeId("run", runId)),
    runs.map(({ connectionId }) => (connectionId === null ? null : decodeId("con", connectionId))),
    runs.map(({ deliveryId }) => decodeId("whd", deliveryId)),
    runs.map(({ trace }) => trace.traceId),
    runs.map(({ trace }) => traceparent(trace)),
    runs.map(({ projectId }) => projectId),
  ]);
}
