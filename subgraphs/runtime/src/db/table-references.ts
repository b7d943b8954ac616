import { Client } from "pg";
import type { SchemaConnections } from "../connections/schema-connections.js";

type ColumnName = `${string}.${string}`;

/** A foreign key to a row with the same schema and tenant: PostgreSQL checks `(tenant_id, id)` in both rows. */
export interface ForeignKey {
  /** `<table>.<column>`, which is a primary or unique key together with `tenant_id`. */
  readonly to: ColumnName;
  /** `cascade`: the row is deleted with its parent. `no action`: the parent cannot be deleted while the row exists. */
  readonly onDelete: "cascade" | "no action";
}

export type ForeignKeys = Readonly<Record<ColumnName, ForeignKey>>;

/** For each column `<table>.<column>` that names a row: its foreign key or none, and the reason. */
export type TableReferences = Readonly<
  Record<ColumnName, (ForeignKey | { readonly to: null }) & { readonly why: string }>
>;

interface Constraint {
  readonly table: string;
  readonly name: string;
  /** The definition as PostgreSQL prints it for the schema's owner. */
  readonly definition: string;
}

export function foreignKeysOf(references: TableReferences): ForeignKeys {
  const keys = Object.entries(references).flatMap(([column, { to, ...reference }]) =>
    to !== null && "onDelete" in reference ? [[column, { to, onDelete: reference.onDelete }] as const] : [],
  );
  return Object.fromEntries(keys);
}

/**
 * The statements that add foreign keys, for a migration without a transaction; parents come before children. Each lock
 * is held for one statement, and the key check only reads rows. The migration can run again from its beginning. Rows
 * that name a parent which does not exist are deleted. Row-level security is not forced on the owner meanwhile, because
 * PostgreSQL would check only the rows that the owner sees, which are none.
 */
export function addForeignKeys(schema: string, keys: ForeignKeys): string[] {
  const places = Object.entries(keys).map(([column, key]) => ({ ...placeOf(column, key), key }));
  const tables = [...new Set(places.flatMap(({ table, parent }) => [table, parent]))];
  return [
    ...tables.map((table) => `alter table ${schema}.${table} no force row level security;`),
    ...places.map(
      ({ table, column, parent, parentColumn }) =>
        `delete from ${schema}.${table} child where child.${column} is not null and not exists (select from ${schema}.${parent} parent
          where parent.tenant_id = child.tenant_id and parent.${parentColumn} = child.${column});`,
    ),
    ...places.map(
      ({ table, name, column, parent, parentColumn, key }) =>
        `alter table ${schema}.${table} drop constraint if exists ${name}, add constraint ${name}
          foreign key (tenant_id, ${column}) references ${schema}.${parent} (tenant_id, ${parentColumn})
          on delete ${key.onDelete} deferrable initially deferred not valid;`,
    ),
    ...places.map(({ table, name }) => `alter table ${schema}.${table} validate constraint ${name};`),
    ...tables.map((table) => `alter table ${schema}.${table} force row level security;`),
  ];
}

/** The statements that drop these foreign keys. */
export function dropForeignKeys(schema: string, keys: ForeignKeys): string[] {
  const places = Object.entries(keys).map(([column, key]) => placeOf(column, key));
  return places.map(({ table, name }) => `alter table ${schema}.${table} drop constraint if exists ${name};`);
}

/** The difference between declared foreign keys and the database. */
export interface ForeignKeyDrift {
  readonly missing: ForeignKeys;
  readonly surplus: readonly string[];
}

/**
 * Compares declared foreign keys with the database: keys that are missing or differ, and statements that drop
 * undeclared ones.
 */
export async function foreignKeyDrift(
  { owner, schema }: SchemaConnections,
  references: TableReferences,
): Promise<ForeignKeyDrift> {
  const keys = foreignKeysOf(references);
  const present = await constraintsOf(owner, schema);
  const wantedConstraints = Object.entries(keys).map(([column, key]) => ({
    column,
    key,
    ...constraintOf(column, key),
  }));
  const isPresent = ({ name, definition }: Constraint) =>
    present.some((constraint) => constraint.name === name && constraint.definition === definition);
  const missing = wantedConstraints.filter((constraint) => !isPresent(constraint));
  const surplus = present.filter(({ name }) => wantedConstraints.every((constraint) => constraint.name !== name));
  return {
    missing: Object.fromEntries(missing.map(({ column, key }) => [column, key])),
    surplus: surplus.map(({ table, name }) => `alter table ${schema}.${table} drop constraint ${name};`),
  };
}

function placeOf(place: string, { to }: ForeignKey) {
  const [table = "", column = ""] = place.split(".");
  const [parent = "", parentColumn = ""] = to.split(".");
  return { table, column, parent, parentColumn, name: `${table}_${column}_fk` };
}

function constraintOf(place: string, key: ForeignKey): Constraint {
  const { table, column, parent, parentColumn, name } = placeOf(place, key);
  const onDelete = key.onDelete === "cascade" ? " ON DELETE CASCADE" : "";
  const definition = `FOREIGN KEY (tenant_id, ${column}) REFERENCES ${parent}(tenant_id, ${parentColumn})${onDelete} DEFERRABLE INITIALLY DEFERRED`;
  return { table, name, definition };
}

async function constraintsOf(url: string, schema: string): Promise<Constraint[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Constraint>(
      `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and connamespace = $1::regnamespace order by conname`,
      [schema],
    );
    return rows;
  } finally {
    await client.end();
  }
}
