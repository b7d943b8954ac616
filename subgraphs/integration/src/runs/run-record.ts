import { type RowOf, type SentRecordOf, sentRowReader } from "@factory/runtime/db/entity-rows";
import type { Cause } from "@factory/runtime/messages/envelope";
import { RunTable } from "@factory/runtime/runs/run-table";
import { continueTrace, traceIdOf } from "@factory/runtime/telemetry/trace";
import { Run } from "./run.entity.js";
import type { RunState } from "./run.states.js";

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

const readRow = sentRowReader(Run);

/** A run as this subgraph's slices see it. Times are ISO 8601. */
export type RunRecord = Omit<SentRecordOf<Run>, "steps" | "errorCode" | "errorDetail" | "deadlineAt"> & {
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly traceId: string;
};

export function runRecord(row: RunRow): RunRecord {
  const { steps: _, deadlineAt: __, errorCode, errorDetail, ...run } = readRow(row);
  const error = errorCode === null ? null : { code: errorCode, detail: errorDetail ?? "" };
  return { ...run, error, traceId: traceIdOf(run.traceparent) };
}

/** The states that a run has reached, oldest first. */
export function stepsOf({ steps, created_at }: Pick<RunRow, "steps" | "created_at">): RunStep[] {
  let attempts = 0;
  const firstStep: RunStep = { sequence: 1, status: "Queued", attempts, changedAt: new Date(created_at).toISOString() };
  const later = steps.map(({ status, at }, place) => {
    if (status === "Running") attempts += 1;
    return { sequence: place + 2, status, attempts, changedAt: new Date(at).toISOString() };
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
