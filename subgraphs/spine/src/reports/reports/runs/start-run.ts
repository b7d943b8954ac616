import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { traceparent } from "@factory/runtime/telemetry/trace";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { UsableDefinition } from "../definitions/report-definition.service.js";
import { periodBounds, type ReportPeriod } from "../definitions/report-period.js";
import { recordRunEvent } from "./run-moves.js";
import { type FormatName, type RunRecord, type RunRow, runRecord, runTable } from "./run-record.js";

interface NewRun {
  readonly definition: UsableDefinition;
  readonly format: FormatName;
  readonly parameters: ReportPeriod;
}

/** Other subgraphs' records reach the spine by the bus, which takes seconds, or longer after an outage. */
const settledMs = 60 * 60_000;

const insertRun = {
  name: "report_run_insert",
  text: `insert into report_runs (tenant_id, run_id, definition_id, code, format, parameters, period_over, status,
      correlation_id, traceparent, requested_by, requested_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, 'Queued', $8, $9, $10, $11, $11) returning *`,
};

/** Inserts a Queued run and records its event, in the caller's transaction, whose cause becomes the run's cause. */
export async function startRun(transaction: Transaction, run: NewRun): Promise<RunRecord> {
  const { execute, tenant, cause } = transaction;
  const { definition, format, parameters } = run;
  const now = new Date();
  const [row] = await execute<RunRow>(insertRun, [
    tenant.uuid,
    runTable.uuid(newId("run")),
    decodeId("rpd", definition.reportDefinitionId),
    definition.code,
    format,
    JSON.stringify(parameters),
    now.getTime() >= periodBounds(parameters).end.getTime() + settledMs,
    cause.correlationId ?? cause.trace.traceId,
    traceparent(cause.trace),
    cause.actorId ?? "system",
    now,
  ]);
  if (!row) throw new Error("A report run was not stored");
  const queuedRun = runRecord(row);
  recordRunEvent(transaction, queuedRun);
  return queuedRun;
}
