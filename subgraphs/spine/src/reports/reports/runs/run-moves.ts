import type { PreparedStatement } from "@factory/runtime/db/transaction-dialect";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import type { ReportRunState } from "./report-run.states.js";
import { type RunRecord, type RunRow, runRecord, runUuid, subjectOf } from "./run-record.js";

/** The PostgreSQL channel that gets lines `<run uuid> <status>` after changes of a report run. */
export const reportRunChannel = "report_run_changes";

/** Another worker has claimed the run, or it has ended. The worker that gets this error changes nothing more. */
export class RunLost extends Error {
  override readonly name = "RunLost";
}

/** The reason why a run has failed, as its readers see it. */
export interface RunError {
  readonly code: string;
  readonly detail: string;
}

/** The statement that moves a run to the state `$3`. The values of `set` and of the condition `when` begin at `$4`. */
function runMove(name: string, set: string, when: string): PreparedStatement {
  return {
    name: `report_run_${name}`,
    text: `update report_runs set status = $3, version = version + 1, updated_at = now(), ${set}
      where tenant_id = $1 and run_id = $2 and ${when} returning *`,
  };
}

const ended = "completed_at = now(), error_code = $4, error_detail = $5";

const moves = {
  claim: runMove(
    "claim",
    "fence = fence + 1, started_at = coalesce(started_at, now()), rows_done = 0, rows_total = null",
    "status in ('Queued', 'Running')",
  ),
  complete: runMove(
    "complete",
    `rows_done = $5, rows_total = $5, size_bytes = $6, sha256 = $7, completed_at = now(),
      expires_at = now() + make_interval(days => $8)`,
    "status = 'Running' and fence = $4",
  ),
  fail: runMove("fail", ended, "status = 'Running' and fence = $6"),
  abandon: runMove("abandon", `fence = fence + 1, ${ended}`, "status = 'Running'"),
  cancel: runMove("cancel", `fence = fence + 1, ${ended}`, "status in ('Queued', 'Running')"),
  expire: runMove("expire", "expires_at = least(expires_at, now())", "status = 'Completed' and expires_at <= $4"),
} as const;

/** The days for which the content of a run is kept. */
export const keptDays = 30;

/** Claims the run for an attempt, or claims it again. Undefined: it has ended. */
export const claimRun = (transaction: Transaction, reportRunId: string) =>
  move(transaction, moves.claim, { reportRunId, to: "Running", values: [] });

/** Completes the claimed run. Undefined, without any change: the claim is lost. */
export const completeRun = (
  transaction: Transaction,
  { reportRunId, fence }: RunRecord,
  content: { readonly rows: number; readonly sizeBytes: number; readonly sha256: string },
) => {
  const values = [fence, content.rows, content.sizeBytes, content.sha256, keptDays];
  return move(transaction, moves.complete, { reportRunId, to: "Completed", values });
};

/** Fails the claimed run. Undefined, without any change: the claim is lost. */
export const failRun = (transaction: Transaction, { reportRunId, fence }: RunRecord, error: RunError) =>
  move(transaction, moves.fail, { reportRunId, to: "Failed", values: [...errorValues(error), fence] });

/** Fails a run that no worker ends any more. Failed may follow only Running, so a Queued run begins first. */
export async function abandonRun(
  transaction: Transaction,
  reportRunId: string,
  error: RunError,
): Promise<RunRecord | undefined> {
  await claimRun(transaction, reportRunId);
  return move(transaction, moves.abandon, { reportRunId, to: "Failed", values: errorValues(error) });
}

/** Cancels a run that has not ended. Undefined, without any change: it has ended. */
export const cancelRun = (transaction: Transaction, reportRunId: string, detail: string) =>
  move(transaction, moves.cancel, {
    reportRunId,
    to: "Cancelled",
    values: errorValues({ code: "RUN_CANCELLED", detail }),
  });

/** Expires a run whose content expires at `until` or before. Undefined, without any change: it is not due. */
export const expireRun = (transaction: Transaction, reportRunId: string, until: Date | "infinity") =>
  move(transaction, moves.expire, { reportRunId, to: "Expired", values: [until] });

const errorValues = ({ code, detail }: RunError) => [code, detail.slice(0, 2000)];

interface Move {
  readonly reportRunId: string;
  readonly to: ReportRunState;
  readonly values: readonly unknown[];
}

async function move(
  { execute, tenant, notify, record }: Transaction,
  statement: PreparedStatement,
  { reportRunId, to, values }: Move,
): Promise<RunRecord | undefined> {
  const uuid = runUuid(reportRunId);
  const [row] = await execute<RunRow>(statement, [tenant.uuid, uuid, to, ...values]);
  if (!row) return undefined;
  notify(reportRunChannel, `${uuid} ${to}`);
  const run = runRecord(row);
  recordRunEvent({ record }, run);
  return run;
}

const events: Readonly<Record<ReportRunState, EventType>> = {
  Queued: "ReportRunQueued",
  Running: "ReportRunStarted",
  Completed: "ReportGenerated",
  Failed: "ReportRunFailed",
  Cancelled: "ReportRunCancelled",
  Expired: "ReportRunExpired",
};

/** Records the event of the state that the run has reached. A run that a worker claims again was started before. */
export function recordRunEvent({ record }: Pick<Transaction, "record">, run: RunRecord): void {
  const { reportRunId, reportDefinitionId, reportCode, format, parameters, periodOver, status } = run;
  if (status === "Running" && run.fence > 1) return;
  const facts = { reportRunId, reportDefinitionId, reportCode, format, parameters, periodOver };
  const { rowsTotal: rows, sizeBytes, sha256, contentType, expiresAt, error } = run;
  const further =
    status === "Completed"
      ? { rows, sizeBytes, sha256, contentType, expiresAt }
      : status === "Failed"
        ? { error }
        : status === "Expired"
          ? { sha256 }
          : {};
  record({ type: events[status], subject: subjectOf(reportRunId), data: { ...facts, ...further } });
}

const progress = {
  name: "report_run_progress",
  text: `update report_runs set rows_done = $4, rows_total = $5, version = version + 1, updated_at = now()
    where tenant_id = $1 and run_id = $2 and status = 'Running' and fence = $3 returning run_id`,
};

/** Stores how far the claimed run has come. Throws RunLost. */
export async function storeProgress(
  { execute, tenant, notify }: Transaction,
  { reportRunId, fence }: RunRecord,
  rows: { readonly done: number; readonly total: number },
): Promise<void> {
  const uuid = runUuid(reportRunId);
  const stored = await execute(progress, [tenant.uuid, uuid, fence, rows.done, rows.total]);
  if (stored.length === 0) throw new RunLost();
  notify(reportRunChannel, `${uuid} Running`);
}
