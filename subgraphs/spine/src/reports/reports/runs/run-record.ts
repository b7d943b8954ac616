import { type RowOf, type SentRecordOf, sentRowReader } from "@factory/runtime/db/entity-rows";
import type { Cause } from "@factory/runtime/messages/envelope";
import { RunTable } from "@factory/runtime/runs/run-table";
import { continueTrace, traceIdOf } from "@factory/runtime/telemetry/trace";
import { reportFormats } from "../../report-formats/report-formats.js";
import { ReportRun } from "./report-run.entity.js";
import type { ReportRunState } from "./report-run.states.js";

/** A row in `report_runs`. */
export type RunRow = RowOf<ReportRun>;

/** The report runs' table. `version` is a change's sequence number. */
export const runTable = new RunTable<RunRow, ReportRunState>({
  table: "report_runs",
  key: "run_id",
  prefix: "run",
  channel: "report_run_changes",
  counted: "version = version + 1, updated_at = now()",
});

const readRow = sentRowReader(ReportRun);

type RenamedMember = "runId" | "definitionId" | "code" | "version" | "sizeBytes" | "errorCode" | "errorDetail";

/** A report run as this slice sees it. Times are ISO 8601. */
export type RunRecord = Omit<SentRecordOf<ReportRun>, RenamedMember> & {
  readonly reportRunId: string;
  readonly reportDefinitionId: string;
  readonly reportCode: string;
  readonly sequence: number;
  readonly contentType: string | null;
  readonly sizeBytes: number | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly traceId: string;
};

export function runRecord(row: RunRow): RunRecord {
  const { runId, definitionId, code, version, errorCode, errorDetail, ...run } = readRow(row);
  return {
    ...run,
    reportRunId: runId,
    reportDefinitionId: definitionId,
    reportCode: code,
    sequence: version,
    // jsonb sorts members in a different order
    parameters: { from: run.parameters.from, to: run.parameters.to },
    status: statusOf(row),
    contentType: run.sha256 === null ? null : contentTypeOf(run.format),
    sizeBytes: run.sizeBytes === null ? null : Number(run.sizeBytes),
    error: errorCode === null ? null : { code: errorCode, detail: errorDetail ?? "" },
    traceId: traceIdOf(run.traceparent),
  };
}

/** A content has expired for every reader after its time, also before the job has removed it. */
function statusOf({ status, expires_at }: RunRow): ReportRunState {
  return status === "Completed" && expires_at !== null && new Date(expires_at) <= new Date() ? "Expired" : status;
}

/** A format's media type; null for one that this release does not know. */
function contentTypeOf(format: string): string | null {
  return isFormat(format) ? reportFormats[format].contentType : null;
}

/** The name for a format that this release can write. */
export type FormatName = keyof typeof reportFormats;

/** Whether this release can write the format. */
export const isFormat = (format: string): format is FormatName => Object.hasOwn(reportFormats, format);

/** The subject in a run's events and audit records. */
export const subjectOf = (reportRunId: string): string => `report-runs/${reportRunId}`;

/** The cause for everything that a run does: its trace, its correlation and its actor. */
export const causeOfRun = ({ traceparent, correlationId, requestedBy }: RunRecord): Cause => ({
  trace: continueTrace(traceparent),
  correlationId,
  actorId: requestedBy,
});
