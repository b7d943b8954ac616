import pg from "pg";
import type { PgBoss } from "pg-boss";
import { continueTrace } from "../../telemetry/trace.js";
import type { Tenant } from "../../tenancy/tenant.js";
import { aDatabase, aTenant, quiet, type TestDatabase } from "../../unit-of-work/database.fixture.js";
import { Database } from "../../unit-of-work/database.js";
import { countedWay } from "../../unit-of-work/round-trips.fixture.js";
import { type JobDefinition, JobQueue } from "./job-queue.js";
import { openBoss } from "./open-pg-boss.js";

interface Payload {
  tenantId: string;
  name: string;
}

const definition = (queue: string): JobDefinition<Payload> => ({
  queue,
  retryLimit: 4,
  retryDelaySeconds: 7,
  retryBackoff: true,
  expireInSeconds: 77,
  concurrency: 1,
  concurrencyPerTenant: 1,
  subject: "name",
});
const plain = definition("plain");
const fair = { ...definition("fair"), fair: true } as const;
const endedDefinition = { ...definition("ended"), retriedBy: "retryExecution" };
const cause = { trace: continueTrace(undefined) };
const sending = "select catalog_jobs.send_jobs($1, $2, null)";
const deniedCode = "42501";

/** A request's role may do nothing with these; every privilege that PostgreSQL has for their kind. */
const openObjects = `
  select relname as object, privilege from pg_class,
    unnest(case when relkind = 'S' then array['select', 'update', 'usage']
      else array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger', 'maintain'] end) privilege
  where relkind in ('r', 'p', 'v', 'm', 'f', 'S') and relnamespace in ('catalog_jobs'::regnamespace, 'bus'::regnamespace)
    and case when relkind = 'S' then has_sequence_privilege('suites_catalog_app', oid, privilege)
      else has_table_privilege('suites_catalog_app', oid, privilege) end
  union all
  select table_name || '.' || column_name, privilege_type from information_schema.column_privileges
  where table_schema = 'catalog_jobs' and grantee in ('suites_catalog_app', 'PUBLIC')
  union all
  select oid::regprocedure::text, 'execute' from pg_proc
  where pronamespace = 'catalog_jobs'::regnamespace and has_function_privilege('suites_catalog_app', oid, 'execute')
  order by 1, 2`;

const openFunctions = [
  "catalog_jobs.failed_job(uuid)",
  "catalog_jobs.redrive_job(uuid)",
  "catalog_jobs.send_jobs(text,text,timestamp with time zone)",
  "catalog_jobs.tenant_jobs(timestamp with time zone,uuid,integer)",
];

describe("what the role of requests can do about jobs", () => {
  let test: TestDatabase;
  let jobs: JobQueue;
  let boss: PgBoss;
  let admin: pg.Client;
  let app: pg.Client;

  const connectedClient = async (connectionString: string) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    return client;
  };

  beforeAll(async () => {
    test = await aDatabase();
    jobs = new JobQueue(test.definition.connections, quiet);
    await jobs.start([plain, fair, endedDefinition]);
    boss = openBoss(test.definition.connections.worker, "catalog_jobs", quiet);
    await boss.start();
    [admin, app] = [await connectedClient(test.url), await connectedClient(test.definition.connections.app)];
  });
  afterAll(async () => {
    await Promise.all([admin.end(), app.end(), boss.stop({ graceful: false }), jobs.stop()]);
    await test.close();
  });

  /** One statement as that role in the tenant's transaction, rolled back: its rows, or the code it was refused with. */
  async function asApp(tenant: Tenant | undefined, statement: string, values: unknown[] = []) {
    await app.query("begin");
    try {
      if (tenant) await app.query("select set_config('app.tenant', $1, true)", [tenant.uuid]);
      return (await app.query(statement, values)).rows as Record<string, unknown>[];
    } catch (error) {
      return (error as { code?: string }).code;
    } finally {
      await app.query("rollback");
    }
  }

  const send = (tenant: Tenant, job: JobDefinition<Payload>, name: string, startAfter?: Date) =>
    test.database.transaction(tenant, cause, (transaction) =>
      jobs.send(transaction, job, { tenantId: tenant.tenantId, name }, startAfter ? { startAfter } : {}),
    );
  const sendAsApp = (tenant: Tenant | undefined, queue: string, payloads: unknown) =>
    asApp(tenant, sending, [queue, JSON.stringify(payloads)]);

  /** The tenant's only job in the queue. Times are given relative to its creation. */
  async function rowOf(tenant: Tenant) {
    const { rows } = await admin.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(job) - 'id' - 'created_on' || jsonb_build_object('start_after', case
           when start_after = created_on then 'at once' else start_after::text end,
         'keep_until', keep_until - start_after, 'data', data - 'tenantId', 'group_id', group_id = data ->> 'tenantId')
         as row
       from catalog_jobs.job where group_id = $1`,
      [tenant.tenantId],
    );
    expect(rows).toHaveLength(1);
    return rows[0]?.row;
  }

  it("writes the row that pg-boss writes, in every column and for every setting of a queue", async () => {
    const settings = {
      policy: "short",
      retry_limit: 3,
      retry_delay: 11,
      retry_backoff: true,
      retry_delay_max: 333,
      expire_seconds: 44,
      deletion_seconds: 6666,
      heartbeat_seconds: 77,
      dead_letter: "ended.dead",
    };
    const noChange = "name = name";
    const set = Object.entries({ ...settings, retention_seconds: 5555 }).map(
      ([column, value]) => `${column} = '${value}'`,
    );
    for (const startAfter of [undefined, new Date(Date.now() + 3_600_000)])
      for (const change of [noChange, set.join(", ")]) {
        await admin.query(`update catalog_jobs.queue set ${change} where name = 'plain'`);
        const [ownTenant, other] = [aTenant(), aTenant()];
        const name = `${change.length} ${startAfter?.toISOString()}`;
        await send(ownTenant, plain, `ours ${name}`, startAfter);
        const { tenantId } = other;
        const options = { group: { id: tenantId }, singletonKey: `pg-boss ${name}`, ...(startAfter && { startAfter }) };
        await boss.insert("plain", [{ data: { tenantId, name: `pg-boss ${name}` }, priority: 0, ...options }]);
        const [ours, theirs] = [await rowOf(ownTenant), await rowOf(other)];
        const expectedRow = JSON.parse(JSON.stringify(theirs).replaceAll("pg-boss", "ours"));
        expect(ours).toEqual(expectedRow);
        if (change !== noChange) expect(ours).toMatchObject({ ...settings, keep_until: "01:32:35" });
      }
    await admin.query(
      "update catalog_jobs.queue set policy = 'standard', dead_letter = 'plain.dead' where name = 'plain'",
    );
  });

  it("leaves pg-boss no column to fill that the function does not know", async () => {
    const statements: string[] = [];
    const db = { executeSql: async (text: string) => (statements.push(text), { rows: [] }) };
    await boss.insert("plain", [{}], { db });
    const writtenColumns = /INSERT INTO catalog_jobs\.\w+ \(([^)]*)\)/.exec(statements.join())?.[1] ?? "";
    const columns = writtenColumns.split(",").map((column) => column.trim());
    const { rows } = await admin.query<{ source: string }>(
      "select prosrc as source from pg_proc where oid = 'catalog_jobs.send_jobs'::regproc",
    );
    // id and the rest have defaults that are what pg-boss writes for jobs without such an option
    const defaultColumns = ["id", "singleton_on", "group_tier", "blocked", "blocking", "pending_dependencies"];
    const unknown = columns.filter((column) => !new RegExp(`\\b${column}\\b`).test(rows[0]?.source ?? ""));
    expect(unknown.sort()).toEqual(defaultColumns.filter((column) => unknown.includes(column)).sort());
    expect(columns).toEqual(expect.arrayContaining(["id", "name", "data", "heartbeat_seconds"]));
  });

  it("puts no round trip into a transaction that sends, of a queue where tenants take turns either", async () => {
    const way = await countedWay(test.definition.connections.app);
    const database = await Database.open(
      { ...test.definition, connections: { ...test.definition.connections, app: way.url } },
      quiet,
    );
    const tenant = aTenant();
    const tripsOfOne = async (job?: JobDefinition<Payload>) => {
      way.count();
      await database.transaction(tenant, cause, async (transaction) => {
        if (job) await jobs.send(transaction, job, { tenantId: tenant.tenantId, name: "counted" });
        await transaction.execute("select");
      });
      return way.count();
    };
    // one of them opens the connection, and a busy machine may answer before all the step's bytes are sent
    const trips = async (job?: JobDefinition<Payload>) => {
      const counts: number[] = [];
      for (let turn = 0; turn < 500 && counts.at(-1) !== 2; turn += 1) counts.push(await tripsOfOne(job));
      return Math.min(...counts);
    };
    expect([await trips(), await trips(plain), await trips(fair)]).toEqual([2, 2, 2]);
    await database.close();
    way.close();
  });

  it("has no privilege on any table, sequence or function there but the four, also on what pg-boss adds later", async () => {
    await boss.createQueue("late", { partition: true });
    const { rows } = await admin.query<{ object: string }>(openObjects);
    expect(rows.map(({ object }) => object)).toEqual(openFunctions);
    const tables = await admin.query<{ name: string }>(
      "select oid::regclass::text as name from pg_class where relnamespace = 'catalog_jobs'::regnamespace and relkind in ('r', 'p')",
    );
    expect(tables.rows.length).toBeGreaterThan(12);
    for (const { name } of tables.rows)
      for (const statement of [
        `select from ${name}`,
        `select count(*) from ${name}`,
        `update ${name} set ctid = ctid`,
        `delete from ${name}`,
        `truncate ${name}`,
        `insert into ${name} default values`,
        `lock table ${name}`,
        `copy ${name} to stdout`,
      ])
        expect([statement, await asApp(aTenant(), statement)]).toEqual([
          statement,
          statement.startsWith("update") ? expect.stringMatching(/42501|0A000|42703/) : deniedCode,
        ]);
    for (const call of [
      "catalog_jobs.acting_tenant()",
      "catalog_jobs.job_now()",
      "catalog_jobs.delete_queue('plain')",
      "catalog_jobs.create_queue('x', '{}')",
    ])
      expect([call, await asApp(aTenant(), `select ${call}`)]).toEqual([call, deniedCode]);
    expect(await asApp(aTenant(), "create table catalog_jobs.mine ()")).toBe(deniedCode);
  });

  it("runs these as an owner that is no superuser, looks nothing up in pg_temp, and opens them to this role alone", async () => {
    const { rows } = await admin.query(
      `select proname, prosecdef, rolname, rolsuper or rolbypassrls as mighty, proconfig[1] as path,
         has_function_privilege('public', p.oid, 'execute') as others
       from pg_proc p join pg_roles r on r.oid = proowner where p.oid = any($1::regprocedure[])`,
      [openFunctions],
    );
    expect(rows).toHaveLength(4);
    for (const row of rows)
      expect(row).toMatchObject({
        prosecdef: true,
        rolname: "suites_catalog_worker",
        mighty: false,
        path: "search_path=pg_catalog, pg_temp",
        others: false,
      });
  });

  it("is not misled by what a caller puts into its temporary schema", async () => {
    const tenant = aTenant();
    const shadow = await connectedClient(test.definition.connections.app);
    await shadow.query(
      "create temp table job (like information_schema.tables); create temp table registered_queues ()",
    );
    await shadow.query(`create function pg_temp.substr(text, integer, integer) returns text
      language sql as $$ select 'x' $$; create domain pg_temp.text as integer`);
    await shadow.query("select set_config('app.tenant', $1, false)", [tenant.uuid]);
    await shadow.query("set search_path = pg_temp, pg_catalog");
    await shadow.query(sending, ["plain", JSON.stringify([{ tenantId: tenant.tenantId, name: "shadowed" }])]);
    await shadow.end();
    expect(await rowOf(tenant)).toMatchObject({ singleton_key: "shadowed" });
  });

  it("sends for the transaction's own tenant and to registered queues only", async () => {
    const [tenant, other] = [aTenant(), aTenant()];
    const ownPayload = { tenantId: tenant.tenantId, name: "own" };
    const foreign = { tenantId: other.tenantId, name: "foreign" };
    expect(await sendAsApp(tenant, "plain", [ownPayload])).toHaveLength(1);
    for (const payloads of [[foreign], [ownPayload, foreign], [{ name: "none" }], ["x"], [null], [{ tenantId: null }]])
      expect([payloads, await sendAsApp(tenant, "plain", payloads)]).toEqual([payloads, deniedCode]);
    expect(await sendAsApp(undefined, "plain", [ownPayload])).toBe(deniedCode);
    for (const queue of ["plain.dead", "plain.alone", "late", "nothing", "__pgboss__send-it"])
      expect([queue, await sendAsApp(tenant, queue, [ownPayload])]).toEqual([queue, "42704"]);
    // a platform transaction opens one for the tenant that it acts for
    const platform = test.database.transaction({ ...tenant, platform: true }, cause, (transaction) =>
      jobs.send(transaction, plain, { tenantId: other.tenantId, name: "platform" }),
    );
    await expect(platform).rejects.toMatchObject({ code: deniedCode });
    const { rows } = await admin.query("select from catalog_jobs.job where group_id = any($1)", [
      [tenant.tenantId, other.tenantId],
    ]);
    expect(rows).toHaveLength(0);
  });

  it("works out the turn itself, which a job of the far future does not hold back", async () => {
    await admin.query("delete from catalog_jobs.job where name = 'fair'");
    const [large, pinnedTenant, small] = [aTenant(), aTenant(), aTenant()];
    for (let at = 0; at < 3; at += 1) await send(large, fair, `${at}`);
    await send(pinnedTenant, fair, "later", new Date("2100-01-01"));
    await admin.query("update catalog_jobs.job set state = 'completed' where name = 'fair' and singleton_key = '0'");
    await send(small, fair, "one");
    const { rows } = await admin.query<{ tenant: string; turn: number }>(
      "select group_id as tenant, -priority as turn from catalog_jobs.job where name = 'fair' order by created_on",
    );
    const { tenantId } = large;
    expect(rows.map(({ tenant, turn }) => [tenant, turn])).toEqual([
      [tenantId, 1],
      [tenantId, 2],
      [tenantId, 3],
      [pinnedTenant.tenantId, 1],
      [small.tenantId, 2],
    ]);
  });

  it("a tenant's own jobs of the far future do not delay those of now, and wait in turns among themselves", async () => {
    await admin.query("delete from catalog_jobs.job where name = 'fair'");
    const tenant = aTenant();
    const later = new Date("2100-01-01");
    for (const name of ["later 1", "later 2"]) await send(tenant, fair, name, later);
    await send(tenant, fair, "much later", new Date("2100-01-02"));
    await send(tenant, fair, "now 1");
    await send(tenant, fair, "soon", new Date(Date.now() + 60_000));
    await send(tenant, fair, "now 2");
    const { rows } = await admin.query<{ name: string; turn: number }>(
      "select singleton_key as name, -priority as turn from catalog_jobs.job where name = 'fair' order by created_on",
    );
    expect(rows.map(({ name, turn }) => [name, turn])).toEqual([
      ["later 1", 1],
      ["later 2", 2],
      ["much later", 1],
      ["now 1", 1],
      ["soon", 2],
      ["now 2", 3],
    ]);
  });

  /** As the worker leaves one that has used up its tries. */
  async function aFailedJob(tenant: Tenant, job: JobDefinition<Payload>): Promise<string> {
    await send(tenant, job, "failed");
    const { rows } = await admin.query<{ id: string }>(
      "update catalog_jobs.job set state = 'failed' where group_id = $1 and name = $2 returning id",
      [tenant.tenantId, job.queue],
    );
    return rows[0]?.id ?? "";
  }

  it("lists, reads and redrives the tenant's own jobs, whatever the arguments are", async () => {
    const [tenant, other] = [aTenant(), aTenant()];
    const [ownJob, foreign, final] = [
      await aFailedJob(tenant, plain),
      await aFailedJob(other, plain),
      await aFailedJob(tenant, endedDefinition),
    ];
    const listedJobs = await asApp(tenant, "select id, data from catalog_jobs.tenant_jobs(null, null, 1000) job(id)");
    expect(listedJobs).toBe("42703");
    const ids = await asApp(tenant, "select id from catalog_jobs.tenant_jobs(null, null, 1000)");
    expect((ids as { id: string }[]).map(({ id }) => id).sort()).toEqual([ownJob, final].sort());
    expect(await asApp(tenant, "select id from catalog_jobs.failed_job($1)", [foreign])).toEqual([]);
    const redrive = "select catalog_jobs.redrive_job($1)";
    for (const id of [foreign, final, "00000000-0000-0000-0000-000000000000"])
      expect([id, await asApp(tenant, redrive, [id])]).toEqual([id, "55000"]);
    expect(await asApp(undefined, redrive, [ownJob])).toBe(deniedCode);
    await app.query("begin");
    await app.query("select set_config('app.tenant', $1, true)", [tenant.uuid]);
    await admin.query("update catalog_jobs.job set state = 'active' where id = $1", [ownJob]);
    expect((await app.query("select from catalog_jobs.failed_job($1)", [ownJob])).rowCount).toBe(1);
    // a worker that ends the job does not wait for the request
    await admin.query("select from catalog_jobs.job where id = $1 for update nowait", [ownJob]);
    await app.query("rollback");
    await admin.query("update catalog_jobs.job set state = 'failed' where id = $1", [ownJob]);
    expect(await asApp(tenant, redrive, [ownJob])).toHaveLength(1);
    await test.database.transaction(tenant, cause, ({ execute }) => execute(redrive, [ownJob]));
    const again = test.database.transaction(tenant, cause, ({ execute }) => execute(redrive, [ownJob]));
    await expect(again).rejects.toMatchObject({ code: "55000" });
    const { rows } = await admin.query(
      "select state::text from catalog_jobs.job where group_id = $1 and name = 'plain' order by created_on",
      [tenant.tenantId],
    );
    expect(rows).toEqual([{ state: "cancelled" }, { state: "created" }]);
  });

  it("is closed out of an installation of the previous release, by two processes that start at once", async () => {
    await admin.query(`
      set role suites_catalog_worker;
      alter default privileges in schema catalog_jobs grant select, insert, update, delete on tables to suites_catalog_app;
      grant select, insert, update, delete on all tables in schema catalog_jobs to suites_catalog_app;
      grant execute on all functions in schema catalog_jobs to public;
      drop function catalog_jobs.send_jobs, catalog_jobs.tenant_jobs;
      create function catalog_jobs.send_jobs(text) returns text language sql as 'select $1';
      create function catalog_jobs.tenant_jobs(timestamptz, uuid, integer) returns text language sql as 'select null';
      reset role`);
    const queues = [1, 2].map(() => new JobQueue(test.definition.connections, quiet));
    await Promise.all(queues.map((queue) => queue.start([plain, fair, endedDefinition])));
    await Promise.all(queues.map((queue) => queue.stop()));
    const { rows } = await admin.query<{ object: string }>(openObjects);
    expect(rows.map(({ object }) => object)).toEqual(openFunctions);
    const tenant = aTenant();
    await send(tenant, plain, "upgraded");
    expect(await rowOf(tenant)).toMatchObject({ singleton_key: "upgraded" });
  });
});
