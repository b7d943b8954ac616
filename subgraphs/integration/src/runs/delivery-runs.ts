import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type Trace, traceparent } from "@factory/runtime/telemetry/trace";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** A delivery's run. The delivery dispatcher claims and ends it together with the delivery. */
export interface DeliveryRun {
  readonly runId: string;
  readonly deliveryId: string;
  readonly connectionId: string | null;
  readonly projectId: string | null;
  readonly trace: Trace;
  /** Whether the delivery was handled in the same transaction. */
  readonly isHandled: boolean;
}

/** The attempts to handle a delivery. */
const maxAttempts = 5;

const insertRuns = {
  name: "delivery_runs_insert",
  text: `insert into runs (tenant_id, run_id, connection_id, project_id, delivery_id, operation, status, attempts,
      max_attempts, correlation_id, traceparent, next_attempt_at, fence, started_at, completed_at, steps)
    select $1, run_id, connection_id, project_id, delivery_id, 'ProcessDelivery', case when handled then 'Completed' else 'Queued' end,
      handled::int, ${maxAttempts}, correlation_id, traceparent, case when not handled then now() end, handled::int,
      case when handled then now() end, case when handled then now() end, case when handled then done.steps else '[]' end
    from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::boolean[], $8::text[])
        as run(run_id, connection_id, delivery_id, correlation_id, traceparent, handled, project_id),
      (select jsonb_build_array(jsonb_build_object('status', 'Running', 'at', now()),
        jsonb_build_object('status', 'Completed', 'at', now())) as steps) as done`,
};

/** Inserts runs for the operation ProcessDelivery, Queued or Completed, without jobs, in the caller's transaction. */
export async function startDeliveryRuns({ defer, tenant }: Transaction, runs: readonly DeliveryRun[]): Promise<void> {
  await defer(insertRuns, [
    tenant.uuid,
    runs.map(({ runId }) => decodeId("run", runId)),
    runs.map(({ connectionId }) => (connectionId === null ? null : decodeId("con", connectionId))),
    runs.map(({ deliveryId }) => decodeId("whd", deliveryId)),
    runs.map(({ trace }) => trace.traceId),
    runs.map(({ trace }) => traceparent(trace)),
    runs.map(({ isHandled }) => isHandled),
    runs.map(({ projectId }) => projectId),
  ]);
}
