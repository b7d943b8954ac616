import {
  accessToken,
  type ClientCredentials,
  call,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import type { Stage } from "./bench-platform.js";
import { type Figures, percentile } from "./report.js";

const recordCount = 1_000_000;
const batch = 100_000;
const warmUps = 20;
const roundsEach = 150;
const pageSize = 50;
const goal = 2;

const service = new URL("../../../subgraphs/spine/dist/audit-log/audit-record.service.js", import.meta.url);

/** The part that the bench runs by itself from the spine's list. */
interface RecordList {
  readonly statements: readonly { readonly name: string; readonly text: string }[];
}

type Filter = Readonly<Record<string, string>>;

/** One record a second. One in twenty is a refusal; a principal has a thousand records, and one principal has a tenth. */
const insert = `
  insert into spine.audit_records (tenant_id, position, record_id, recorded_at, source, operation, outcome, subject,
    principal, principal_type, client_id, trace_id, code, status, address, user_agent, personal_salt, personal_digest, hash)
  select $1, n, gen_random_uuid(), timestamptz '2026-01-01' + n * interval '1 second', '/catalog',
    case when n % 10000 = 5 then 'rareOperation' else 'operation' || (n * 7919 % 40) end,
    case when n % 20 = 7 then 'Refused' else 'Succeeded' end, 'templates/tpl_' || (n * 104729 % 200000),
    case when n % 10 = 3 then 'cli_busy' else 'usr_' || (n * 31 % 1000) end, 'User', 'cli_bench', md5(n::text),
    case when n % 20 = 7 then 'CODE_' || (n / 20 % 8) end, case when n % 20 = 7 then 409 end,
    '192.0.2.' || (n % 250), 'bench/1', sha256(n::text::bytea), sha256(n::text::bytea), sha256(n::text::bytea)
  from generate_series($2::bigint, $3::bigint) n`;

const searches: Record<string, Filter> = {
  "no filter": {},
  principal: { principal: "usr_7" },
  "busy principal": { principal: "cli_busy" },
  operation: { operation: "operation7" },
  "rare operation": { operation: "rareOperation" },
  Succeeded: { outcome: "Succeeded" },
  Refused: { outcome: "Refused" },
  subject: { subject: "templates/tpl_77" },
  code: { code: "CODE_3" },
  "nobody's principal": { principal: "usr_none" },
  "a day": { from: "2026-01-05T00:00:00Z", to: "2026-01-06T00:00:00Z" },
  "refusals of a day": { outcome: "Refused", from: "2026-01-05T00:00:00Z", to: "2026-01-06T00:00:00Z" },
  "refusals of the busy principal": { principal: "cli_busy", code: "CODE_3" },
  "rare operation of the busy principal": { principal: "cli_busy", operation: "rareOperation" },
  "operation of a principal": { principal: "usr_7", operation: "operation7" },
};

/** The filters in the order in which the list knows them. */
const conditions: Readonly<Record<string, string>> = {
  principal: "principal =",
  operation: "operation =",
  outcome: "outcome =",
  subject: "subject =",
  code: "code =",
  from: "recorded_at >=",
  to: "recorded_at <",
};

/** Measures each list's first page in turn with the same page by a statement without policies. */
export async function auditRecordLists(stage: Stage): Promise<Figures> {
  const { platform, databaseUrl } = stage;
  const admin = await accessToken(platform, await readJson<ClientCredentials>(platform.dataDir, "bootstrap.json"));
  const { tenantId } = await ensureTenant(platform, admin, "audited", "Audited");
  const client = await createTenantClient(platform, admin, tenantId, { name: "bench", scopes: ["audit.read"] });
  const token = await accessToken(platform, client);
  const tenant = decodeId("ten", tenantId) ?? "";
  const [app, bare] = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)];
  await Promise.all([app.connect(), bare.connect()]);
  try {
    await seed(bare, tenant);
    await app.query("set role postgres_spine_app");
    await app.query("set search_path = spine");
    const { auditRecordsBy } = (await import(service.href)) as {
      auditRecordsBy: (filtered: string[]) => RecordList;
    };
    const values: Record<string, number> = {};
    const missedGoals: string[] = [];
    for (const [name, filter] of Object.entries(searches)) {
      const filterColumns = Object.keys(conditions).filter((column) => column in filter);
      const parameters = [tenant, ...filterColumns.map((column) => filter[column]), pageSize + 1];
      // ascending and descending, each with its first page and the next ones
      const list = auditRecordsBy(filterColumns).statements[2];
      if (!list) throw new Error(`The list ${name} has no statement`);
      const plain = { name: list.name === "" ? "" : `bare_${list.name}`, text: bareStatement(filterColumns) };
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round < warmUps + roundsEach; round += 1) {
        const times = [await timed(bare, plain, parameters), await timed(app, list, parameters)] as const;
        if (round < warmUps) continue;
        theirs.push(times[0]);
        ours.push(times[1]);
      }
      const ratio = percentile(ours, 0.5) / percentile(theirs, 0.5);
      const query = new URLSearchParams({ ...filter, limit: String(pageSize) }).toString();
      const overRest: number[] = [];
      for (let round = 0; round < warmUps + roundsEach; round += 1) {
        const startedAt = performance.now();
        const { body } = await call<{ items: readonly unknown[] }>(
          "GET",
          `${platform.publicUrl}/v1/audit-records?${query}`,
          { token },
        );
        if (round >= warmUps) overRest.push(performance.now() - startedAt);
        values[`${name}: items`] = body.items.length;
      }
      values[`${name}: bare statement p50 ms`] = percentile(theirs, 0.5);
      values[`${name}: x bare`] = ratio;
      values[`${name}: REST p50 ms`] = percentile(overRest, 0.5);
      if (ratio > goal) missedGoals.push(name);
    }
    const verdict = missedGoals.length === 0 ? "met" : `MISSED by ${missedGoals.join(", ")}`;
    return {
      title: `Pages of ${pageSize} of ${recordCount} audit records of one tenant`,
      values,
      verdict: `goal: the statement takes at most ${goal}x of the same one by bare pg; result: ${verdict}`,
    };
  } finally {
    await Promise.all([app.end(), bare.end()]);
  }
}

async function seed(client: pg.Client, tenant: string): Promise<void> {
  await client.query("set synchronous_commit = off");
  await client.query("delete from spine.audit_records where tenant_id = $1", [tenant]);
  for (let from = 1; from <= recordCount; from += batch) await client.query(insert, [tenant, from, from + batch - 1]);
  await client.query("vacuum analyze spine.audit_records");
}

const bareStatement = (filterColumns: readonly string[]): string =>
  `select tenant_id, position, record_id, recorded_at, source, operation, outcome, subject, principal, principal_type,
     client_id, agent, agent_task_id, approval_id, trace_id, code, status, count, first_at, personal_digest, address, email,
     user_agent, hash
   from spine.audit_records where tenant_id = $1
     ${filterColumns.map((column, at) => `and ${conditions[column]} $${at + 2}`).join(" ")}
   order by recorded_at desc, position desc limit $${filterColumns.length + 2}`;

async function timed(client: pg.Client, statement: { name: string; text: string }, values: unknown[]): Promise<number> {
  const startedAt = performance.now();
  await client.query({ name: statement.name, text: statement.text, values });
  return performance.now() - startedAt;
}
