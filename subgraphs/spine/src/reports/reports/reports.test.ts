import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { type Json, principal, RunningSpine, testSettings, until } from "../../running-spine.fixture.js";
import { startSpine } from "../../subgraph.js";
import { ContentSweep } from "./contents/content-sweep.js";
import { pastYear, TenantReports, untilToday, withSpine } from "./report.fixture.js";

let platform: RunningSpine;
let reports: TenantReports;
let filesDir: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  filesDir = platform.filesDir;
  reports = new TenantReports(platform, await platform.activeTenant("reports"));
});
afterAll(() => platform?.stop());

const filesOf = ({ tenantId }: TenantReports) =>
  readdir(join(filesDir, "reports", decodeId("ten", tenantId) ?? "")).catch(() => [] as string[]);
const aTenant = async (slug: string) => new TenantReports(platform, await platform.activeTenant(slug));
const sql = (text: string, ...values: unknown[]) => platform.admin.query(text, values);
const uuidOf = (run: Json) => decodeId("run", run.reportRunId);

describe("report definitions", () => {
  it("are given to each tenant, with their formats and the schema of their parameters", async () => {
    const definitions = await reports.definitions();
    expect(definitions.map(({ code }) => code)).toEqual(["usage-summary", "audit-log", "user-activity"]);
    for (const { formats, parametersSchema } of definitions) {
      expect(formats).toEqual(expect.arrayContaining(["csv", "json", "xlsx", "pdf"]));
      expect(parametersSchema).toMatchObject({ required: ["from", "to"], properties: { from: { format: "date" } } });
    }
  });

  it("are given to tenants that were provisioned before they existed", async () => {
    const tenant = decodeId("ten", reports.tenantId);
    await sql("delete from report_definitions where tenant_id = $1", tenant);
    await sql(
      "update tenants set provisioned_steps = array_remove(provisioned_steps, 'seedReportDefinitions') where tenant_id = $1",
      tenant,
    );
    const again = await startSpine(platform.host, { ...testSettings, filesDir });
    await until(async () => (await reports.definitions()).length === 3);
    await again.close();
  });

  it("are found by their code", async () => {
    const { data } = await reports.ask('{ reportDefinitions(filter: { code: "audit-log" }) { items { code } } }');
    expect(data?.["reportDefinitions"].items).toEqual([{ code: "audit-log" }]);
  });
});

describe("a report run", () => {
  it("is Queued, then Completed with its content, and tells of it", async () => {
    const { data } = await reports.request("audit-log", { format: "csv", parameters: pastYear });
    expect(data?.["run"]).toMatchObject({ status: "Queued", reportCode: "audit-log", periodOver: true, sha256: null });
    const run = await reports.ended(data?.["run"].reportRunId);
    expect(run).toMatchObject({ status: "Completed", rowsDone: 0, rowsTotal: 0, error: null });
    expect(run.contentType).toBe("text/csv; charset=utf-8");
    expect(new Date(run.expiresAt).getTime() - new Date(run.completedAt).getTime()).toBe(30 * 86_400_000);
    expect(await reports.content(run)).toMatch(/^time,source,operation,.*\r\n$/);
    const events = await reports.eventsOf(run.reportRunId);
    expect(events.map(({ type }) => type)).toEqual(["ReportRunQueued", "ReportRunStarted", "ReportGenerated"]);
    expect(events[2]?.data).toMatchObject({ ...pick(run), rows: 0, periodOver: true, parameters: pastYear });
    expect(await filesOf(reports)).toContain(`${uuidOf(run)}.1`);
  });

  it("has the same content as another one over the same rows, also after a restart", async () => {
    const tenant = await aTenant("same");
    await tenant.addRecords([
      { at: "2024-05-05T10:00:00Z", subject: '=cmd|"/c calc"!A1' },
      { at: "2024-05-05T10:00:00Z", operation: "publishTemplateVersion" },
      { at: "2025-01-01T00:00:00Z", operation: "too late" },
      { at: "2023-12-31T23:59:59.999Z", operation: "too early" },
      { at: "2024-12-31T23:59:59.999Z", operation: "last" },
    ]);
    const digests = new Map<string, string>();
    for (const { code, formats } of await tenant.definitions())
      for (const format of formats) {
        const [run, otherRun] = [await tenant.generated(code, format), await tenant.generated(code, format)];
        expect([code, format, run.error, run.sha256]).toEqual([code, format, null, otherRun.sha256]);
        digests.set(`${code} ${format}`, run.sha256);
      }
    const csv = await tenant.content(await tenant.generated("audit-log"));
    expect(csv.split("\r\n").map((line) => line.split(",")[2])).toEqual([
      ...["operation", "registerTemplate", "publishTemplateVersion", "last"],
      undefined,
    ]);
    expect(csv).toContain(`'=cmd|`);
    const restartedSpine = await startSpine(platform.host, { ...testSettings, filesDir });
    const elsewhere = new TenantReports(withSpine(platform, restartedSpine), tenant.tenantId);
    for (const [report, sha256] of digests) {
      const [code = "", format = ""] = report.split(" ");
      expect([report, (await elsewhere.generated(code, format)).sha256]).toEqual([report, sha256]);
    }
    await restartedSpine.close();
  });

  it("leaves out the records of the same report, so that a period that is not over gives the same content twice", async () => {
    const tenant = await aTenant("today");
    const parameters = untilToday();
    const underWay = `select from outbox where tenant_id = $1 and type = 'AuditRecord'
      and not exists (select from audit_records where record_id = outbox.id)`;
    /** Waits until the bus has brought all records about the test itself. */
    const settledBus = () => until(async () => (await sql(underWay, decodeId("ten", tenant.tenantId))).rowCount === 0);
    for (const { code } of await tenant.definitions()) {
      await settledBus();
      const run = await tenant.generated(code, "json", parameters);
      const other = await tenant.generated(code, "json", parameters);
      expect([code, other.sha256]).toEqual([code, run.sha256]);
      expect(run.periodOver).toBe(false);
      expect(JSON.parse(await tenant.content(run)).notes).toEqual([expect.stringContaining("was not over")]);
    }
  });

  it("is refused with a pointer to what is wrong", async () => {
    const refusalOf = async (input: Record<string, unknown>) => {
      const { refusal } = await reports.request("audit-log", input);
      const [error] = (refusal?.["errors"] as { pointer: string; code: string }[]) ?? [];
      return [refusal?.["code"], error?.pointer, error?.code];
    };
    expect(await refusalOf({ format: "csv" })).toEqual([
      ...["PARAMETERS_INVALID", "/input/parameters/from", "REQUIRED"],
    ]);
    expect(await refusalOf({ format: "csv", parameters: { from: "2026-02-30", to: "2026-03-01" } })).toEqual([
      ...["PARAMETERS_INVALID", "/input/parameters/from", "FORMAT"],
    ]);
    expect((await reports.request("nothing", { format: "csv", parameters: pastYear })).refusal?.["code"]).toBe(
      "NOT_FOUND",
    );
    const foreign = { format: "csv", parameters: pastYear, tenantId: newId("ten") };
    expect((await reports.request("audit-log", foreign)).refusal?.["code"]).toBe("TENANT_MISMATCH");
  });

  it("is listed by state and format", async () => {
    const list = "query ($filter: ReportRunFilterInput) { reportRuns(filter: $filter) { items { format status } } }";
    const listWith = (filter: Record<string, string>) => reports.ask(list, { filter });
    await reports.generated("usage-summary", "json");
    const { data } = await listWith({ format: "json", status: "Completed" });
    expect(data?.["reportRuns"].items).toContainEqual({ format: "json", status: "Completed" });
  });

  it("is started once for an idempotency key", async () => {
    const input = { format: "csv", parameters: pastYear };
    const first = await reports.request("audit-log", input, "once");
    const other = await reports.request("audit-log", input, "once");
    expect([other.replayed, other.data?.["run"].reportRunId]).toEqual([true, first.data?.["run"].reportRunId]);
  });

  it("is not found by another tenant, nor is its content", async () => {
    const run = await reports.generated("usage-summary");
    const other = await aTenant("foreign");
    await expect(other.run(run.reportRunId)).rejects.toThrow("RUN_NOT_FOUND");
    await expect(platform.spine.reportContents.open(other.caller, run.reportRunId)).rejects.toMatchObject({
      code: "RUN_NOT_FOUND",
    });
    expect((await other.move("expireReportRun", run.reportRunId)).refusal?.["code"]).toBe("RUN_NOT_FOUND");
  });

  it("shows its content to callers with the scopes that protect the rows elsewhere", async () => {
    const run = await reports.generated("audit-log");
    const bare = principal(reports.tenantId, ["report.read", "report.generate"]);
    await expect(platform.spine.reportContents.open(bare, run.reportRunId)).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      facts: { requiredScopes: ["audit.read"] },
    });
    const summary = await reports.generated("usage-summary");
    await platform.spine.reportContents.open(bare, summary.reportRunId);
  });
});

describe("the end of a report run", () => {
  /** A Queued run without a job, as one that waits for its turn. */
  async function aQueuedRun(tenant: TenantReports, changes: Record<string, unknown> = {}): Promise<Json> {
    const { format = "csv", requestedAt = new Date() } = changes;
    const reportRunId = newId("run");
    await sql(
      `insert into report_runs (tenant_id, run_id, definition_id, code, format, parameters, period_over, status,
         correlation_id, traceparent, requested_by, requested_at, updated_at)
       select tenant_id, $2, definition_id, code, $3, $4, true, 'Queued', 'test',
         '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'test', $5, $5
       from report_definitions where tenant_id = $1 and code = 'audit-log'`,
      ...[decodeId("ten", tenant.tenantId), decodeId("run", reportRunId), format, pastYear, requestedAt],
    );
    return tenant.run(reportRunId);
  }

  it("may be a cancellation, once", async () => {
    const tenant = await aTenant("cancelled");
    const queuedRun = await aQueuedRun(tenant);
    const { data } = await tenant.move("cancelReportRun", queuedRun.reportRunId);
    expect(data?.["run"]).toMatchObject({ status: "Cancelled", error: { code: "RUN_CANCELLED" } });
    expect((await tenant.move("cancelReportRun", queuedRun.reportRunId)).data?.["run"].status).toBe("Cancelled");
    expect((await tenant.eventsOf(queuedRun.reportRunId)).map(({ type }) => type)).toEqual(["ReportRunCancelled"]);
    const open = platform.spine.reportContents.open(tenant.caller, queuedRun.reportRunId);
    await expect(open).rejects.toMatchObject({ code: "INVALID_STATE", facts: { currentState: "Cancelled" } });
    const completedRun = await tenant.generated("usage-summary");
    const refusedMove = await tenant.move("cancelReportRun", completedRun.reportRunId);
    expect(refusedMove.refusal).toMatchObject({ code: "INVALID_STATE", currentState: "Completed" });
  });

  it("may be a cancellation while it reads rows, which ends its statement and leaves no file", async () => {
    const tenant = await aTenant("interrupted");
    const other = await platform.admin.connect();
    await other.query("begin; lock table users in access exclusive mode");
    const { data } = await tenant.request("user-activity", { format: "csv", parameters: pastYear });
    const reportRunId: string = data?.["run"].reportRunId;
    const waiting = async () =>
      (
        await sql(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%from users%'",
        )
      ).rowCount;
    await until(async () => (await waiting()) === 1);
    await tenant.move("cancelReportRun", reportRunId);
    try {
      await until(async () => (await waiting()) === 0);
    } finally {
      await other.query("rollback");
      other.release();
    }
    expect(await tenant.run(reportRunId)).toMatchObject({ status: "Cancelled", sizeBytes: null });
    expect(await filesOf(tenant)).toEqual([]);
    expect((await tenant.eventsOf(reportRunId)).map(({ type }) => type)).toEqual([
      ...["ReportRunQueued", "ReportRunStarted", "ReportRunCancelled"],
    ]);
  });

  it("is Expired after 30 days, and its content is removed", async () => {
    const tenant = await aTenant("expired");
    const [run, keptRun] = [await tenant.generated("audit-log"), await tenant.generated("audit-log")];
    await sql("update report_runs set expires_at = now() where run_id = $1", uuidOf(run));
    expect((await tenant.run(run.reportRunId)).status).toBe("Expired");
    const open = platform.spine.reportContents.open(tenant.caller, run.reportRunId);
    await expect(open).rejects.toMatchObject({ code: "REPORT_EXPIRED" });
    await sql(
      "update spine_jobs.job set start_after = now() where name = 'expire-report' and singleton_key = $1",
      run.reportRunId,
    );
    await until(async () => (await filesOf(tenant)).length === 1);
    expect(await filesOf(tenant)).toEqual([`${uuidOf(keptRun)}.1`]);
    const events = await tenant.eventsOf(run.reportRunId);
    expect(events.at(-1)).toMatchObject({ type: "ReportRunExpired", data: { sha256: run.sha256 } });
  });

  it("may be an expiry before its time", async () => {
    const tenant = await aTenant("early");
    const run = await tenant.generated("audit-log");
    expect((await tenant.move("expireReportRun", run.reportRunId)).data?.["run"].status).toBe("Expired");
    await until(async () => (await filesOf(tenant)).length === 0);
    expect((await tenant.move("expireReportRun", run.reportRunId)).data?.["run"].status).toBe("Expired");
    const queuedRun = await aQueuedRun(tenant);
    const refusedMove = await tenant.move("expireReportRun", queuedRun.reportRunId);
    expect(refusedMove.refusal).toMatchObject({ code: "INVALID_STATE", allowed: ["Completed"] });
  });

  it("is followed by a sweep of contents that belong to no run", async () => {
    const tenant = await aTenant("swept");
    const [keptRun, goneRun] = [await tenant.generated("audit-log"), await tenant.generated("audit-log")];
    await sql("update report_runs set status = 'Failed' where run_id = $1", uuidOf(goneRun));
    const removedCount = await platform.spine.get(ContentSweep).run();
    expect(removedCount).toBeGreaterThanOrEqual(1);
    expect(await filesOf(tenant)).toEqual([`${uuidOf(keptRun)}.1`]);
  });
});

describe("a large report", () => {
  it("is refused in a format that cannot hold its rows", async () => {
    const tenant = await aTenant("large");
    await tenant.addRecords(Array.from({ length: 10_001 }, () => ({ at: "2024-02-02T00:00:00Z" })));
    const { refusal } = await tenant.request("audit-log", { format: "pdf", parameters: pastYear });
    expect(refusal).toMatchObject({ code: "REPORT_TOO_LARGE", limit: 10_000 });
    expect(refusal?.["errors"]).toEqual([expect.objectContaining({ pointer: "/input/format" })]);
    const run = await tenant.generated("audit-log");
    expect(run).toMatchObject({ status: "Completed", rowsDone: 10_001, rowsTotal: 10_001 });
    expect((await tenant.content(run)).split("\r\n")).toHaveLength(10_003);
  });
});

/** The facts that a completed run's event repeats. */
const pick = ({ reportRunId, sizeBytes, sha256, contentType, expiresAt }: Json) => ({
  ...{ reportRunId, sizeBytes, sha256, contentType, expiresAt },
});
