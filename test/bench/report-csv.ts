import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  accessToken,
  type ClientCredentials,
  ensureTenant,
  readJson,
} from "@factory/gateway/standalone/client/platform-api";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { stringify } from "csv-stringify";
import pg from "pg";
import type { Stage } from "./bench-platform.js";
import { type Figures, percentile } from "./report.js";

const rowCount = 100_000;
const memoryRowCount = 1_000_000;
const batch = 100_000;
const warmUps = 2;
const goal = 1.5;

const start = new Date("2026-01-01T00:00:00Z");
const end = new Date("2027-01-01T00:00:00Z");

const insert = `
  insert into spine.audit_records (tenant_id, position, record_id, recorded_at, source, operation, outcome, subject,
    principal, principal_type, client_id, trace_id, code, status, address, user_agent, hash)
  select $1, n, gen_random_uuid(), timestamptz '2026-01-01' + n * interval '1 second', '/catalog', 'operation' || (n % 40),
    case when n % 20 = 7 then 'Refused' else 'Succeeded' end, 'templates/tpl_' || (n % 200000), 'usr_' || (n % 1000), 'User',
    'cli_bench', md5(n::text), case when n % 20 = 7 then 'CODE_' || (n % 8) end, case when n % 20 = 7 then 409 end,
    '192.0.2.' || (n % 250), 'bench/1', ''
  from generate_series($2::bigint, $3::bigint) n`;

/** The compiled files of the spine that the bench runs by itself. */
const compiled = (file: string) => import(new URL(`../../../subgraphs/spine/dist/${file}`, import.meta.url).href);

type Batches = AsyncIterable<readonly (readonly unknown[])[]>;

interface Snapshot {
  batches(text: string, values: readonly unknown[]): Batches;
}

/** Measures the CPU of a csv report and of csv-stringify over the same cursor in turn, and the memory of a large report. */
export async function reportCsv(stage: Stage): Promise<Figures> {
  const { platform, databaseUrl } = stage;
  const admin = await accessToken(platform, await readJson<ClientCredentials>(platform.dataDir, "bootstrap.json"));
  const { tenantId } = await ensureTenant(platform, admin, "reported", "Reported");
  const uuid = decodeId("ten", tenantId) ?? "";
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const folder = await mkdtemp(join(tmpdir(), "bench-reports-"));
  const { ReportSnapshots } = await compiled("reports/snapshot/report-snapshots.js");
  const { FileContents } = await compiled("reports/contents/file-contents.js");
  const { auditLogSource } = await compiled("reports/sources/audit-log-statement.js");
  const { reportFormats } = await compiled("report-formats/report-formats.js");
  const app = schemaConnections(databaseUrl, "spine").app;
  const snapshots = new ReportSnapshots(app, 1, createLogger("bench", "silent"));
  const contents = new FileContents(folder);
  const query = { tenantUuid: uuid, start, end, periodOver: true, leftOut: [] };
  const inSnapshot = <T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> =>
    snapshots.use(tenantWithId(tenantId), new AbortController().signal, work);
  const columns = auditLogSource.columns("csv") as { key: string; kind: string }[];
  const report = { code: "audit-log", title: "Audit log", parameters: {}, columns, asOf: end };
  const ours = () =>
    inSnapshot(async (snapshot) => {
      const { rows } = await auditLogSource.read(snapshot, query, "csv");
      await contents.write({ tenant: uuid, run: uuid, fence: 1 }, reportFormats.csv.write(report, rows), 1e12);
    });
  const plain = () =>
    inSnapshot(async (snapshot) => {
      const rows = snapshot.batches(plainStatement, [uuid, start, end]);
      const writing = stringify({
        header: true,
        columns: columns.map(({ key }) => key),
        cast: { date: (value: Date) => value.toISOString() },
      });
      await pipeline(Readable.from(rowsOf(rows)), writing, createWriteStream(join(folder, "plain.csv")));
    });
  try {
    await seed(client, uuid, 1, rowCount);
    const [reported, stringified]: [number[], number[]] = [[], []];
    for (let round = 0; round < warmUps + 7; round += 1) {
      const times = [await cpuMs(plain), await cpuMs(ours)] as const;
      if (round < warmUps) continue;
      stringified.push(times[0]);
      reported.push(times[1]);
    }
    const ratio = percentile(
      reported.map((ms, round) => ms / (stringified[round] ?? Number.NaN)),
      0.5,
    );
    await seed(client, uuid, rowCount + 1, memoryRowCount);
    const [before, peak] = await peakMiB(ours);
    return {
      title: `A csv report of ${rowCount} audit records`,
      values: {
        "csv-stringify over the same cursor, CPU ms": percentile(stringified, 0.5),
        "report, CPU ms": percentile(reported, 0.5),
        "x csv-stringify": ratio,
        [`memory before ${memoryRowCount} rows, MiB`]: before,
        [`highest memory with ${memoryRowCount} rows, MiB`]: peak,
      },
      verdict: `goal: at most ${goal}x the CPU of csv-stringify over the same cursor; result: ${ratio <= goal ? "met" : "MISSED"}`,
    };
  } finally {
    await snapshots.close();
    await client.end();
    await rm(folder, { recursive: true });
  }
}

const plainStatement = `select recorded_at, ltrim(source, '/'), operation, outcome, code, status, subject, principal,
    principal_type, client_id, agent, agent_task_id, approval_id, address, email, user_agent, trace_id, count, first_at,
    record_id, position
  from audit_records where tenant_id = $1 and recorded_at >= $2 and recorded_at < $3 order by recorded_at, position`;

async function* rowsOf(batches: Batches): AsyncGenerator<readonly unknown[]> {
  for await (const rows of batches) yield* rows;
}

async function seed(client: pg.Client, tenant: string, first: number, last: number): Promise<void> {
  await client.query("set synchronous_commit = off");
  for (let from = first; from <= last; from += batch)
    await client.query(insert, [tenant, from, Math.min(from + batch - 1, last)]);
  await client.query("vacuum analyze spine.audit_records");
}

/** The CPU of this process, all its threads together. */
async function cpuMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function peakMiB(work: () => Promise<void>): Promise<readonly [before: number, peak: number]> {
  const mebibytes = () => process.memoryUsage().rss / 1024 ** 2;
  const before = mebibytes();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, mebibytes());
  }, 20);
  await work();
  clearInterval(watch);
  return [before, peak];
}
