import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { killsAt } from "@factory/runtime/faults/kills.fixture";
import { ProcessEnded } from "@factory/runtime/faults/subgraph-process.fixture";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type Json, principal } from "../../spine-caller.fixture.js";
import { SpineProcesses } from "../../spine-processes.fixture.js";

/**
 * Where the process is killed: before a stored content is committed, and between a content's expiry and its removal;
 * inside the transaction, before the file has its name, while it writes, after the claim, and after the commit.
 */
const phases = ["written", "expired", "completing", "unrenamed", "writing", "claimed", "completed"] as const;
/** The first two places, since each kill takes up to two starts. `KILLS=10` meets all places. */
const kills = killsAt(2);
/** A generous limit for the time until the last start continues all jobs from killed processes. */
const takeoverMs = 120_000;
const parameters = { from: "2024-01-01", to: "2024-12-31" };
/** Enough for several batches. */
const records = 2000;

const insertRecords = `
  insert into spine.audit_records (tenant_id, position, record_id, recorded_at, source, operation, outcome, principal,
    trace_id, hash)
  select $1, 1000000 + number, gen_random_uuid(), '2024-03-01', '/catalog', 'registerTemplate', 'Succeeded',
    'usr_' || number % 3, 'trace', '' from generate_series(1, ${records}) as number`;
const insertUsers = `
  insert into spine.users (tenant_id, user_id, email, email_key, display_name, status, password_hash, created_at, updated_at)
  select $1, gen_random_uuid(), number || '@example.com', number || '@example.com', 'Ωμέγα ' || number, 'Active', '',
    '2024-02-01', now() from generate_series(1, 20) as number`;

interface ReportRun {
  readonly reportRunId: string;
  readonly reportCode: string;
  readonly format: string;
  readonly status: string;
  readonly sha256: string | null;
}

describe("kill -9 in the job of a report", () => {
  let spine: SpineProcesses;
  let isAlive = false;
  let tenantId: string;
  /** All reports in all formats, before the first kill. */
  let first: readonly ReportRun[];

  beforeAll(async () => {
    spine = await SpineProcesses.open();
    await restarted();
    tenantId = await spine.activeTenant("killed");
    for (const text of [insertRecords, insertUsers]) await spine.rows(text, decodeId("ten", tenantId));
    first = await everyReport();
  });
  afterAll(() => spine.close());

  /** Starts the spine again, whether it runs or has died. */
  async function restarted(): Promise<void> {
    await spine.start();
    isAlive = true;
  }

  async function call(document: string, variables: Record<string, unknown> = {}): Promise<Json> {
    const { data, errors } = await spine.ask(
      principal(tenantId, ["report.read", "report.generate"]),
      document,
      variables,
    );
    if (!data || errors.length > 0) throw new Error(JSON.stringify(errors));
    return Object.values(data)[0];
  }

  async function generate(code = "audit-log", format = "csv"): Promise<void> {
    const { items } = await call(
      "query ($code: String) { reportDefinitions(filter: { code: $code }) { items { reportDefinitionId } } }",
      { code },
    );
    await call(
      "mutation ($id: ID!, $input: GenerateReportInput!) { generateReport(reportDefinitionId: $id, input: $input) { status } }",
      { id: items[0]?.reportDefinitionId, input: { format, parameters } },
    );
  }

  /** The runs for all reports in all formats. */
  async function everyReport(): Promise<ReportRun[]> {
    const formerCount = (await endedRuns()).length;
    for (const code of ["usage-summary", "audit-log", "user-activity"])
      for (const format of ["csv", "json", "xlsx", "pdf"]) await generate(code, format);
    return (await endedRuns()).slice(formerCount);
  }

  /** All runs in the order in which they were requested, when each has ended. */
  async function endedRuns(): Promise<ReportRun[]> {
    let runs: ReportRun[] = [];
    const list = `{ reportRuns(first: 200, sort: "requestedAt") {
      items { reportRunId reportCode format status sha256 } } }`;
    const areOver = async () => {
      runs = (await call(list)).items;
      return runs.every(({ status }) => !["Queued", "Running"].includes(status));
    };
    await eventually("all report runs have ended", areOver, takeoverMs);
    return runs;
  }

  async function eventsOf(reportRunId: string): Promise<string[]> {
    const events = await spine.eventsOf(tenantId);
    return events.flatMap(({ subject, type }) => (subject === `report-runs/${reportRunId}` ? [type] : []));
  }

  const digestsOf = (runs: readonly ReportRun[]) =>
    runs.map(({ reportCode, format, status, sha256 }) => [reportCode, format, status, sha256]);

  it("leaves each content and each event exactly once", async () => {
    const before = (await endedRuns()).length;
    const killedAt: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      const phase = phases[count % phases.length] ?? "claimed";
      await (phase === "expired" ? killedAtExpiry() : killedAtGeneration(phase));
      killedAt.push(phase);
    }
    await restarted();
    const runs = (await endedRuns()).slice(before);
    expect(runs).toHaveLength(kills);
    const sha256 = first.find(({ reportCode, format }) => reportCode === "audit-log" && format === "csv")?.sha256;
    const keptRuns: string[] = [];
    for (const [place, run] of runs.entries()) {
      const phase = killedAt[place];
      const isExpired = phase === "expired";
      const events = ["ReportRunQueued", "ReportRunStarted", "ReportGenerated"];
      if (isExpired) events.push("ReportRunExpired");
      expect([phase, run.status, run.sha256]).toEqual([phase, isExpired ? "Expired" : "Completed", sha256]);
      expect([phase, await eventsOf(run.reportRunId)]).toEqual([phase, events]);
      if (!isExpired) keptRuns.push(decodeId("run", run.reportRunId) ?? "");
    }
    // The next start sweeps the files that killed processes left.
    await restarted();
    const folder = join(spine.dataDir, "files", "reports", decodeId("ten", tenantId) ?? "");
    const ids = runs.map(({ reportRunId }) => decodeId("run", reportRunId) ?? "");
    const filesOf = async () => (await readdir(folder)).filter((file) => ids.some((id) => file.startsWith(id))).sort();
    const isSwept = async () => (await filesOf()).length === keptRuns.length;
    await eventually("only the contents are left", isSwept, takeoverMs);
    const files = await filesOf();
    expect(files.map((file) => file.split(".")[0])).toEqual(keptRuns.sort());
    for (const file of files) {
      const digest = createHash("sha256").update(await readFile(join(folder, file)));
      expect([file, digest.digest("hex")]).toEqual([file, sha256]);
    }
  }, 1_200_000);

  it("changes no byte of any report in any format", async () => {
    if (!isAlive) await restarted();
    expect(digestsOf(first)).toHaveLength(12);
    expect(digestsOf(first).filter(([, , , sha256]) => sha256 === null)).toEqual([]);
    expect(digestsOf(await everyReport())).toEqual(digestsOf(first));
  });

  /** Waits until a new run's job has killed the process. */
  async function killedAtGeneration(phase: string): Promise<void> {
    // Runs that earlier kills have interrupted end before, since they would meet the place too.
    if (!isAlive) await restarted();
    await endedRuns();
    expect(await spine.startMortal(`reports.${phase}:kill:1`)).toBe(true);
    // the process may die before it answers
    await generate().catch((error: unknown) => {
      if (!(error instanceof ProcessEnded)) throw error;
    });
    await died();
  }

  /** Waits until the job that expires a new run has killed the process. */
  async function killedAtExpiry(): Promise<void> {
    expect(await spine.startMortal("reports.expired:kill:1")).toBe(true);
    await generate();
    const [run] = (await endedRuns()).slice(-1);
    const id = run?.reportRunId ?? "";
    await spine.rows("update spine.report_runs set expires_at = now() where run_id = $1", decodeId("run", id));
    await spine.rows(
      "update spine_jobs.job set start_after = now() where name = 'expire-report' and singleton_key = $1",
      id,
    );
    await died();
  }

  async function died(): Promise<void> {
    expect(await spine.process.ended).toBeNull();
    isAlive = false;
  }
});
