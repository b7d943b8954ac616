import type { SubgraphName } from "@factory/schema/subgraph-names";
import { Client } from "pg";
import { busSchema } from "../bus/bus-schema.js";
import { rolePassword } from "../connections/schema-connections.js";
import { advisoryLocks } from "../db/advisory-locks.js";
import { workerGroup } from "../db/tenant-table.js";

/**
 * Creates missing roles and schemas: `<schema>` owned by its `_owner` role, `<schema>_jobs` owned by its `_worker` role,
 * and `bus` for workers only. No role has BYPASSRLS, and the `_app` role owns nothing.
 */
export async function provisionDatabase(adminUrl: string, schemas: readonly SubgraphName[]): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [advisoryLocks.provisioning]);
    // One message with all statements is one transaction, so it waits for the disk once.
    await client.query([...provisioning(new URL(adminUrl), schemas)].join(";\n"));
  } finally {
    await client.end();
  }
}

/** The table of the write probe (`write-probe.ts`): one row per role, which is overwritten. */
const healthSchema = [
  "create schema if not exists health",
  `create table if not exists health.writes (
     role name primary key,
     at timestamptz not null,
     spilled bigint not null) with (fillfactor = 10)`,
  `grant usage on schema health to ${workerGroup}`,
  `grant select, insert, update on health.writes to ${workerGroup}`,
];

function* provisioning(adminUrl: URL, schemas: readonly SubgraphName[]): Generator<string> {
  yield createRole(workerGroup, "nologin");
  yield* busSchema;
  yield* healthSchema;
  yield "revoke all on schema public from public";
  for (const schema of schemas) {
    const [owner, app, worker] = [`${schema}_owner`, `${schema}_app`, `${schema}_worker`];
    for (const role of [owner, app, worker]) {
      yield createRole(role, "login");
      yield `alter role ${role} with login nosuperuser nobypassrls password '${rolePassword(adminUrl, role)}'`;
    }
    yield `alter role ${app} set statement_timeout = '15s'`;
    // The server ends a statement when the client has closed the connection.
    yield `alter role ${app} set client_connection_check_interval = '1s'`;
    for (const role of [owner, app, worker]) yield `alter role ${role} set idle_in_transaction_session_timeout = '10s'`;
    yield `grant ${workerGroup} to ${worker}`;
    // Creating a schema for a role requires membership in the role.
    yield `grant ${owner}, ${worker} to current_user`;
    yield `create schema if not exists ${schema} authorization ${owner}`;
    yield `create schema if not exists ${schema}_jobs authorization ${worker}`;
    yield `grant usage on schema ${schema} to ${app}, ${worker}`;
    yield `grant usage on schema ${schema}_jobs to ${app}`;
    yield `alter default privileges for role ${owner} in schema ${schema} grant select, insert, update, delete on tables to ${app}, ${worker}`;
    yield `alter default privileges for role ${owner} in schema ${schema} grant usage on sequences to ${app}, ${worker}`;
    // Requests use jobs through functions only (`access-functions.ts`). Tables that pg-boss adds later stay closed too.
    for (const kind of ["tables", "sequences"])
      yield `alter default privileges for role ${worker} in schema ${schema}_jobs revoke all on ${kind} from ${app}`;
    // A default privilege of PostgreSQL cannot be revoked for one schema only.
    yield `alter default privileges for role ${worker} revoke execute on functions from public`;
    for (const role of [owner, app, worker]) yield `alter role ${role} set search_path = ${schema}`;
  }
}

/** Creates the role unless it exists. CREATE ROLE has no IF NOT EXISTS. */
function createRole(role: string, options: string): string {
  return `do $$ begin if not exists (select from pg_roles where rolname = '${role}') then create role ${role} ${options}; end if; end $$`;
}
