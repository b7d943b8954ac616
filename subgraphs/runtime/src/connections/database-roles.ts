import { createHash } from "node:crypto";
import type { SubgraphName } from "@factory/schema/subgraph-names";

/** The names that a schema's roles have on the database server. */
export interface SchemaRoles {
  readonly owner: string;
  readonly app: string;
  readonly worker: string;
  /** The group role that every worker role belongs to. */
  readonly workerGroup: string;
}

/**
 * The group role for workers, as entities and migrations name it. In a database its name has a prefix, as all role
 * names have: `databaseRole`.
 */
export const workerGroup = "platform_worker";

/** PostgreSQL cuts longer names without an error. */
const longestNameBytes = 63;

/**
 * A role's name on the server: `<prefix>_<role>`. Roles belong to the whole server, so the prefix is the database name.
 * A prefix that is too long is cut and gets a digest. So does one that PostgreSQL reserves.
 */
export function databaseRole(prefix: string, role: string): string {
  const whole = `${prefix}_${role}`;
  const isReserved = /^pg_/i.test(prefix);
  if (!isReserved && Buffer.byteLength(whole) <= longestNameBytes) return whole;
  const end = `_${createHash("sha256").update(prefix).digest("hex").slice(0, 16)}_${role}`;
  return `${cut(isReserved ? `db_${prefix}` : prefix, longestNameBytes - Buffer.byteLength(end))}${end}`;
}

/** The longest beginning with at most so many bytes. No character is cut in two. */
function cut(text: string, bytes: number): string {
  let beginning = "";
  for (const character of text) {
    if (Buffer.byteLength(beginning + character) > bytes) break;
    beginning += character;
  }
  return beginning;
}

/** A schema's roles where the names have this prefix. */
export function schemaRoles(prefix: string, schema: SubgraphName): SchemaRoles {
  const [owner, app, worker] = [`${schema}_owner`, `${schema}_app`, `${schema}_worker`].map((role) =>
    databaseRole(prefix, role),
  ) as [string, string, string];
  return { owner, app, worker, workerGroup: databaseRole(prefix, workerGroup) };
}

/** The name as an SQL identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The text as an SQL literal, with `standard_conforming_strings`. */
export const literal = (text: string): string =>
  text.includes("\\")
    ? ` e'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`
    : `'${text.replaceAll("'", "''")}'`;

/**
 * Puts this database's role names into SQL. Migrations and the ORM name roles without the prefix and in double quotes,
 * for example `to "platform_worker"`.
 */
export function withRoleNames(sql: string, schema: SubgraphName, roles: SchemaRoles): string {
  const names: Readonly<Record<string, string>> = {
    [workerGroup]: roles.workerGroup,
    [`${schema}_owner`]: roles.owner,
    [`${schema}_app`]: roles.app,
    [`${schema}_worker`]: roles.worker,
  };
  const quotedName = new RegExp(`"(${Object.keys(names).join("|")})"`, "g");
  return sql.replace(quotedName, (_, role: string) => identifier(names[role] ?? role));
}
