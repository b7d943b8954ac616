import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/gateway/standalone/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/gateway/standalone/client/platform-process";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import { eventually } from "../kit/eventually.js";
import { killsAt } from "../kit/kills.js";
import type { TestReportRun } from "../kit/reports.js";
import { request } from "../kit/request.js";

/**
 * Where the process is killed: after the claim, while it writes, before the file has its name, before the commit, inside
 * the transaction, and after it; and between the expiry and the removal of the content.
 */
const phases = ["claimed", "writing", "unrenamed", "written", "completing", "completed", "expired"] as const;
const kills = killsAt(phases.length);
/** A generous limit for the time until the last start continues the jobs of all killed processes. */
const takeoverMs = 120_000;
const parameters = { from: "2024-01-01", to: "2024-12-31" };
/** Enough for several batches. */
const records = 2000;

describe("kill -9 in the job of a report", () => {
  let dataDir: string;
  let platform: PlatformProcess;
  let client: ClientCredentials;
  let tenantId: string;
  let sha256: string | null;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
    platform = await startPlatformProcess(dataDir);
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    ({ tenantId } = await ensureTenant(platform, admin, "killed", "killed"));
    const scopes = ["report.read", "report.generate", "audit.read"] as const;
    client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes: [...scopes] });
    await sql(
      `insert into spine.audit_records (tenant_id, position, record_id, recorded_at, source, operation, outcome, trace_id, hash)
       select $1, 1000000 + number, gen_random_uuid(), '2024-03-01', '/catalog', 'registerTemplate', 'Succeeded', 'trace', ''
       from generate_series(1, ${records}) as number`,
      [decodeId("ten", tenantId)],
    );
    ({ sha256 } = await ended(await generate()));
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
  });

  async function sql<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const { host, port, user, password } = await readJson<Record<string, string>>(dataDir, "postgres.json");
    const connection = new pg.Client(`postgres://${user}:${password}@${host}:${port}/postgres`);
    await connection.connect();
    try {
      return (await connection.query<Row>(text, values)).rows;
    } finally {
      await connection.end();
    }
  }

  const call = async <Body>(at: string, body?: unknown): Promise<Body> => {
    const token = await accessToken(platform, client);
    return (await request<Body>(at, { base: platform.publicUrl, token, ...(body === undefined ? {} : { body }) })).body;
  };

  async function generate(): Promise<string> {
    const { items } = await call<{ items: { reportDefinitionId: string }[] }>("GET /v1/reports?code=audit-log");
    const path = `POST /v1/reports/${items[0]?.reportDefinitionId}/generate`;
    return (await call<TestReportRun>(path, { format: "csv", parameters })).reportRunId;
  }

  async function ended(reportRunId: string): Promise<TestReportRun> {
    let run: TestReportRun | undefined;
    const isOver = async () => {
      run = await call<TestReportRun>(`GET /v1/reports/runs/${reportRunId}`);
      return !["Queued", "Running"].includes(run.status);
    };
    await eventually("the report run has ended", isOver, takeoverMs);
    return run as TestReportRun;
  }

  const eventsOf = async (reportRunId: string) => {
    const found = await sql<{ type: string }>(
      `select envelope->>'type' as type from spine.outbox
       where tenant_id = $1 and envelope->>'messagekind' = 'event' and envelope->>'subject' = $2 order by seq`,
      [decodeId("ten", tenantId), `report-runs/${reportRunId}`],
    );
    return found.map(({ type }) => type);
  };

  it("leaves each content and each event exactly once", async () => {
    const runs: { phase: string; reportRunId: string }[] = [];
    for (let count = 0; count < kills; count += 1) {
      const phase = phases[count % phases.length] ?? "claimed";
      runs.push({ phase, reportRunId: await killedOnce(phase, runs.at(-1)?.reportRunId) });
    }
    platform = await startPlatformProcess(dataDir);
    const folder = join(dataDir, "files", "reports", decodeId("ten", tenantId) ?? "");
    const kept: string[] = [];
    for (const { phase, reportRunId } of runs) {
      const run = await ended(reportRunId);
      const begun = ["ReportRunQueued", "ReportRunStarted", "ReportGenerated"];
      const isExpired = phase === "expired";
      await eventually(
        "the run has all its events",
        async () => (await eventsOf(reportRunId)).length >= (isExpired ? 4 : 3),
        takeoverMs,
      );
      expect([phase, run.status, run.sha256]).toEqual([phase, isExpired ? "Expired" : "Completed", sha256]);
      expect([phase, ...(await eventsOf(reportRunId))]).toEqual([
        ...[phase, ...begun],
        ...(isExpired ? ["ReportRunExpired"] : []),
      ]);
      if (!isExpired) kept.push(decodeId("run", reportRunId) ?? "");
    }
    await platform.stop();
    platform = await startPlatformProcess(dataDir);
    const filesOf = async () =>
      (await readdir(folder)).filter((file) =>
        runs.some(({ reportRunId }) => file.startsWith(decodeId("run", reportRunId) ?? "")),
      );
    await eventually("what the killed processes left is swept", async () => (await filesOf()).length === kept.length);
    for (const file of await filesOf()) {
      expect(kept).toContain(file.split(".")[0]);
      const digest = createHash("sha256").update(await readFile(join(folder, file)));
      expect(digest.digest("hex")).toBe(sha256);
    }
  }, 600_000);

  /**
   * Starts the platform, and waits until the job of a new run has killed the process. The run that an earlier kill
   * interrupted ends before, since it would meet the place too.
   */
  async function killedOnce(phase: string, interrupted: string | undefined): Promise<string> {
    if (interrupted !== undefined) {
      platform = await startPlatformProcess(dataDir);
      await ended(interrupted);
    }
    const expiring = phase === "expired" ? await generate() : undefined;
    if (expiring !== undefined) await ended(expiring);
    await platform.stop();
    platform = await startPlatformProcess(dataDir, { FAIL: `reports.${phase}:kill:1` });
    const reportRunId = expiring ?? (await generate());
    if (expiring !== undefined) {
      const due = [decodeId("run", expiring)];
      await sql("update spine.report_runs set expires_at = now() where run_id = $1", due);
      await sql("update spine_jobs.job set start_after = now() where name = 'expire-report' and singleton_key = $1", [
        expiring,
      ]);
    }
    expect(await platform.ended).toBeNull();
    return reportRunId;
  }
});
