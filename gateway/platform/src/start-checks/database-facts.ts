import { refuseOldServer } from "@factory/runtime/postgres/server-version";
import { refuseNewerData, thisRelease } from "@factory/runtime/provisioning/schema-level";
import type { DatabaseCheck } from "./start-check.js";

/** Connections that one process needs without load, with a few for requests. OPERATING.md names what it takes at most. */
const leastConnections = 60;

/** Throws EnvironmentError, as `dataLevel` does. */
export const serverVersion: DatabaseCheck = async (_environment, admin) => {
  await refuseOldServer(admin);
  return undefined;
};

/** A release does not write data that are too new for it. */
export const dataLevel: DatabaseCheck = async (_environment, admin) => {
  await refuseNewerData(admin, thisRelease);
  return undefined;
};

/** Tenants' texts have every Unicode character. */
export const encoding: DatabaseCheck = async (_environment, admin) => {
  const { rows } = await admin.query<{ name: string; encoding: string }>(
    "select current_database() as name, current_setting('server_encoding') as encoding",
  );
  if (rows[0]?.encoding === "UTF8") return undefined;
  return `The database "${rows[0]?.name}" has the encoding ${rows[0]?.encoding}. Name one in DATABASE_URL that was made with: create database factory encoding 'UTF8' template template0.`;
};

/** The start makes roles and schemas. */
export const rights: DatabaseCheck = async (_environment, admin) => {
  const { rows } = await admin.query<{ role: string; database: string; roles: boolean; schemas: boolean }>(
    `select current_user as role, current_database() as database, rolsuper or rolcreaterole as roles,
       has_database_privilege(current_database(), 'CREATE') as schemas
     from pg_roles where rolname = current_user`,
  );
  const facts = rows[0];
  if (!facts || (facts.roles && facts.schemas)) return undefined;
  const [right, statement] = facts.roles
    ? ["create schemas", `grant create on database "${facts.database}" to "${facts.role}"`]
    : ["create roles", `alter role "${facts.role}" createrole`];
  return `The role "${facts.role}" of DATABASE_URL may not ${right} in the database "${facts.database}". Let a superuser run: ${statement}.`;
};

export const connectionRoom: DatabaseCheck = async (_environment, admin) => {
  const { limit, usable } = await connectionLimit(admin);
  if (usable >= leastConnections) return undefined;
  return `The server takes ${usable} connections of applications (max_connections ${limit}), and one process needs ${leastConnections}. Set max_connections of the server to 100 for each process and 20 more.`;
};

/** A warning, since one process can run. */
export const roomForSecondProcess: DatabaseCheck = async ({ databaseUrl }, admin) => {
  const { limit } = await connectionLimit(admin);
  if (databaseUrl === undefined || limit >= 200) return undefined;
  return `The server has max_connections ${limit}, which is too few for a second process. Set it to 100 for each process and 20 more.`;
};

async function connectionLimit(admin: Parameters<DatabaseCheck>[1]): Promise<{ limit: number; usable: number }> {
  const { rows } = await admin.query<{ limit: number; reserved: number }>(
    `select current_setting('max_connections')::int as "limit",
       current_setting('superuser_reserved_connections')::int
         + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved`,
  );
  const { limit = 0, reserved = 0 } = rows[0] ?? {};
  return { limit, usable: limit - reserved };
}
