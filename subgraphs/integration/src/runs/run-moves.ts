import type { NamedStatement } from "@factory/runtime/db/named-parameters";
import { errorColumns } from "@factory/runtime/runs/run-error";
import { requireMoved } from "@factory/runtime/runs/run-lost";
import type { Move } from "@factory/runtime/runs/run-table";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import { heldOperations, type RunState, systemActor } from "./run.states.js";
import type { RunEnd, RunHandler } from "./run-operations.js";
import { type RunRecord, runRecord, runTable } from "./run-record.js";

/** Announces runs that this transaction has moved by another statement. */
export function notifyRuns(
  { notify }: Pick<Transaction, "notify">,
  moves: readonly { readonly run: string; readonly status: RunState }[],
): void {
  // A notice has at most 8,000 bytes, and a line less than 60.
  for (let from = 0; from < moves.length; from += 100) {
    const lines = moves.slice(from, from + 100).map(({ run, status }) => `${run} ${status}`);
    notify(runTable.channel, lines.join("\n"));
  }
}

/**
 * Moves a run and records the event for its new state. Undefined, without any change: the condition was not satisfied.
 */
export async function moveRun(
  transaction: Transaction,
  statement: NamedStatement,
  move: Move<RunState>,
): Promise<RunRecord | undefined> {
  const row = await runTable.move(transaction, statement, move);
  if (!row) return undefined;
  const run = runRecord(row);
  recordRunEvent(transaction, run);
  return run;
}

const events: Readonly<Partial<Record<RunState, EventType>>> = {
  Running: "RunStarted",
  Completed: "RunCompleted",
  Failed: "RunFailed",
  TimedOut: "RunTimedOut",
  Cancelled: "RunCancelled",
};

/** A check by schedule that goes well. There are hundreds a day for each connection, so they have no events. */
const isRoutine = ({ operation, requestedBy, status }: RunRecord) =>
  operation === "CheckHealth" && requestedBy === systemActor && (status === "Running" || status === "Completed");

/** The slice with a held run records its own events, which name the run and its end. */
const isHeld = ({ operation }: RunRecord) => (heldOperations as readonly string[]).includes(operation);

/** Records the event for the state that the run has reached. */
function recordRunEvent({ record }: Pick<Transaction, "record">, run: RunRecord): void {
  const { runId, operation, connectionId, credentialId, projectId, attempts, status, error } = run;
  const type = events[status];
  // The fencing number is 1 at the first claim only.
  if (type === undefined || (status === "Running" && run.fence > 1) || isRoutine(run) || isHeld(run)) return;
  const facts = { runId, operation, connectionId, credentialId, attempts };
  const isFailure = status === "Failed" || status === "TimedOut";
  record({ type, subject: `runs/${runId}`, projectId, data: isFailure ? { ...facts, error } : facts });
}

const endColumns = `completed_at = now(), next_attempt_at = null, deadline_at = null,
  result = $result, error_code = $code, error_detail = $detail`;
const endOfClaim = runTable.moveStatement("run_end", endColumns, "status = 'Running' and fence = $fence");
const endOfAny = runTable.moveStatement(
  "run_end_any",
  `fence = fence + 1, ${endColumns}`,
  "status in ('Queued', 'Running', 'RetryScheduled')",
);

/**
 * Ends a run: the one claimed with this fencing number, or one in any state that is not final. Undefined: nothing has
 * changed.
 */
export function endRun(
  transaction: Transaction,
  runId: string,
  end: RunEnd,
  fence?: number,
): Promise<RunRecord | undefined> {
  const result = end.result ? JSON.stringify(end.result) : null;
  const values = { result, ...errorColumns(end.status === "Completed" ? undefined : end) };
  return fence === undefined
    ? moveRun(transaction, endOfAny, { id: runId, to: end.status, values })
    : moveRun(transaction, endOfClaim, { id: runId, to: end.status, values: { ...values, fence } });
}

/** Failed may follow only Running. */
const beginAny = runTable.moveStatement(
  "run_begin",
  "fence = fence + 1, started_at = coalesce(started_at, now())",
  "status in ('Queued', 'RetryScheduled')",
);

/** Ends a run in any state that is not final, by way of Running. Undefined: nothing has changed. */
export async function failRun(transaction: Transaction, runId: string, end: RunEnd): Promise<RunRecord | undefined> {
  await moveRun(transaction, beginAny, { id: runId, to: "Running" });
  return endRun(transaction, runId, end);
}

/** Completed and Failed may follow only Running. */
const begin = runTable.moveStatement("run_settle", "fence = fence + 1", "status = 'RetryScheduled'");

/**
 * Ends a run that waits for its next attempt, which then finds nothing to do. Undefined, without any change: it does not
 * wait.
 */
export async function settleRun(
  transaction: Transaction,
  handler: RunHandler,
  runId: string,
  end: RunEnd,
): Promise<RunRecord | undefined> {
  const begunRun = await moveRun(transaction, begin, { id: runId, to: "Running" });
  const endedRun = begunRun && (await endRun(transaction, runId, end));
  if (endedRun) await handler.ended?.(transaction, endedRun, end);
  return endedRun;
}

const progressStatement = runTable.changeStatement(
  "run_progress",
  "progress = $progress, checkpoint = $checkpoint",
  "status = 'Running' and fence = $fence",
);

/**
 * Stores how far the claimed run has come, in the transaction that has done the work. Throws RunLost, so that nothing
 * is committed for a run that was cancelled, or claimed by another process.
 */
export async function storeProgress(
  transaction: Transaction,
  { runId, fence }: Pick<RunRecord, "runId" | "fence">,
  { progress, checkpoint }: { readonly progress: object; readonly checkpoint: object },
): Promise<void> {
  const values = { fence, progress: JSON.stringify(progress), checkpoint: JSON.stringify(checkpoint) };
  requireMoved(await runTable.change(transaction, progressStatement, { id: runId, values }));
}

/** An attempt that runs already has begun before the release, so it loses its claim. */
const release = runTable.changeStatement(
  "run_release",
  "next_attempt_at = now(), progress = null, fence = fence + (status = 'Running')::int",
  "status in ('Queued', 'Running', 'RetryScheduled')",
);

/** Lets a run that was held back begin. Returns its next attempt's number; undefined when the run has ended. */
export async function releaseRun(transaction: Transaction, runId: string): Promise<number | undefined> {
  const row = await runTable.change(transaction, release, { id: runId });
  return row && (row.status === "Running" ? row.attempts : row.attempts + 1);
}
