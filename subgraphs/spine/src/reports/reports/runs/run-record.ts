import type { RowOf } from "@factory/runtime/db/entity-rows";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { RunTable } from "@factory/runtime/runs/run-table";
import { continueTrace, traceIdOf } from "@factory/runtime/telemetry/trace";
import { reportFormats } from "../../report-formats/report-formats.js";
import type { ReportPeriod } from "../definitions/report-period.js";
import type { ReportRun } from "./report-run.entity.js";
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

/** A report run as this slice sees it. Times are ISO 8601. */
export interface RunRecord {
  readonly tenantId: string;
  readonly reportRunId: string;
  readonly reportDefinitionId: string;
  readonly reportCode: string;
  readonly format: string;
  readonly parameters: ReportPeriod;
  readonly periodOver: boolean;
  readonly status: ReportRunState;
  readonly fence: number;
  readonly sequence: number;
  readonly rowsDone: number;
  readonly rowsTotal: number | null;
  readonly contentType: string | null;
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly correlationId: string;
  readonly traceId: string;
  readonly traceparent: string;
  readonly requestedBy: string;
  readonly requestedAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly expiresAt: string | null;
  readonly updatedAt: string;
}

export function runRecord(row: RunRow): RunRecord {
  return {
    tenantId: encodeId("ten", row.tenant_id),
    reportRunId: encodeId("run", row.run_id),
    reportDefinitionId: encodeId("rpd", row.definition_id),
    reportCode: row.code,
    format: row.format,
    // jsonb sorts members in a different order
    parameters: { from: row.parameters.from, to: row.parameters.to },
    periodOver: row.period_over,
    status: statusOf(row),
    fence: row.fence,
    sequence: row.version,
    rowsDone: row.rows_done,
    rowsTotal: row.rows_total,
    contentType: row.sha256 === null ? null : contentTypeOf(row.format),
    sizeBytes: row.size_bytes === null ? null : Number(row.size_bytes),
    sha256: row.sha256,
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? "" },
    correlationId: row.correlation_id,
    traceId: traceIdOf(row.traceparent),
    traceparent: row.traceparent,
    requestedBy: row.requested_by,
    requestedAt: timeOf(row.requested_at) ?? "",
    startedAt: timeOf(row.started_at),
    completedAt: timeOf(row.completed_at),
    expiresAt: timeOf(row.expires_at),
    updatedAt: timeOf(row.updated_at) ?? "",
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

function timeOf(time: Date | string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
