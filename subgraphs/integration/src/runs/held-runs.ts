import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import { traceparent } from "@factory/runtime/telemetry/trace";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { HeldOperation } from "./run.states.js";
import type { RunCounts } from "./run-counts.js";
import { endRun } from "./run-moves.js";
import type { RunEnd, RunHandler, RunOperations } from "./run-operations.js";
import { type RunRecord, type RunRow, runRecord, runUuid } from "./run-record.js";

/** A run that its process begins at once. */
interface HeldRun {
  readonly operation: HeldOperation;
  readonly connectionId: string;
  readonly projectId: string | null;
  /** The most seconds that the work takes. Later the run counts as lost with its process. */
  readonly timeLimitSeconds: number;
  /** Ids and numbers, never secrets and never content. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Only the process that has begun a held run ends it, unless the run is lost or cancelled. */
const fence = 1;

const insertHeldRun = {
  name: "held_run_insert",
  text: `insert into runs (tenant_id, run_id, connection_id, project_id, operation, status, attempts, max_attempts, fence,
      payload, correlation_id, traceparent, requested_by, started_at, deadline_at, steps)
    values ($1, $2, $3, $4, $5, 'Running', 1, 1, ${fence}, $6, $7, $8, $9, now(), now() + make_interval(secs => $10),
      jsonb_build_array(jsonb_build_object('status', 'Running', 'at', now())))
    returning *`,
};

const describeHeldRun = {
  name: "held_run_describe",
  text: `update runs set payload = $3 where tenant_id = $1 and run_id = $2 and status = 'Running' and fence = ${fence}
    returning run_id`,
};

const takeFromHeldRun = {
  name: "held_run_take",
  text: `with held as (select payload from runs where tenant_id = $1 and run_id = $2 for update)
    update runs set payload = runs.payload - $3::text from held
    where tenant_id = $1 and run_id = $2 and held.payload -> $3::text is not null
    returning held.payload -> $3::text as taken`,
};

/**
 * Runs whose work a process does while their caller waits. They begin as Running and have no job. When their process
 * dies, the sweep finds them after their time limit, and they end as Failed with WORKER_DIED.
 */
export class HeldRuns {
  readonly #operations: RunOperations;
  readonly #watch: StepWatch;
  readonly #counts: RunCounts;

  constructor(operations: RunOperations, watch: StepWatch, counts: RunCounts) {
    this.#operations = operations;
    this.#watch = watch;
    this.#counts = counts;
  }

  /** Adds the effect of runs of this operation that are cancelled, or lost with their process. */
  add(operation: HeldOperation, ended: NonNullable<RunHandler["ended"]>): void {
    const work = () =>
      Promise.reject(new DomainError("WORKER_DIED", { detail: "The process died before the end of the call." }));
    this.#operations.add(operation, { delaysSeconds: [], timeLimitSeconds: 60, work, ended });
  }

  /** Inserts a Running run in the caller's transaction, whose cause becomes that of the run. */
  async beginIn({ execute, tenant, cause }: Transaction, run: HeldRun): Promise<RunRecord> {
    const [row] = await execute<RunRow>(insertHeldRun, [
      tenant.uuid,
      runUuid(newId("run")),
      decodeId("con", run.connectionId) ?? null,
      run.projectId,
      run.operation,
      JSON.stringify(run.payload),
      cause.correlationId ?? cause.trace.traceId,
      traceparent(cause.trace),
      cause.actorId ?? null,
      run.timeLimitSeconds,
    ]);
    if (!row) throw new Error("A run was not stored");
    return runRecord(row);
  }

  /** Ends the run in the caller's transaction. Undefined, without any change: it was cancelled, or counted as lost. */
  async endIn(transaction: Transaction, runId: string, end: RunEnd): Promise<RunRecord | undefined> {
    const ended = await endRun(transaction, runId, end, fence);
    if (ended) transaction.afterCommit(() => this.#counts.add(ended.operation, end.status));
    return ended;
  }

  /** Replaces the payload of a run that this process still works for. False, without any change: the run has ended. */
  async describeIn({ execute, tenant }: Transaction, runId: string, payload: HeldRun["payload"]): Promise<boolean> {
    const described = await execute(describeHeldRun, [tenant.uuid, runUuid(runId), JSON.stringify(payload)]);
    return described.length > 0;
  }

  /** Takes a member out of the payload of a run in any state, which only one transaction can do. */
  async takeIn({ execute, tenant }: Transaction, runId: string, member: string): Promise<unknown> {
    const values = [tenant.uuid, runUuid(runId), member];
    const [row] = await execute<{ taken: unknown }>(takeFromHeldRun, values);
    return row?.taken;
  }

  /** Calls `cancelled` when the run is cancelled in any process. Returns the function that ends the watch. */
  watch(runId: string, cancelled: () => void): () => void {
    return this.#watch.subscribe(runUuid(runId), (status) => {
      if (status === "Cancelled") cancelled();
    });
  }
}
