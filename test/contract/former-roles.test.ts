import "reflect-metadata";
import { catalogTables } from "@factory/catalog/tables";
import { integrationTables } from "@factory/integration/tables";
import { type DatabaseAccess, schemaConnections } from "@factory/runtime/connections/schema-connections";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { aSuiteServer, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { schemaDrift } from "@factory/runtime/unit-of-work/write-migration";
import { type SubgraphName, subgraphNames } from "@factory/schema/subgraph-names";
import { spineTables } from "@factory/spine/tables";
import pg from "pg";
import { formerConnections, makeJobTables, provisionAsFormerly } from "../kit/former-installation.js";

const tables = { catalog: catalogTables, integration: integrationTables, spine: spineTables };
const masterKeys = someMasterKeys(1);

let server: SuiteDatabase;
let admin: pg.Client;
const clients: pg.Client[] = [];

const urlOf = (name: string) => Object.assign(new URL(server.url), { pathname: name }).href;

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  clients.push(client);
  return client;
}

/** Everything in a database that names a role, with the names that the roles have in `name`. */
async function rolesIn(name: string): Promise<string[]> {
  const client = await connected(urlOf(name));
  const { rows } = await client.query<{ line: string }>(
    `with acls as (
       select 'relation ' || oid::regclass as object, relowner as owner, relacl as acl from pg_class
         where relnamespace::regnamespace::text = any($1)
       union all select 'schema ' || nspname, nspowner, nspacl from pg_namespace where nspname = any($1)
       union all select 'function ' || oid::regprocedure, proowner, proacl from pg_proc
         where pronamespace::regnamespace::text = any($1)
       union all select 'type ' || oid::regtype, typowner, typacl from pg_type
         where typnamespace::regnamespace::text = any($1)
       union all select 'default ' || coalesce(defaclnamespace::regnamespace::text, '') || defaclobjtype::text, defaclrole, defaclacl
         from pg_default_acl)
     select object || ' owner ' || owner::regrole as line from acls
     union all select object || ' of ' || owner::regrole || ' to ' || grantee::regrole || ': ' || privilege_type
       from acls, aclexplode(acl)
     union all select 'policy ' || polname || ' on ' || polrelid::regclass || ' to ' || polroles::regrole[]::text from pg_policy`,
    [[...subgraphNames.flatMap((schema) => [schema, `${schema}_jobs`]), "bus", "health", "installation"]],
  );
  return rows.map(({ line }) => line.replaceAll(`${name}_`, "")).toSorted();
}

/** How many objects in the database depend on roles in the former form. */
async function leftOf(name: string): Promise<number> {
  const { rows } = await admin.query<{ count: number }>(
    `select count(*)::int as count from pg_shdepend join pg_roles on refobjid = pg_roles.oid
     where refclassid = 'pg_authid'::regclass and dbid = (select oid from pg_database where datname = $1)
       and rolname ~ '^((catalog|integration|spine)_(owner|app|worker)|platform_worker)$'`,
    [name],
  );
  return rows[0]?.count ?? -1;
}

const provision = (name: string) => provisionDatabase(urlOf(name), subgraphNames, { masterKeys });

const definitionOf = (access: DatabaseAccess, schema: SubgraphName) => ({
  connections: schemaConnections(access, schema),
  ...tables[schema],
});

async function startAsFormerly(name: string): Promise<void> {
  await provisionAsFormerly(urlOf(name));
  for (const schema of subgraphNames) {
    const connections = formerConnections(urlOf(name), schema);
    await migrate({ connections, ...tables[schema] });
    await makeJobTables(connections);
  }
}

const formerPasswords = async () =>
  (
    await admin.query(
      "select rolname, rolpassword from pg_authid where rolname ~ '^(catalog|integration|spine)_' order by 1",
    )
  ).rows;

const tenant = "01980000-0000-7000-8000-000000000001";
/** The tenants that a request sees, as the release before asks for them. */
const visibleTenants = async (client: pg.Client) => {
  await client.query("begin");
  await client.query("select set_config('app.tenant', $1, true)", [tenant]);
  const { rows } = await client.query<{ tenant_id: string }>(
    "select distinct tenant_id from spine.idempotency_records",
  );
  await client.query("commit");
  return rows.map((row) => row.tenant_id);
};

beforeAll(async () => {
  server = await aSuiteServer("provisioned");
  admin = await connected(server.url);
  await admin.query("create database former");
  await startAsFormerly("former");
  const client = await connected(urlOf("former"));
  await client.query(
    `insert into spine.idempotency_records (tenant_id, principal, field, key, fingerprint, created_at)
     select unnest($1::uuid[]), 'usr', 'field', 'key', 'print', now() - interval '2 days'`,
    [[tenant, "01980000-0000-7000-8000-000000000002"]],
  );
  await client.end();
  // another installation in the same form on the same server
  await admin.query("create database neighbour template former");
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await server?.close();
});

describe("an installation whose roles have no prefix", () => {
  it("is carried over beside a running process of the release before", async () => {
    const url = urlOf("former");
    const [neighbour, passwords] = [await rolesIn("neighbour"), await formerPasswords()];
    const app = await connected(formerConnections(url, "spine").app);
    const worker = await connected(formerConnections(url, "spine").worker);
    // a long statement from the release before holds a table
    await worker.query("set idle_in_transaction_session_timeout = 0; begin");
    await worker.query("select from spine.tenants");
    const provisioning = provision("former");
    const waiting = async () =>
      (await admin.query("select from pg_stat_activity where datname = 'former' and wait_event_type = 'Lock'"))
        .rowCount;
    while ((await waiting()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    // a request does not wait behind it for longer than the carrying over is patient
    expect(await visibleTenants(app)).toEqual([tenant]);
    await worker.query("commit");
    const access = await provisioning;

    expect(await leftOf("former")).toBe(0);
    expect(await visibleTenants(app)).toEqual([tenant]);
    expect((await worker.query("select current_user as role, count(*) from spine.idempotency_records")).rows).toEqual([
      { role: "spine_worker", count: "2" },
    ]);
    for (const schema of subgraphNames) {
      expect(await migrate(definitionOf(access, schema))).toBe(0);
      expect(await schemaDrift(definitionOf(access, schema))).toBe("");
      await makeJobTables(schemaConnections(access, schema));
    }
    await admin.query("create database fresh");
    const fresh = await provision("fresh");
    for (const schema of subgraphNames) {
      await migrate(definitionOf(fresh, schema));
      await makeJobTables(schemaConnections(fresh, schema));
    }
    expect(await rolesIn("former")).toEqual(await rolesIn("fresh"));

    expect(await rolesIn("neighbour")).toEqual(neighbour);
    expect(await formerPasswords()).toEqual(passwords);
    const stranger = await connected(formerConnections(urlOf("fresh"), "spine").worker);
    for (const sql of ["select from spine.tenants", "select from bus.messages", "select from spine_jobs.job"])
      expect(await stranger.query(sql).catch(({ code }) => code)).toBe("42501");
    const ownRole = await connected(formerConnections(urlOf("neighbour"), "spine").worker);
    expect(
      (await ownRole.query("select current_user as role from spine.tenants right join (select) one on true")).rows,
    ).toEqual([{ role: "spine_worker" }]);
  });

  it("lets the release before start again, and takes over what this has made", async () => {
    await startAsFormerly("former");
    const worker = await connected(formerConnections(urlOf("former"), "spine").worker);
    await worker.query("create table spine_jobs.made_beside (id int)");
    expect((await worker.query("select current_user as role")).rows).toEqual([{ role: "former_spine_worker" }]);
    await worker.query("drop table spine_jobs.made_beside");
    const access = await provision("former");
    expect(await leftOf("former")).toBe(0);
    for (const schema of subgraphNames) expect(await migrate(definitionOf(access, schema))).toBe(0);
    expect(await rolesIn("former")).toEqual(await rolesIn("fresh"));
  });

  it("on the same server is carried over after it", async () => {
    await provision("neighbour");
    expect(await leftOf("neighbour")).toBe(0);
    expect(await rolesIn("neighbour")).toEqual(await rolesIn("fresh"));
    const worker = await connected(formerConnections(urlOf("former"), "catalog").worker);
    expect((await worker.query("select current_user as role")).rows).toEqual([{ role: "former_catalog_worker" }]);
  });
});
