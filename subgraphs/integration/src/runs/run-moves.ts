import type { PreparedStatement } from "@factory/runtime/db/transaction-dialect";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import { heldOperations, type RunState, systemActor } from "./run.states.js";
import type { RunEnd, RunHandler } from "./run-operations.js";
import { type RunRecord, type RunRow, runRecord, runUuid } from "./run-record.js";

/** The PostgreSQL channel that gets lines `<run uuid> <status>` when steps are committed. */
export const runChannel = "run_changes";

/**
 * The statement that moves a run to the state `$3` and stores the step. The values of `set` and of the condition `when`
 * begin at `$4`.
 */
export function runMove(name: string, set: string, when: string): PreparedStatement {
  return {
    name,
    text: `update runs set status = $3, ${set}, steps = case when status = $3 then steps
        else steps || jsonb_build_array(jsonb_build_object('status', $3::text, 'at', now())) end
      where tenant_id = $1 and run_id = $2 and ${when} returning *`,
  };
}

/** Announces runs that this transaction has moved by a statement of its own. */
export function notifyRuns(
  { notify }: Pick<Transaction, "notify">,
  moved: readonly { readonly run: string; readonly status: RunState }[],
): void {
  // A notice has at most 8,000 bytes, and a line less than 60.
  for (let from = 0; from < moved.length; from += 100) {
    const lines = moved.slice(from, from + 100).map(({ run, status }) => `${run} ${status}`);
    notify(runChannel, lines.join("\n"));
  }
}

interface Move {
  readonly runId: string;
  readonly to: RunState;
  readonly values: readonly unknown[];
}

/** Moves a run and records the event of its new state. Undefined, without any change: the condition was not satisfied. */
export async function moveRun(
  { execute, tenant, notify, record }: Transaction,
  statement: PreparedStatement,
  { runId, to, values }: Move,
): Promise<RunRecord | undefined> {
  const uuid = runUuid(runId);
  const [row] = await execute<RunRow>(statement, [tenant.uuid, uuid, to, ...values]);
  if (!row) return undefined;
  notify(runChannel, `${uuid} ${to}`);
  const run = runRecord(row);
  recordRunEvent({ record }, run);
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

/** The slice of a held run records events of its own, which name the run and its end. */
const isHeld = ({ operation }: RunRecord) => (heldOperations as readonly string[]).includes(operation);

/** Records the event of the state that the run has reached. */
function recordRunEvent({ record }: Pick<Transaction, "record">, run: RunRecord): void {
  const { runId, operation, connectionId, credentialId, projectId, attempts, status, error } = run;
  const type = events[status];
  // The fencing number is 1 at the first claim only.
  if (type === undefined || (status === "Running" && run.fence > 1) || isRoutine(run) || isHeld(run)) return;
  const facts = { runId, operation, connectionId, credentialId, attempts };
  const failed = status === "Failed" || status === "TimedOut";
  record({ type, subject: `runs/${runId}`, projectId, data: failed ? { ...facts, error } : facts });
}

const ended =
  "completed_at = now(), next_attempt_at = null, deadline_at = null, result = $4, error_code = $5, error_detail = $6";
const endOfClaim = runMove("run_end", ended, "status = 'Running' and fence = $7");
const endOfAny = runMove(
  "run_end_any",
  `fence = fence + 1, ${ended}`,
  "status in ('Queued', 'Running', 'RetryScheduled')",
);

/** Ends a run: of the claim with this fencing number, or in any state that is not final. Undefined: nothing has changed. */
export function endRun(
  transaction: Transaction,
  runId: string,
  end: RunEnd,
  fence?: number,
): Promise<RunRecord | undefined> {
  const result = end.result ? JSON.stringify(end.result) : null;
  const error = end.status === "Completed" ? [null, null] : [end.code, end.detail.slice(0, 2000)];
  return moveRun(transaction, fence === undefined ? endOfAny : endOfClaim, {
    runId,
    to: end.status,
    values: [result, ...error, ...(fence === undefined ? [] : [fence])],
  });
}

/** Failed may follow only Running. */
const beginAny = runMove(
  "run_begin",
  "fence = fence + 1, started_at = coalesce(started_at, now())",
  "status in ('Queued', 'RetryScheduled')",
);

/** Ends a run in any state that is not final, by way of Running. Undefined: nothing has changed. */
export async function failRun(transaction: Transaction, runId: string, end: RunEnd): Promise<RunRecord | undefined> {
  await moveRun(transaction, beginAny, { runId, to: "Running", values: [] });
  return endRun(transaction, runId, end);
}

/** Completed and Failed may follow only Running. */
const begin = runMove("run_settle", "fence = fence + 1", "status = 'RetryScheduled'");

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
  const begun = await moveRun(transaction, begin, { runId, to: "Running", values: [] });
  const ended = begun && (await endRun(transaction, runId, end));
  if (ended) await handler.ended?.(transaction, ended, end);
  return ended;
}

/** Another process has claimed the run, or it has ended. The worker that gets this error changes nothing more. */
export class RunLost extends Error {
  override readonly name = "RunLost";
}

const progressStatement = {
  name: "run_progress",
  text: `update runs set progress = $4, checkpoint = $5
    where tenant_id = $1 and run_id = $2 and status = 'Running' and fence = $3 returning run_id`,
};

/**
 * Stores how far the claimed run has come, in the transaction that has done the work. Throws RunLost, so that nothing of a
 * run that was cancelled, or claimed by another process, is committed.
 */
export async function storeProgress(
  { execute, tenant }: Transaction,
  { runId, fence }: Pick<RunRecord, "runId" | "fence">,
  { progress, checkpoint }: { readonly progress: object; readonly checkpoint: object },
): Promise<void> {
  const values = [tenant.uuid, runUuid(runId), fence, JSON.stringify(progress), JSON.stringify(checkpoint)];
  if ((await execute(progressStatement, values)).length === 0) throw new RunLost();
}

/** An attempt that runs already has begun before the release, so it loses its claim. */
const release = {
  name: "run_release",
  text: `update runs set next_attempt_at = now(), progress = null, fence = fence + (status = 'Running')::int
    where tenant_id = $1 and run_id = $2 and status in ('Queued', 'Running', 'RetryScheduled') returning *`,
};

/** Lets a run that was held back begin. Returns the number of its next attempt; undefined when the run has ended. */
export async function releaseRun({ execute, tenant }: Transaction, runId: string): Promise<number | undefined> {
  const [row] = await execute<RunRow>(release, [tenant.uuid, runUuid(runId)]);
  return row && (row.status === "Running" ? row.attempts : row.attempts + 1);
}
