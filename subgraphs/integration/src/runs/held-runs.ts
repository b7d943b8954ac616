import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { errorColumns } from "@factory/runtime/runs/run-error";
import type { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import { traceparent } from "@factory/runtime/telemetry/trace";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import {
  describeHeldRun,
  endHeldRuns,
  heldFence,
  insertHeldRuns,
  takeFromHeldRun,
} from "./held/held-run-statements.js";
import type { HeldOperation } from "./run.states.js";
import type { RunCounts } from "./run-counts.js";
import { endRun, notifyRuns } from "./run-moves.js";
import type { RunEnd, RunHandler, RunOperations } from "./run-operations.js";
import { type RunRecord, runTable } from "./run-record.js";

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

/** A run that was begun, with the members that tell about it. */
export type BegunRun = Pick<RunRecord, "runId" | "operation" | "connectionId" | "projectId" | "payload">;

/** A run that is to begin, with its own cause. */
interface CausedRun {
  readonly run: HeldRun;
  readonly cause: Cause;
}

/** Runs with new ids, and the parameters after `$1` in the statement that inserts them. */
export function newHeldRuns(runs: readonly CausedRun[]): { begun: BegunRun[]; values: unknown[] } {
  const newRuns = runs.map(({ run }) => ({ ...run, runId: newId("run") }));
  const values = [
    newRuns.map(({ runId }) => runTable.uuid(runId)),
    newRuns.map(({ connectionId }) => decodeId("con", connectionId) ?? null),
    newRuns.map(({ projectId }) => projectId),
    newRuns.map(({ operation }) => operation),
    newRuns.map(({ payload }) => JSON.stringify(payload)),
    runs.map(({ cause }) => cause.correlationId ?? cause.trace.traceId),
    runs.map(({ cause }) => traceparent(cause.trace)),
    runs.map(({ cause }) => cause.actorId ?? null),
    newRuns.map(({ timeLimitSeconds }) => timeLimitSeconds),
  ];
  return { begun: newRuns, values };
}

interface HeldEnd extends Pick<BegunRun, "runId" | "operation"> {
  readonly end: RunEnd;
  /** A payload member that is taken with the end, as `takeIn` does. */
  readonly taking: string | undefined;
}

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

  /** Adds an effect for runs with this operation that are cancelled, or lost with their process. */
  add(operation: HeldOperation, effect: NonNullable<RunHandler["ended"]>): void {
    const work = () =>
      Promise.reject(new DomainError("WORKER_DIED", { detail: "The process died before the end of the call." }));
    this.#operations.add(operation, { delaysSeconds: [], timeLimitSeconds: 60, work, ended: effect });
  }

  /** Inserts a Running run in the caller's transaction, whose cause becomes the run's cause. */
  async beginIn({ defer, tenant, cause }: Transaction, run: HeldRun): Promise<BegunRun> {
    const { begun, values } = newHeldRuns([{ run, cause }]);
    await defer(insertHeldRuns, [tenant.uuid, ...values]);
    return begun[0] as BegunRun;
  }

  /** Ends the run in the caller's transaction. Undefined, without any change: it was cancelled, or counted as lost. */
  async endIn(transaction: Transaction, runId: string, end: RunEnd): Promise<RunRecord | undefined> {
    const endedRun = await endRun(transaction, runId, end, heldFence);
    if (endedRun) transaction.afterCommit(() => this.#counts.add(endedRun.operation, end.status));
    return endedRun;
  }

  /** As `endIn`, for several runs. Returns what was taken, by run id, for the runs that were not ended before. */
  async endAllIn(transaction: Transaction, ends: readonly HeldEnd[]): Promise<ReadonlyMap<string, unknown>> {
    const { execute, tenant } = transaction;
    const errors = ends.map(({ end }) => errorColumns(end.status === "Completed" ? undefined : end));
    const rows = await execute<{ run_id: string; taken: unknown }>(endHeldRuns, [
      tenant.uuid,
      ends.map(({ runId }) => runTable.uuid(runId)),
      ends.map(({ end }) => end.status),
      ends.map(({ end: { result } }) => (result ? JSON.stringify(result) : null)),
      errors.map(({ code }) => code),
      errors.map(({ detail }) => detail),
      ends.map(({ taking }) => taking ?? null),
    ]);
    const takenMembers = new Map(rows.map(({ run_id, taken }) => [encodeId("run", run_id), taken]));
    const storedEnds = ends.filter(({ runId }) => takenMembers.has(runId));
    notifyRuns(
      transaction,
      storedEnds.map(({ runId, end }) => ({ run: runTable.uuid(runId), status: end.status })),
    );
    transaction.afterCommit(() => {
      for (const { operation, end } of storedEnds) this.#counts.add(operation, end.status);
    });
    return takenMembers;
  }

  /** Replaces the payload for a run that this process still works for. False, without any change: the run has ended. */
  async describeIn({ execute, tenant }: Transaction, runId: string, payload: HeldRun["payload"]): Promise<boolean> {
    const changedRows = await execute(describeHeldRun, [tenant.uuid, runTable.uuid(runId), JSON.stringify(payload)]);
    return changedRows.length > 0;
  }

  /** Takes a member out of a run's payload in any state, which only one transaction can do. */
  async takeIn({ execute, tenant }: Transaction, runId: string, member: string): Promise<unknown> {
    const values = [tenant.uuid, runTable.uuid(runId), member];
    const [row] = await execute<{ taken: unknown }>(takeFromHeldRun, values);
    return row?.taken;
  }

  /** Calls `onCancel` when the run is cancelled in any process. Returns the function that ends the watch. */
  watch(runId: string, onCancel: () => void): () => void {
    return this.#watch.subscribe(runTable.uuid(runId), (status) => {
      if (status === "Cancelled") onCancel();
    });
  }
}
