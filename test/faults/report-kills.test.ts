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
    await generate();
    [{ sha256 } = { sha256: null }] = await endedRuns();
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

  async function generate(): Promise<void> {
    const { items } = await call<{ items: { reportDefinitionId: string }[] }>("GET /v1/reports?code=audit-log");
    const path = `POST /v1/reports/${items[0]?.reportDefinitionId}/generate`;
    await call<TestReportRun>(path, { format: "csv", parameters });
  }

  /** All runs in the order of their requests, when each of them has ended. */
  async function endedRuns(): Promise<TestReportRun[]> {
    let runs: TestReportRun[] = [];
    const areOver = async () => {
      runs = (await call<{ items: TestReportRun[] }>("GET /v1/reports/runs?limit=200&sort=requestedAt")).items;
      return runs.every(({ status }) => !["Queued", "Running"].includes(status));
    };
    await eventually("all report runs have ended", areOver, takeoverMs);
    return runs;
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
    const killedAt: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      const phase = phases[count % phases.length] ?? "claimed";
      await killedOnce(phase);
      killedAt.push(phase);
    }
    platform = await startPlatformProcess(dataDir);
    const runs = (await endedRuns()).slice(1);
    expect(runs).toHaveLength(kills);
    const kept: string[] = [];
    for (const [place, { reportRunId, status, sha256: digest }] of runs.entries()) {
      const phase = killedAt[place];
      const isExpired = phase === "expired";
      const expected = ["ReportRunQueued", "ReportRunStarted", "ReportGenerated"];
      if (isExpired) expected.push("ReportRunExpired");
      const areAll = async () => (await eventsOf(reportRunId)).length >= expected.length;
      await eventually("the run has all its events", areAll, takeoverMs);
      expect([phase, status, digest]).toEqual([phase, isExpired ? "Expired" : "Completed", sha256]);
      expect([phase, await eventsOf(reportRunId)]).toEqual([phase, expected]);
      if (!isExpired) kept.push(decodeId("run", reportRunId) ?? "");
    }
    // The next start sweeps the files of killed processes.
    await platform.stop();
    platform = await startPlatformProcess(dataDir);
    const folder = join(dataDir, "files", "reports", decodeId("ten", tenantId) ?? "");
    const ids = runs.map(({ reportRunId }) => decodeId("run", reportRunId) ?? "");
    const filesOf = async () => (await readdir(folder)).filter((file) => ids.some((id) => file.startsWith(id))).sort();
    const runsOf = (files: readonly string[]) => files.map((file) => file.split(".")[0]);
    const isSwept = async () => (await filesOf()).length === kept.length;
    await eventually("only the contents are left", isSwept, takeoverMs);
    const files = await filesOf();
    expect(runsOf(files)).toEqual([...kept].sort());
    for (const file of files) {
      const digest = createHash("sha256").update(await readFile(join(folder, file)));
      expect([file, digest.digest("hex")]).toEqual([file, sha256]);
    }
  }, 600_000);

  /**
   * Starts the platform, and waits until the job of a new run has killed the process. Runs that earlier kills have
   * interrupted end before, since they would meet the place too.
   */
  async function killedOnce(phase: string): Promise<void> {
    const isExpiry = phase === "expired";
    platform = await restarted();
    await endedRuns();
    if (isExpiry) await generate();
    const [run] = (await endedRuns()).slice(-1);
    platform = await restarted({ FAIL: `reports.${phase}:kill:1` });
    if (isExpiry) {
      await sql("update spine.report_runs set expires_at = now() where run_id = $1", [
        decodeId("run", run?.reportRunId ?? ""),
      ]);
      await sql("update spine_jobs.job set start_after = now() where name = 'expire-report' and singleton_key = $1", [
        run?.reportRunId,
      ]);
    } else {
      // the process may die before it answers
      await generate().catch(() => undefined);
    }
    expect(await platform.ended).toBeNull();
  }

  /** Starts the platform again, whether it runs or has died. */
  async function restarted(variables: Record<string, string> = {}): Promise<PlatformProcess> {
    await platform.stop().catch(() => undefined);
    return startPlatformProcess(dataDir, variables);
  }
});
