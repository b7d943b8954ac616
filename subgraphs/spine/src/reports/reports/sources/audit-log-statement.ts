// tables: audit_records

import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { ReportSnapshot } from "../snapshot/report-snapshot.js";
import { cellsOf, columnsIn, type SqlColumn, selected } from "./cells.js";
import type { ReportSource, SourceQuery } from "./report-source.js";

const columns: readonly SqlColumn[] = [
  { key: "time", title: "Time", kind: "date-time", sql: "recorded_at", isNarrow: true },
  { key: "source", title: "Source", kind: "text", sql: "ltrim(source, '/')" },
  { key: "operation", title: "Operation", kind: "text", sql: "operation", width: 1.5, isNarrow: true },
  { key: "outcome", title: "Outcome", kind: "text", sql: "outcome", isNarrow: true },
  { key: "code", title: "Code", kind: "text", sql: "code" },
  { key: "status", title: "Status", kind: "integer", sql: "status" },
  { key: "subject", title: "Subject", kind: "text", sql: "subject", width: 2, isNarrow: true },
  { key: "principal", title: "Principal", kind: "text", sql: "principal", width: 1.5, isNarrow: true },
  { key: "principalType", title: "Principal type", kind: "text", sql: "principal_type" },
  { key: "clientId", title: "Client", kind: "text", sql: "client_id", width: 1.5 },
  { key: "agent", title: "Agent", kind: "text", sql: "agent", width: 1.5 },
  { key: "agentTaskId", title: "Agent task", kind: "text", sql: "agent_task_id" },
  { key: "approvalId", title: "Approval", kind: "text", sql: "approval_id", width: 1.5 },
  { key: "address", title: "Address", kind: "text", sql: "address" },
  { key: "email", title: "E-mail", kind: "text", sql: "email" },
  { key: "userAgent", title: "User agent", kind: "text", sql: "user_agent" },
  { key: "traceId", title: "Trace", kind: "text", sql: "trace_id", width: 1.5 },
  { key: "count", title: "Count", kind: "integer", sql: "count" },
  { key: "firstTime", title: "First time", kind: "date-time", sql: "first_at" },
  {
    key: "recordId",
    title: "Record",
    kind: "text",
    sql: "record_id",
    cell: (uuid) => encodeId("aud", uuid),
    width: 1.5,
  },
  { key: "position", title: "Position", kind: "integer", sql: "position", isNarrow: true },
];

const chosenRecords = `from audit_records where tenant_id = $1 and recorded_at >= $2 and recorded_at < $3
  and (subject is null or subject <> all($4::text[]))`;

const valuesOf = ({ tenantUuid, start, end, leftOut }: SourceQuery) => [tenantUuid, start, end, leftOut];

/** The audit log's records, ordered by their time and by the chain. */
export const auditLogSource: ReportSource = {
  columns: (format) => columnsIn(columns, format),
  async read(snapshot, query, format) {
    const [[count] = []] = await snapshot.rows(`select count(*) ${chosenRecords}`, valuesOf(query));
    return { total: Number(count), rows: readRecords(snapshot, query, columnsIn(columns, format)) };
  },
  countUpTo: tenantStatement(
    "report_audit_log_rows",
    `select count(*)::int as rows from (
       select from audit_records
       where tenant_id = scope.tenant and recorded_at >= $2 and recorded_at < $3 limit $4) counted`,
  ),
};

async function* readRecords(snapshot: ReportSnapshot, query: SourceQuery, shownColumns: readonly SqlColumn[]) {
  const convert = cellsOf(shownColumns);
  const text = `select ${selected(shownColumns)} ${chosenRecords} order by recorded_at, position`;
  for await (const batch of snapshot.batches(text, valuesOf(query))) yield convert(batch);
}
