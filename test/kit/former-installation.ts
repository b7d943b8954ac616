import { createHmac } from "node:crypto";
import { busSchema } from "@factory/runtime/bus/bus-schema";
import type { SchemaConnections } from "@factory/runtime/connections/schema-connections";
import { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { type SubgraphName, subgraphNames } from "@factory/schema/subgraph-names";
import pg from "pg";

/** The password that releases before 2026-11-29 derive for a role. */
const formerPassword = (adminUrl: string, role: string) =>
  createHmac("sha256", new URL(adminUrl).password || "no password")
    .update(`factory role ${role}`)
    .digest("base64url");

/** Connections as those releases open them. Their roles have the same names in all databases on a server. */
export function formerConnections(adminUrl: string, schema: SubgraphName): SchemaConnections {
  const roles = {
    owner: `${schema}_owner`,
    app: `${schema}_app`,
    worker: `${schema}_worker`,
    workerGroup: "platform_worker",
  };
  const urlAs = (role: string) =>
    Object.assign(new URL(adminUrl), { username: role, password: formerPassword(adminUrl, role) }).href;
  return { schema, owner: urlAs(roles.owner), app: urlAs(roles.app), worker: urlAs(roles.worker), roles };
}

/** Does what those releases do at each start before their migrations. */
export async function provisionAsFormerly(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query([...formerStatements(adminUrl)].join(";\n"));
  } finally {
    await client.end();
  }
}

const roleCreation = (role: string, options: string) =>
  `do $$ begin if not exists (select from pg_roles where rolname = '${role}') then create role ${role} ${options}; end if; end $$`;

function* formerStatements(adminUrl: string): Generator<string> {
  yield roleCreation("platform_worker", "nologin");
  yield* busSchema("platform_worker");
  yield "create schema if not exists health";
  yield `create table if not exists health.writes (role name primary key, at timestamptz not null,
    spilled bigint not null) with (fillfactor = 10)`;
  yield "grant usage on schema health to platform_worker";
  yield "grant select, insert, update on health.writes to platform_worker";
  yield "revoke all on schema public from public";
  for (const schema of subgraphNames) {
    const [owner, app, worker] = [`${schema}_owner`, `${schema}_app`, `${schema}_worker`];
    for (const role of [owner, app, worker]) {
      yield roleCreation(role, "login");
      yield `alter role ${role} with login nosuperuser nobypassrls password '${formerPassword(adminUrl, role)}'`;
    }
    yield `alter role ${app} set statement_timeout = '15s'`;
    yield `alter role ${app} set client_connection_check_interval = '1s'`;
    for (const role of [owner, app, worker]) yield `alter role ${role} set idle_in_transaction_session_timeout = '10s'`;
    yield `grant platform_worker to ${worker}`;
    yield `grant ${owner}, ${worker} to current_user`;
    yield `create schema if not exists ${schema} authorization ${owner}`;
    yield `create schema if not exists ${schema}_jobs authorization ${worker}`;
    yield `grant usage on schema ${schema} to ${app}, ${worker}`;
    yield `grant usage on schema ${schema}_jobs to ${app}`;
    yield `alter default privileges for role ${owner} in schema ${schema} grant select, insert, update, delete on tables to ${app}, ${worker}`;
    yield `alter default privileges for role ${owner} in schema ${schema} grant usage on sequences to ${app}, ${worker}`;
    for (const kind of ["tables", "sequences"])
      yield `alter default privileges for role ${worker} in schema ${schema}_jobs revoke all on ${kind} from ${app}`;
    yield `alter default privileges for role ${worker} revoke execute on functions from public`;
    for (const role of [owner, app, worker]) yield `alter role ${role} set search_path = ${schema}`;
  }
}

/** Starts and stops the job queue, which makes its tables and functions. */
export async function makeJobTables(connections: SchemaConnections): Promise<void> {
  const jobs = new JobQueue(connections, createLogger("jobs", "silent"));
  await jobs.start([]);
  await jobs.stop();
}
