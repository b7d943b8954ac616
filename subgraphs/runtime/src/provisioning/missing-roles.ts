import type { ClientBase } from "pg";
import { identifier, literal } from "../connections/database-roles.js";
import { type DatabaseAccess, rolePassword } from "../connections/schema-connections.js";
import { scramVerifier } from "./scram-verifier.js";

/** A role as it must be. */
export interface WantedRole {
  readonly role: string;
  readonly login: boolean;
  /** Settings of its sessions. */
  readonly settings: Readonly<Record<string, string>>;
}

interface PresentRole {
  readonly rolname: string;
  readonly rolcanlogin: boolean;
  readonly rolsuper: boolean;
  readonly rolbypassrls: boolean;
  readonly settings: readonly string[];
}

/**
 * The statements that make the roles as they must be. Roles belong to the whole server, and another process may start
 * over another database with the same roles, so a role that is right is not written.
 */
export async function missingRoles(
  client: ClientBase,
  access: DatabaseAccess,
  wanted: readonly WantedRole[],
): Promise<string> {
  const { rows } = await client.query<PresentRole>(
    `select rolname, rolcanlogin, rolsuper, rolbypassrls, coalesce(setconfig, '{}') as settings
     from pg_roles left join pg_db_role_setting on setrole = pg_roles.oid and setdatabase = 0
     where rolname = any($1::text[])`,
    [wanted.map(({ role }) => role)],
  );
  const present = new Map(rows.map((role) => [role.rolname, role]));
  const made = wanted.map(async (role) => {
    const found = present.get(role.role);
    const create = found ? [] : [await createRole(access, role)];
    return [...create, ...changes(role, found)];
  });
  return (await Promise.all(made)).flat().join(";\n");
}

function* changes(wanted: WantedRole, present?: PresentRole): Generator<string> {
  const role = identifier(wanted.role);
  if (present) {
    if (wanted.login && !present.rolcanlogin) yield `alter role ${role} login`;
    // Only a superuser may name these attributes.
    if (present.rolsuper) yield `alter role ${role} nosuperuser`;
    if (present.rolbypassrls) yield `alter role ${role} nobypassrls`;
  }
  for (const [name, value] of Object.entries(wanted.settings))
    if (!present?.settings.includes(`${name}=${value}`)) yield `alter role ${role} set ${name} = ${literal(value)}`;
}

/** CREATE ROLE has no IF NOT EXISTS, and a process over another database may be faster. */
async function createRole(access: DatabaseAccess, { role, login }: WantedRole): Promise<string> {
  const options = login ? `login password ${literal(await scramVerifier(rolePassword(access, role)))}` : "nologin";
  const create = `create role ${identifier(role)} ${options}`;
  return `do ${literal(`begin execute ${literal(create)}; exception when duplicate_object or unique_violation then null; end`)}`;
}
