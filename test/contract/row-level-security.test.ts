import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import { databaseUrl } from "../kit/database.js";
import { tenantObjects } from "../kit/tenant-objects.js";
import { aTenant } from "../kit/tenants.js";

const schemas = ["catalog", "integration", "spine"];

interface Table {
  schema: string;
  name: string;
  hasTenant: boolean;
}

let client: pg.Client;
let tables: Table[];
let [ours, theirs]: [string, string] = ["", ""];

beforeAll(async () => {
  client = new pg.Client({ connectionString: await databaseUrl() });
  await client.connect();
  const result = await client.query<Table>(
    `select table_schema as schema, table_name as name,
       exists (select from information_schema.columns where columns.table_schema = tables.table_schema
         and columns.table_name = tables.table_name and column_name = 'tenant_id') as "hasTenant"
     from information_schema.tables where table_schema = any($1) and table_type = 'BASE TABLE'
     order by table_schema, table_name`,
    [schemas],
  );
  tables = result.rows;
  const [ourTenant, other] = [await aTenant(), await aTenant()];
  await Promise.all([tenantObjects(ourTenant), tenantObjects(other)]);
  [ours, theirs] = [decodeId("ten", ourTenant.tenantId) ?? "", decodeId("ten", other.tenantId) ?? ""];
});

afterAll(() => client.end());

const withTenant = () => tables.filter(({ hasTenant }) => hasTenant);
const sql = ({ schema, name }: Table) => `${schema}.${name}`;

/** The tables without a tenant. Platform administrators and workers write the first two groups. */
const platformTables = {
  hidden: ["spine.edition_versions"],
  readable: ["spine.editions"],
  ofWorkers: [
    ...["catalog.edition_projections", "catalog.projection_refreshes"],
    ...["integration.edition_projections", "integration.projection_refreshes"],
    ...["spine.audit_keys", "spine.oidc_artifacts", "spine.signing_keys"],
  ],
};

/** The embedded database is called `postgres`. */
const requestRole = (schema: string) => `postgres_${schema}_app`;

interface Outcome {
  rows: Record<string, unknown>[];
  rowCount: number;
  /** The refused statement's SQLSTATE. */
  refused: string | undefined;
}

/** Runs one statement without any tenant condition as the role that serves requests, and rolls it back. */
async function asApp({ schema }: Table, tenant: string | undefined, statement: string): Promise<Outcome> {
  await client.query("begin");
  try {
    await client.query(`set local role ${requestRole(schema)}`);
    if (tenant !== undefined) await client.query("select set_config('app.tenant', $1, true)", [tenant]);
    const { rows, rowCount } = await client.query<Record<string, unknown>>(statement);
    return { rows, rowCount: rowCount ?? 0, refused: undefined };
  } catch (error) {
    return { rows: [], rowCount: 0, refused: (error as { code?: string }).code };
  } finally {
    await client.query("rollback");
  }
}

const refusedByPolicy = "42501";

/** Requests only read these tables. Only a superuser changes their rows. */
const readOnly = new Set(["spine.audit_heads", "spine.audit_records", "spine.audit_seals"]);
const writable = <T>(results: Record<string, T>) =>
  Object.fromEntries(Object.entries(results).filter(([name]) => !readOnly.has(name)));

/** Checks until the row counts stayed the same meanwhile. The test objects' jobs still write rows for a while. */
async function whileNothingIsWritten(check: () => Promise<void>): Promise<void> {
  const counts = async () => JSON.stringify(await everywhere((table) => countOf(table, ours)));
  for (let before = await counts(); ; ) {
    const failure = await check().catch((error: Error) => error);
    const after = await counts();
    if (before === after && failure) throw failure;
    if (before === after) return;
    before = after;
  }
}

async function countOf(table: Table, tenant: string): Promise<number> {
  const { rows } = await client.query(`select count(*)::int as count from ${sql(table)} where tenant_id = $1`, [
    tenant,
  ]);
  return rows[0].count as number;
}

/** The result of `look` for every table, by the table's name. */
async function everywhere<T>(look: (table: Table) => Promise<T>): Promise<Record<string, T>> {
  const results: Record<string, T> = {};
  for (const table of withTenant()) results[sql(table)] = await look(table);
  return results;
}

const all = <T>(value: T) => Object.fromEntries(withTenant().map((table) => [sql(table), value]));

/**
 * The ORM adds no tenant filter, so there is nothing to switch off. The statements here have no condition on the tenant
 * at all.
 */
describe("row-level security alone", () => {
  it("is enabled in every table with a tenant, and also forced for the owner of the table", async () => {
    const { rows } = await client.query<{ table: string; forced: boolean }>(
      `select nspname || '.' || relname as table, relrowsecurity and relforcerowsecurity as forced
       from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = any($1)`,
      [schemas],
    );
    const isForced = Object.fromEntries(rows.map(({ table, forced }) => [table, forced]));
    expect(await everywhere(async (table) => isForced[sql(table)])).toEqual(all(true));
    expect(withTenant().length).toBeGreaterThan(30);
  });

  it("applies to roles that own no table and cannot bypass it", async () => {
    const { rows } = await client.query(
      `select rolname, rolsuper or rolbypassrls as bypasses,
         exists (select from pg_class where relowner = pg_roles.oid and relkind = 'r'
           and relnamespace = any($2::regnamespace[])) as owns
       from pg_roles where rolname = any($1) order by rolname`,
      [schemas.flatMap((schema) => [requestRole(schema), `postgres_${schema}_worker`]), schemas],
    );
    expect(rows).toHaveLength(6);
    for (const row of rows) expect(row).toMatchObject({ bypasses: false, owns: false });
  });

  it("lets requests read a table only by the tenant, and some tables of the platform", async () => {
    const { rows } = await client.query<{ table: string; policy: string; command: string; expression: string }>(
      `select schemaname || '.' || tablename as table, policyname as policy, cmd as command, qual as expression from pg_policies
       where schemaname = any($1) and roles = '{public}'`,
      [schemas],
    );
    const byTenant = rows.filter(({ expression }) => expression.includes("app.tenant"));
    expect(byTenant.map(({ table }) => table).sort()).toEqual(withTenant().map(sql).sort());
    const others = rows
      .filter((row) => !byTenant.includes(row))
      .map(({ table, policy, command }) => `${table} ${policy} ${command}`);
    const ofAdministrators = ["spine.tenants", ...platformTables.hidden, ...platformTables.readable];
    expect(others.sort()).toEqual(
      [
        ...ofAdministrators.map((table) => `${table} platform ALL`),
        ...platformTables.readable.map((table) => `${table} readable SELECT`),
        "spine.provisioning_runs platform SELECT",
      ].sort(),
    );
  });

  it("shows a tenant exactly its own rows", async () => {
    await whileNothingIsWritten(async () => {
      const ownCounts = await everywhere((table) => countOf(table, ours));
      const visibleCounts = await everywhere(async (table) => {
        const { rows } = await asApp(table, ours, `select tenant_id from ${sql(table)}`);
        return rows.filter((row) => row["tenant_id"] === ours).length === rows.length ? rows.length : "foreign rows";
      });
      expect(visibleCounts).toEqual(ownCounts);
      expect(Object.values(ownCounts).filter((count) => count > 0).length).toBeGreaterThan(20);
    });
  });

  it("shows no rows to a request without a tenant or with an unknown tenant", async () => {
    const stranger = decodeId("ten", newId("ten"));
    for (const tenant of [undefined, "", stranger])
      expect(
        await everywhere(async (table) => (await asApp(table, tenant, `select from ${sql(table)}`)).rowCount),
      ).toEqual(all(0));
  });

  it("lets a tenant change and delete only its own rows", async () => {
    await whileNothingIsWritten(async () => {
      const ownCounts = await everywhere((table) => countOf(table, ours));
      const updates = await everywhere((table) => asApp(table, ours, `update ${sql(table)} set tenant_id = tenant_id`));
      expect(writable(mapValues(updates, ({ rowCount }) => rowCount))).toEqual(writable(ownCounts));
      const deletions = await everywhere((table) => asApp(table, ours, `delete from ${sql(table)}`));
      expect(writable(mapValues(deletions, ({ rowCount }) => rowCount))).toEqual(writable(ownCounts));
      for (const table of readOnly)
        expect([table, updates[table]?.refused, deletions[table]?.refused]).toEqual([
          table,
          refusedByPolicy,
          refusedByPolicy,
        ]);
    });
  });

  it("does not let a tenant insert a row for another tenant", async () => {
    const insert = (table: Table, tenant: string) =>
      asApp(table, ours, `insert into ${sql(table)} (tenant_id) values ('${tenant}')`);
    expect(mapValues(await everywhere((table) => insert(table, theirs)), ({ refused }) => refused)).toEqual(
      all(refusedByPolicy),
    );
    // the policy is checked first, so an insert for the caller's own tenant is refused for another reason
    const ownInserts = mapValues(await everywhere((table) => insert(table, ours)), ({ refused }) => refused);
    expect(Object.values(writable(ownInserts))).not.toContain(refusedByPolicy);
  });

  it("does not let a tenant move a row to another tenant", async () => {
    await whileNothingIsWritten(async () => {
      const rowCounts = await everywhere((table) => countOf(table, ours));
      const moves = await everywhere((table) => asApp(table, ours, `update ${sql(table)} set tenant_id = '${theirs}'`));
      const refusals = mapValues(moves, ({ refused }) => refused);
      expect(writable(refusals)).toEqual(
        writable(mapValues(rowCounts, (count) => (count > 0 ? refusedByPolicy : undefined))),
      );
    });
  });

  it("hides rows without a tenant from requests", async () => {
    const others = tables.filter(({ hasTenant, name }) => !hasTenant && name !== "migrations");
    const { hidden, readable, ofWorkers } = platformTables;
    expect(others.map(sql).sort()).toEqual([...hidden, ...readable, ...ofWorkers].sort());
    for (const table of others.filter((candidate) => !readable.includes(sql(candidate))))
      expect([sql(table), (await asApp(table, ours, `select from ${sql(table)}`)).rowCount]).toEqual([sql(table), 0]);
    for (const table of others)
      expect([sql(table), (await asApp(table, ours, `delete from ${sql(table)}`)).rowCount]).toEqual([sql(table), 0]);
    expect((await client.query("select from spine.signing_keys")).rowCount).toBeGreaterThan(0);
  });

  it("lets requests use the tables of their own subgraph, but not the jobs, the bus or the list of migrations", async () => {
    const { rows } = await client.query<{ role: string; object: string }>(
      `select distinct role, nspname || '.' || relname as object
       from unnest($1::text[]) role, pg_class join pg_namespace on pg_namespace.oid = relnamespace,
         unnest(case when relkind = 'S' then array['select', 'update', 'usage']
           else array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger', 'maintain'] end) privilege
       where relkind in ('r', 'p', 'v', 'm', 'f', 'S') and nspname !~ '^pg_|^information_schema$'
         and case when relkind = 'S' then has_sequence_privilege(role, pg_class.oid, privilege)
           else has_table_privilege(role, pg_class.oid, privilege) end`,
      [schemas.map(requestRole)],
    );
    const openObjects = rows.map(({ role, object }) => `${role} ${object}`).filter((line) => !line.endsWith("_seq"));
    const ownTables = tables.filter(({ name }) => name !== "migrations");
    expect(openObjects.sort()).toEqual(ownTables.map((table) => `${requestRole(table.schema)} ${sql(table)}`).sort());
    const sequences = rows.filter(({ object }) => object.endsWith("_seq"));
    expect(sequences.length).toBeGreaterThan(0);
    for (const { role, object } of sequences) {
      expect(object).toMatch(new RegExp(`^${role.replace(/^postgres_|_app$/g, "")}[.]`));
      expect(object).not.toContain("migrations");
    }
    for (const schema of schemas)
      for (const table of [`${schema}.migrations`, `${schema}_jobs.job`, `${schema}_jobs.job_common`])
        for (const statement of [
          `select from ${table}`,
          `update ${table} set name = name`,
          `delete from ${table}`,
          `truncate ${table}`,
          `insert into ${table} (name) values ('x')`,
        ]) {
          const { refused } = await asApp({ schema, name: "", hasTenant: false }, ours, statement);
          expect([statement, refused]).toEqual([statement, refusedByPolicy]);
        }
  });

  it("lets each request role call the four job functions of its own subgraph", async () => {
    const { rows } = await client.query<{ role: string; called: string }>(
      `select role, oid::regproc::text as called from unnest($1::text[]) role, pg_proc
       where pronamespace = any($2::regnamespace[]) and has_function_privilege(role, oid, 'execute') order by 1, 2`,
      [schemas.map(requestRole), [...schemas.map((schema) => `${schema}_jobs`), "bus", "health", "installation"]],
    );
    const names = ["failed_job", "redrive_job", "send_jobs", "tenant_jobs"];
    expect(rows).toEqual(
      schemas.flatMap((schema) =>
        names.map((name) => ({ role: requestRole(schema), called: `${schema}_jobs.${name}` })),
      ),
    );
  });
});

const mapValues = <From, To>(from: Record<string, From>, to: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, to(value)]));
