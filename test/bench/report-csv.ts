import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { accessToken, type ClientCredentials, ensureTenant, readJson } from "@factory/platform/client/platform-api";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { stringify } from "csv-stringify";
import pg from "pg";
import { embeddedAccess } from "../kit/database.js";
import { AuditReports, type Batches, endOf, firstRowAt, type ReportFormatName } from "./audit-reports.js";
import type { Stage } from "./bench-platform.js";
import { type Figures, percentile } from "./report.js";

const rowCount = 100_000;
const batch = 100_000;
const warmUps = 2;
const goal = 1.5;
/** Row counts for the reports whose memory is measured. */
const rowCounts: Readonly<Record<ReportFormatName, number>> = {
  csv: 1_000_000,
  json: 1_000_000,
  xlsx: 100_000,
  pdf: 10_000,
};
const mostRows = Math.max(...Object.values(rowCounts));

const insert = `
  insert into spine.audit_records (tenant_id, position, record_id, recorded_at, source, operation, outcome, subject,
    principal, principal_type, client_id, trace_id, code, status, address, user_agent, hash)
  select $1, 10000000 + n, gen_random_uuid(), timestamptz '2026-01-01Z' + n * interval '1 second', '/catalog', 'operation' || (n % 40),
    case when n % 20 = 7 then 'Refused' else 'Succeeded' end, 'templates/tpl_' || (n % 200000), 'usr_' || (n % 1000), 'User',
    'cli_bench', md5(n::text), case when n % 20 = 7 then 'CODE_' || (n % 8) end, case when n % 20 = 7 then 409 end,
    '192.0.2.' || (n % 250), 'bench/1', ''
  from generate_series($2::bigint, $3::bigint) n`;

/**
 * Measures the CPU time that a csv report and csv-stringify use over the same cursor in turn, and the memory that large
 * reports take.
 */
export async function reportCsv({ platform, databaseUrl }: Stage): Promise<Figures> {
  const admin = await accessToken(platform, await readJson<ClientCredentials>(platform.dataDir, "bootstrap.json"));
  const { tenantId } = await ensureTenant(platform, admin, "reported", "Reported");
  const folder = await mkdtemp(join(tmpdir(), "bench-reports-"));
  const appUrl = schemaConnections(await embeddedAccess(platform.dataDir, databaseUrl), "spine").app;
  const reports = new AuditReports(appUrl, tenantId, folder);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const plain = () =>
    reports.use(async (snapshot) => {
      const rows = snapshot.batches(plainStatement, [reports.tenant, firstRowAt, endOf(rowCount)]);
      const writing = stringify({
        header: true,
        columns: reports.keys,
        cast: { date: (value: Date) => value.toISOString() },
      });
      await pipeline(Readable.from(rowsOf(rows)), writing, createWriteStream(join(folder, "plain.csv")));
    });
  try {
    await seed(client, reports.tenant);
    const [reportTimes, stringifyTimes]: [number[], number[]] = [[], []];
    for (let round = 0; round < warmUps + 7; round += 1) {
      const times = [await cpuMs(plain), await cpuMs(() => reports.write("csv", rowCount))] as const;
      if (round < warmUps) continue;
      stringifyTimes.push(times[0]);
      reportTimes.push(times[1]);
    }
    const ratio = percentile(
      reportTimes.map((ms, round) => ms / (stringifyTimes[round] ?? Number.NaN)),
      0.5,
    );
    const memory: Record<string, number> = {};
    for (const [format, rows] of Object.entries(rowCounts))
      for (const [name, value] of Object.entries(await memoryOf(appUrl, tenantId, format, rows)))
        memory[`${format} of ${rows} rows: ${name}`] = value;
    return {
      title: `A csv report of ${rowCount} audit records`,
      values: {
        "csv-stringify over the same cursor, CPU ms": percentile(stringifyTimes, 0.5),
        "report, CPU ms": percentile(reportTimes, 0.5),
        ...memory,
      },
      verdict: `goal: at most ${goal}x the CPU of csv-stringify over the same cursor; result: ${ratio.toFixed(2)}x, ${ratio <= goal ? "met" : "MISSED"}`,
    };
  } finally {
    await reports.close();
    await client.end();
    await rm(folder, { recursive: true });
  }
}

/**
 * In a separate process, so that it holds nothing else. V8's young generation would grow to 150 MiB by the cursor's
 * garbage alone, so it is limited.
 */
async function memoryOf(appUrl: string, tenantId: string, format: string, rows: number) {
  const program = fileURLToPath(new URL("./report-memory.js", import.meta.url));
  const options = ["--no-warnings", "--expose-gc", "--max-semi-space-size=4"];
  const processArguments = [...options, program, appUrl, tenantId, format, String(rows)];
  return JSON.parse((await promisify(execFile)(process.execPath, processArguments)).stdout) as Record<string, number>;
}

const plainStatement = `select recorded_at, ltrim(source, '/'), operation, outcome, code, status, subject, principal,
    principal_type, client_id, agent, agent_task_id, approval_id, address, email, user_agent, trace_id, count, first_at,
    record_id, position
  from audit_records where tenant_id = $1 and recorded_at >= $2 and recorded_at < $3 order by recorded_at, position`;

async function* rowsOf(batches: Batches): AsyncGenerator<readonly unknown[]> {
  for await (const rows of batches) yield* rows;
}

async function seed(client: pg.Client, tenant: string): Promise<void> {
  await client.query("set synchronous_commit = off");
  for (let from = 1; from <= mostRows; from += batch) await client.query(insert, [tenant, from, from + batch - 1]);
  await client.query("vacuum analyze spine.audit_records");
}

/** This process's CPU time, all its threads together. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
