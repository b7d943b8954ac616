import { randomBytes } from "node:crypto";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { Client, type ClientBase } from "pg";
import { busSchema } from "../bus/bus-schema.js";
import { databaseRole, identifier, schemaRoles, workerGroup } from "../connections/database-roles.js";
import type { DatabaseAccess } from "../connections/schema-connections.js";
import { limitsSchema } from "../platform-limits/limits-schema.js";
import type { MasterKeys } from "../sealing/master-keys.js";
import type { Logger } from "../telemetry/logger.js";
import { admitRelease, type StartingProcess } from "./admit-release.js";
import { correctPasswords } from "./correct-passwords.js";
import { carryOverFormerRoles } from "./former-roles.js";
import { installationTables, roleSecret, storedSecret, storeSecret } from "./installation-secret.js";
import { missingRight } from "./missing-right.js";
import { missingRoles, type WantedRole } from "./missing-roles.js";
import { registration } from "./release-processes.js";
import { levelTables, type ReleaseLevel, raiseLevel, thisRelease } from "./schema-level.js";
import { refuseForeignOwners } from "./schema-owners.js";

/** The things that decide about the roles of a database beside its URL. */
export interface RoleSettings {
  readonly masterKeys: MasterKeys;
  /** Every role name begins with it. The default is the name of the database. */
  readonly rolePrefix?: string | undefined;
  /** Gets a line when a start waits for tables that are in use. */
  readonly logger?: Logger;
}

/** The process for which a database is provisioned. */
interface StartSettings {
  /** The process that starts and registers itself; absent for tools. */
  readonly start?: StartingProcess;
  /** The level of the release, which tests change. */
  readonly release?: ReleaseLevel;
  /** Further work of a start that no other one may do at the same time. */
  readonly lastStep?: (client: ClientBase) => Promise<void>;
}

/**
 * Creates missing roles and schemas: `<schema>` owned by its `_owner` role, `<schema>_jobs` owned by its `_worker` role,
 * and `bus` and `limits` for workers only. No role has BYPASSRLS, and the `_app` role owns nothing. Takes a database over whose roles
 * are those of an earlier release, and gives a role its password back where it has another one. Raises the level of the
 * data, and registers the process that starts.
 */
export async function provisionDatabase(
  adminUrl: string,
  schemas: readonly SubgraphName[],
  { start, release = thisRelease, lastStep, ...settings }: RoleSettings & StartSettings,
): Promise<DatabaseAccess> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await admitRelease(client, release, start);
    const { access, isNew } = await roleAccess(client, adminUrl, settings);
    const { rolePrefix } = access;
    await refuseForeignOwners(client, rolePrefix, schemas);
    const group = identifier(databaseRole(rolePrefix, workerGroup));
    const level = [...levelTables(group), raiseLevel(release), ...(start ? registration(start, release) : [])];
    const taken = { client, prefix: rolePrefix, schemas, logger: settings.logger };
    await carryOverFormerRoles(taken, async (carryOver) => {
      await client.query(await missingRoles(client, access, wantedRoles(rolePrefix, schemas)));
      // One message with all statements is one round trip.
      await client.query([...provisioning(rolePrefix, schemas), ...level].join(";\n"));
      if (isNew) await storeSecret(client, roleSecret, settings.masterKeys, access.roleSecret);
      await carryOver();
    });
    const logins = schemas.flatMap((schema) => {
      const { owner, app, worker } = schemaRoles(rolePrefix, schema);
      return [owner, app, worker];
    });
    await correctPasswords(client, access, logins);
    await lastStep?.(client);
    return access;
  } catch (error) {
    throw missingRight(error, adminUrl) ?? error;
  } finally {
    await client.end();
  }
}

/** The access to a database that is provisioned. Throws for another one. Changes nothing. */
export async function openDatabaseAccess(adminUrl: string, settings: RoleSettings): Promise<DatabaseAccess> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { access, isNew } = await roleAccess(client, adminUrl, settings);
    if (isNew) throw new Error("The database is not provisioned: start the platform over it once");
    return access;
  } finally {
    await client.end();
  }
}

async function roleAccess(client: Client, adminUrl: string, { masterKeys, rolePrefix }: RoleSettings) {
  const stored = await storedSecret(client, roleSecret, masterKeys);
  const { rows } = await client.query<{ name: string }>("select current_database() as name");
  const database = rows[0]?.name ?? "";
  const url = new URL(adminUrl);
  // Without a name, each role would connect to the database that is called like the role.
  if (url.pathname === "" || url.pathname === "/") url.pathname = encodeURI(database);
  const access: DatabaseAccess = {
    url: url.href,
    rolePrefix: rolePrefix ?? database,
    roleSecret: stored ?? randomBytes(32).toString("base64url"),
  };
  return { access, isNew: stored === undefined };
}

function wantedRoles(prefix: string, schemas: readonly SubgraphName[]): WantedRole[] {
  const group: WantedRole = { role: databaseRole(prefix, workerGroup), login: false, settings: {} };
  const logins = schemas.flatMap((schema): WantedRole[] => {
    const { owner, app, worker } = schemaRoles(prefix, schema);
    const settings = { idle_in_transaction_session_timeout: "10s", search_path: schema };
    // The server ends a statement when the client has closed the connection.
    const ofRequests = { statement_timeout: "15s", client_connection_check_interval: "1s", ...settings };
    return [
      { role: owner, login: true, settings },
      { role: app, login: true, settings: ofRequests },
      { role: worker, login: true, settings },
    ];
  });
  return [group, ...logins];
}

/** The tables of the write probe (`write-probe.ts`), with one row per role, and of the last backup, with one row. */
const healthSchema = (group: string) => [
  "create schema if not exists health",
  `create table if not exists health.writes (
     role name primary key,
     at timestamptz not null,
     spilled bigint not null) with (fillfactor = 10)`,
  `create table if not exists health.last_backup (
     only_row boolean primary key default true check (only_row),
     completed_at timestamptz not null)`,
  `grant usage on schema health to ${group}`,
  `grant select, insert, update on health.writes to ${group}`,
  `grant select on health.last_backup to ${group}`,
];

function* provisioning(prefix: string, schemas: readonly SubgraphName[]): Generator<string> {
  const group = databaseRole(prefix, workerGroup);
  yield* busSchema(group);
  yield* healthSchema(identifier(group));
  yield* limitsSchema(identifier(group));
  yield "revoke all on schema public from public";
  for (const schema of schemas) {
    const roles = schemaRoles(prefix, schema);
    const [owner, app, worker] = [roles.owner, roles.app, roles.worker].map(identifier);
    yield `grant ${identifier(group)} to ${worker}`;
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
  }
  yield* installationTables(schemas.includes("spine") ? schemaRoles(prefix, "spine").worker : undefined);
}
