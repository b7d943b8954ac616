import type { ClientBase } from "pg";
import { literal, withRoleNames } from "../connections/database-roles.js";
import type { SchemaConnections } from "../connections/schema-connections.js";

/** The migration of a new database. It makes at once what the migrations that it replaces make one after the other. */
export interface MergedMigration {
  /** It begins with `Merged`, by which a backup leaves it out. */
  readonly name: string;
  /** The names of the replaced migrations, in their order. */
  readonly replaces: readonly string[];
  /** SQL with role names as in other migrations. */
  readonly statements: readonly string[];
}

/** Runs the merged migration and records it together with the replaced ones: either everything is committed or nothing. */
export async function runMerged(
  owner: ClientBase,
  { schema, roles }: SchemaConnections,
  { name, replaces, statements }: MergedMigration,
): Promise<void> {
  const whole = ["begin", ...statements, migrationsTable(schema), record(schema, [...replaces, name]), "commit"];
  // One message with all statements is one round trip.
  await owner.query(withRoleNames(whole.join(";\n"), schema, roles));
}

/** Records a merged migration in a database that has run the migrations which it replaces. */
export async function recordMerged(owner: ClientBase, schema: string, { name }: MergedMigration): Promise<void> {
  await owner.query(record(schema, [name]));
}

/** The names of the migrations that the database has run. */
export async function recordedMigrations(client: ClientBase, schema: string): Promise<ReadonlySet<string>> {
  const { rows: present } = await client.query("select where to_regclass($1) is not null", [`${schema}.migrations`]);
  if (present.length === 0) return new Set();
  const { rows } = await client.query<{ name: string }>(`select name from ${schema}.migrations`);
  return new Set(rows.map(({ name }) => name));
}

/** The table as the ORM makes it. A process that died before its first migration has left it empty. */
const migrationsTable = (schema: string): string => `create table if not exists ${schema}.migrations (
  id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default current_timestamp(6))`;

const record = (schema: string, names: readonly string[]): string =>
  `insert into ${schema}.migrations (name) values ${names.map((name) => `(${literal(name)})`).join(", ")}`;
