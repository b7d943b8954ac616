import type { RowOf } from "@factory/runtime/db/entity-rows";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { RunTable } from "@factory/runtime/runs/run-table";
import { continueTrace, traceIdOf } from "@factory/runtime/telemetry/trace";
import type { Run } from "./run.entity.js";
import type { RunOperation, RunState } from "./run.states.js";

/** A row in `runs`. */
export type RunRow = RowOf<Run>;

/** The runs' table. The states after Queued are in its column `steps`. */
export const runTable = new RunTable<RunRow, RunState>({
  table: "runs",
  key: "run_id",
  prefix: "run",
  channel: "run_changes",
  counted: `steps = case when status = $status then steps
    else steps || jsonb_build_array(jsonb_build_object('status', $status::text, 'at', now())) end`,
});

/** A state that a run has reached. */
export interface RunStep {
  /** From 1, which is Queued, without gaps. */
  readonly sequence: number;
  readonly status: RunState;
  /** The number of attempts that had started. */
  readonly attempts: number;
  /** ISO 8601. */
  readonly changedAt: string;
}

/** A run as this subgraph's slices see it. Times are ISO 8601. */
export interface RunRecord {
  readonly tenantId: string;
  readonly runId: string;
  readonly connectionId: string | null;
  readonly credentialId: string | null;
  readonly deliveryId: string | null;
  readonly projectId: string | null;
  readonly operation: RunOperation;
  readonly status: RunState;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly fence: number;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>> | null;
  /** How far a long run has come. */
  readonly progress: Readonly<Record<string, unknown>> | null;
  /** The place from which a long run goes on. */
  readonly checkpoint: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly correlationId: string;
  readonly traceId: string;
  readonly traceparent: string;
  readonly requestedBy: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly completedAt: string | null;
}

export function runRecord(row: RunRow): RunRecord {
  return {
    tenantId: encodeId("ten", row.tenant_id),
    runId: encodeId("run", row.run_id),
    connectionId: row.connection_id === null ? null : encodeId("con", row.connection_id),
    credentialId: row.credential_id === null ? null : encodeId("crd", row.credential_id),
    deliveryId: row.delivery_id === null ? null : encodeId("whd", row.delivery_id),
    projectId: row.project_id,
    operation: row.operation,
    status: row.status,
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    fence: row.fence,
    payload: row.payload,
    result: row.result,
    progress: row.progress,
    checkpoint: row.checkpoint,
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? "" },
    correlationId: row.correlation_id,
    traceId: traceIdOf(row.traceparent),
    traceparent: row.traceparent,
    requestedBy: row.requested_by,
    createdAt: timeOf(row.created_at) ?? "",
    startedAt: timeOf(row.started_at),
    nextAttemptAt: timeOf(row.next_attempt_at),
    completedAt: timeOf(row.completed_at),
  };
}

/** The states that a run has reached, oldest first. */
export function stepsOf({ steps, created_at }: Pick<RunRow, "steps" | "created_at">): RunStep[] {
  let attempts = 0;
  const firstStep: RunStep = { sequence: 1, status: "Queued", attempts, changedAt: timeOf(created_at) ?? "" };
  const later = steps.map(({ status, at }, place) => {
    if (status === "Running") attempts += 1;
    return { sequence: place + 2, status, attempts, changedAt: timeOf(at) ?? "" };
  });
  return [firstStep, ...later];
}

/** The cause for everything that a run does: its trace, its correlation and its actor. */
export function causeOfRun({ traceparent, correlationId, requestedBy }: RunRecord): Cause {
  return {
    trace: continueTrace(traceparent),
    correlationId,
    actorId: requestedBy ?? "system",
  };
}

function timeOf(time: Date | string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
