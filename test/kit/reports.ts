import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace, traceparent } from "@factory/runtime/telemetry/trace";
import { rows } from "./database.js";
import { eventually } from "./eventually.js";
import { request } from "./request.js";

/** A report run, as REST shows it. */
export interface TestReportRun {
  readonly reportRunId: string;
  readonly reportDefinitionId: string;
  readonly reportCode: string;
  readonly format: string;
  readonly status: string;
  readonly periodOver: boolean;
  readonly rowsDone: number;
  readonly rowsTotal: number | null;
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
  readonly expiresAt: string | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

const year = new Date().getUTCFullYear() - 1;

/** A period that is over. */
export const lastYear = { from: `${year}-01-01`, to: `${year}-12-31` };

/** A period that ends today. */
export const untilToday = () => {
  const to = new Date().toISOString().slice(0, 10);
  return { from: new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10), to };
};

/** A report definition's id in the token's tenant. */
export async function aReportDefinitionId(token: string, code = "usage-summary"): Promise<string> {
  const path = `GET /v1/reports?code=${code}`;
  const { body } = await request<{ items: { reportDefinitionId: string }[] }>(path, { token });
  const [definition] = body.items;
  if (!definition) throw new Error(`The tenant has no report ${code}`);
  return definition.reportDefinitionId;
}

/** Generates a report, and returns its run when that has ended. */
export async function aReportRun(
  token: string,
  { code = "usage-summary", format = "csv", parameters = lastYear as { from: string; to: string } } = {},
): Promise<TestReportRun> {
  const path = `POST /v1/reports/${await aReportDefinitionId(token, code)}/generate`;
  const { body, status, text } = await request<TestReportRun>(path, { token, body: { format, parameters } });
  if (status !== 202) throw new Error(text);
  return endedReportRun(token, body.reportRunId);
}

/** The run when it has ended. */
export async function endedReportRun(token: string, reportRunId: string): Promise<TestReportRun> {
  let run: TestReportRun | undefined;
  await eventually("the report run has ended", async () => {
    run = (await request<TestReportRun>(`GET /v1/reports/runs/${reportRunId}`, { token })).body;
    return !["Queued", "Running"].includes(run.status);
  });
  return run as TestReportRun;
}

/** A Completed report run's id. */
export const aReportRunId = async (token: string): Promise<string> => (await aReportRun(token)).reportRunId;

/** A Queued run without a job. The sweep sends its job after a minute. */
export async function aQueuedReportRun(tenantId: string): Promise<string> {
  const reportRunId = newId("run");
  await rows(
    `insert into spine.report_runs (tenant_id, run_id, definition_id, code, format, parameters, period_over, status,
       correlation_id, traceparent, requested_by, requested_at, updated_at)
     select tenant_id, $2, definition_id, code, 'csv', $3, true, 'Queued', 'test', $4, 'test', now(), now()
     from spine.report_definitions where tenant_id = $1 and code = 'audit-log'`,
    [
      decodeId("ten", tenantId),
      decodeId("run", reportRunId),
      JSON.stringify(lastYear),
      traceparent(continueTrace(undefined)),
    ],
  );
  return reportRunId;
}
