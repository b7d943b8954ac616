import type { NamedStatement } from "@factory/runtime/db/named-parameters";
import { errorColumns, type RunError } from "@factory/runtime/runs/run-error";
import { requireMoved } from "@factory/runtime/runs/run-lost";
import type { Move } from "@factory/runtime/runs/run-table";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import type { ReportRunState } from "./report-run.states.js";
import { type RunRecord, runRecord, runTable, subjectOf } from "./run-record.js";

const endColumns = "completed_at = now(), error_code = $code, error_detail = $detail";
const isClaimed = "status = 'Running' and fence = $fence";

const moves = {
  claim: runTable.moveStatement(
    "report_run_claim",
    "fence = fence + 1, started_at = coalesce(started_at, now()), rows_done = 0, rows_total = null",
    "status in ('Queued', 'Running')",
  ),
  complete: runTable.moveStatement(
    "report_run_complete",
    `rows_done = $rows, rows_total = $rows, size_bytes = $sizeBytes, sha256 = $sha256, completed_at = now(),
      expires_at = now() + make_interval(days => $days)`,
    isClaimed,
  ),
  fail: runTable.moveStatement("report_run_fail", endColumns, isClaimed),
  abandon: runTable.moveStatement("report_run_abandon", `fence = fence + 1, ${endColumns}`, "status = 'Running'"),
  cancel: runTable.moveStatement(
    "report_run_cancel",
    `fence = fence + 1, ${endColumns}`,
    "status in ('Queued', 'Running')",
  ),
  expire: runTable.moveStatement(
    "report_run_expire",
    "expires_at = least(expires_at, now())",
    "status = 'Completed' and expires_at <= $until",
  ),
} as const;

/** The days for which a run's content is kept. */
export const keptDays = 30;

/** Claims the run for an attempt, or claims it again. Undefined: it has ended. */
export const claimRun = (transaction: Transaction, reportRunId: string) =>
  move(transaction, moves.claim, { id: reportRunId, to: "Running" });

/** Completes the claimed run. Undefined, without any change: the claim is lost. */
export const completeRun = (
  transaction: Transaction,
  { reportRunId, fence }: RunRecord,
  content: { readonly rows: number; readonly sizeBytes: number; readonly sha256: string },
) => {
  const values = { fence, ...content, days: keptDays };
  return move(transaction, moves.complete, { id: reportRunId, to: "Completed", values });
};

/** Fails the claimed run. Undefined, without any change: the claim is lost. */
export const failRun = (transaction: Transaction, { reportRunId, fence }: RunRecord, error: RunError) =>
  move(transaction, moves.fail, { id: reportRunId, to: "Failed", values: { ...errorColumns(error), fence } });

/** Fails a run that no worker ends any more. Failed may follow only Running, so a Queued run begins first. */
export async function abandonRun(
  transaction: Transaction,
  reportRunId: string,
  error: RunError,
): Promise<RunRecord | undefined> {
  await claimRun(transaction, reportRunId);
  return move(transaction, moves.abandon, { id: reportRunId, to: "Failed", values: errorColumns(error) });
}

/** Cancels a run that has not ended. Undefined, without any change: it has ended. */
export const cancelRun = (transaction: Transaction, reportRunId: string, detail: string) =>
  move(transaction, moves.cancel, {
    id: reportRunId,
    to: "Cancelled",
    values: errorColumns({ code: "RUN_CANCELLED", detail }),
  });

/** Expires a run whose content expires at `until` or before. Undefined, without any change: it is not due. */
export const expireRun = (transaction: Transaction, reportRunId: string, until: Date | "infinity") =>
  move(transaction, moves.expire, { id: reportRunId, to: "Expired", values: { until } });

async function move(
  transaction: Transaction,
  statement: NamedStatement,
  change: Move<ReportRunState>,
): Promise<RunRecord | undefined> {
  const row = await runTable.move(transaction, statement, change);
  if (!row) return undefined;
  const run = runRecord(row);
  recordRunEvent(transaction, run);
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

/** Records the event for the state that the run has reached. A run that a worker claims again was started before. */
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

const progress = runTable.moveStatement("report_run_progress", "rows_done = $done, rows_total = $total", isClaimed);

/** Stores how far the claimed run has come. Throws RunLost. */
export async function storeProgress(
  transaction: Transaction,
  { reportRunId, fence }: RunRecord,
  { done, total }: { readonly done: number; readonly total: number },
): Promise<void> {
  const values = { done, total, fence };
  requireMoved(await runTable.move(transaction, progress, { id: reportRunId, to: "Running", values }));
}
