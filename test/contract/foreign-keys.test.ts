import "reflect-metadata";
import { randomBytes, randomUUID } from "node:crypto";
import { catalogTables } from "@factory/catalog/tables";
import { integrationTables } from "@factory/integration/tables";
import { type DatabaseAccess, schemaConnections } from "@factory/runtime/connections/schema-connections";
import { foreignKeysOf } from "@factory/runtime/db/table-references";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { schemaDrift } from "@factory/runtime/unit-of-work/write-migration";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { spineTables } from "@factory/spine/tables";
import pg from "pg";
import { databaseUrl } from "../kit/database.js";

const tables = { catalog: catalogTables, integration: integrationTables, spine: spineTables };
const schemas = Object.keys(tables) as SubgraphName[];

interface Key {
  readonly schema: SubgraphName;
  readonly table: string;
  readonly column: string;
  readonly parent: string;
  readonly parentColumn: string;
  readonly onDelete: string;
}

const keys: readonly Key[] = schemas.flatMap((schema) =>
  Object.entries(foreignKeysOf(tables[schema].references)).map(([place, { to, onDelete }]) => {
    const [table = "", column = ""] = place.split(".");
    const [parent = "", parentColumn = ""] = to.split(".");
    return { schema, table, column, parent, parentColumn, onDelete };
  }),
);

type Row = Record<string, unknown>;

const name = `keys_${randomBytes(4).toString("hex")}`;
let access: DatabaseAccess;
let admin: pg.Client;
/** Connected as the database's superuser, to which no policy applies. */
let client: pg.Client;

const connect = async (connectionString: string) => {
  const pgClient = new pg.Client({ connectionString });
  await pgClient.connect();
  return pgClient;
};

const definition = (schema: SubgraphName) => ({ connections: schemaConnections(access, schema), ...tables[schema] });

/** Creates a separate database in the platform's cluster, with rows that are older than the foreign keys. */
beforeAll(async () => {
  const cluster = await databaseUrl();
  admin = await connect(cluster);
  await admin.query(`create database ${name}`);
  const url = Object.assign(new URL(cluster), { pathname: name }).href;
  access = await provisionDatabase(url, schemas, { masterKeys: someMasterKeys(1) });
  client = await connect(url);
  for (const schema of schemas) {
    const { migrations, ...rest } = definition(schema);
    const first = migrations.findIndex((migration) => migration.name.endsWith("_foreign_keys"));
    await migrate({ ...rest, migrations: migrations.slice(0, first) });
  }
});

afterAll(async () => {
  await client?.end();
  await admin?.query(`drop database if exists ${name} with (force)`);
  await admin?.end();
});

const values: Readonly<Record<string, () => unknown>> = {
  uuid: randomUUID,
  text: () => randomBytes(8).toString("hex"),
  int4: () => 1,
  int8: () => 1,
  bool: () => false,
  timestamptz: () => new Date(),
  json: () => "{}",
  jsonb: () => "{}",
  _text: () => [],
  bytea: () => Buffer.alloc(1),
};

/**
 * Inserts a row with a value in every required column. A foreign key that is not given gets a new parent in the same
 * tenant.
 */
async function aRow(schema: string, table: string, presetValues: Row): Promise<Row> {
  const { rows } = await client.query<{ column: string; type: string }>(
    `select column_name as column, udt_name as type from information_schema.columns
     where table_schema = $1 and table_name = $2 and is_nullable = 'NO' and column_default is null and is_generated = 'NEVER'`,
    [schema, table],
  );
  const row: Row = Object.fromEntries(rows.map(({ column, type }) => [column, values[type]?.()]));
  Object.assign(row, presetValues);
  const isUndecided = (key: Key) => key.column in row && !(key.column in presetValues);
  for (const key of keys.filter(
    (candidate) => candidate.schema === schema && candidate.table === table && isUndecided(candidate),
  )) {
    const parent = { tenant_id: row["tenant_id"], [key.parentColumn]: row[key.column] };
    await aRow(schema, key.parent, parent);
  }
  const columns = Object.keys(row);
  await client.query(
    `insert into ${schema}.${table} (${columns.join(", ")}) values (${columns.map((_, at) => `$${at + 1}`).join(", ")})`,
    Object.values(row),
  );
  return row;
}

/** The foreign key that refused `work`, by name. The work is rolled back. */
async function refusedBy(work: () => Promise<unknown>): Promise<string | undefined> {
  await client.query("begin");
  try {
    await work();
    await client.query("set constraints all immediate");
    return undefined;
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code !== "23503") throw error;
    return constraint;
  } finally {
    await client.query("rollback");
  }
}

const countOf = async ({ schema, table }: Key) =>
  (await client.query<{ count: number }>(`select count(*)::int as count from ${schema}.${table}`)).rows[0]?.count;

/** The keys whose columns exist before the first migration that adds keys. Later migrations add a column and its key. */
async function olderKeys(): Promise<Key[]> {
  const { rows } = await client.query<{ place: string }>(
    `select table_schema || '.' || table_name || '.' || column_name as place from information_schema.columns
     where table_schema = any($1)`,
    [schemas],
  );
  const places = new Set(rows.map(({ place }) => place));
  return keys.filter(({ schema, table, column }) => places.has(`${schema}.${table}.${column}`));
}

describe("a migration that adds foreign keys", () => {
  it("runs on a schema with rows, and deletes rows whose parent is missing or belongs to another tenant", async () => {
    const older = await olderKeys();
    const sound = new Map<Key, number | undefined>();
    for (const { schema, table } of older) await aRow(schema, table, { tenant_id: randomUUID() });
    for (const key of older) sound.set(key, await countOf(key));
    for (const { schema, table, column, parent, parentColumn } of older) {
      const { [parentColumn]: theirs } = await aRow(schema, parent, {
        tenant_id: randomUUID(),
        [parentColumn]: randomUUID(),
      });
      for (const orphanId of [theirs, randomUUID()]) await aRow(schema, table, { [column]: orphanId });
    }
    const countsBefore = new Map<Key, number | undefined>();
    for (const key of older) countsBefore.set(key, await countOf(key));
    for (const schema of schemas) {
      expect(await schemaDrift(definition(schema))).toContain("deferrable initially deferred not valid");
      await migrate(definition(schema));
      expect(await schemaDrift(definition(schema))).toBe("");
      expect(await schemaDrift({ ...definition(schema), references: {} })).toContain("drop constraint");
    }
    for (const key of older) {
      const orphans = await client.query(
        `select from ${key.schema}.${key.table} child where not exists (select from ${key.schema}.${key.parent} parent
           where parent.tenant_id = child.tenant_id and parent.${key.parentColumn} = child.${key.column})`,
      );
      expect([key, orphans.rowCount]).toEqual([key, 0]);
      const orphanCount = (await countOf(key)) ?? 0;
      expect(orphanCount).toBeGreaterThanOrEqual(sound.get(key) ?? 1);
      expect(orphanCount).toBeLessThan(countsBefore.get(key) ?? 0);
    }
    const { rowCount } = await client.query(
      `select from pg_class where relnamespace = any($1::regnamespace[]) and relrowsecurity and not relforcerowsecurity`,
      [schemas],
    );
    expect(rowCount).toBe(0);
  });
});

describe("the parent of a row", () => {
  it.each(keys)("must belong to the same tenant: $schema.$table.$column", async (key) => {
    const { schema, table, column, parent, parentColumn } = key;
    const [ours, theirs] = [randomUUID(), randomUUID()];
    const withParentOf = async (tenant: string) => {
      const id = randomUUID();
      await aRow(schema, parent, { tenant_id: tenant, [parentColumn]: id });
      await aRow(schema, table, { tenant_id: ours, [column]: id });
    };
    expect(await refusedBy(() => withParentOf(ours))).toBeUndefined();
    expect(await refusedBy(() => withParentOf(theirs))).toBe(`${table}_${column}_fk`);
  });

  it.each(keys)("is deleted with its rows, or cannot be deleted: $schema.$table.$column, $onDelete", async (key) => {
    const { schema, table, column, parent, parentColumn, onDelete } = key;
    const deleteParent = async () => {
      const [tenant, id] = [randomUUID(), randomUUID()];
      await aRow(schema, parent, { tenant_id: tenant, [parentColumn]: id });
      await aRow(schema, table, { tenant_id: tenant, [column]: id });
      await client.query(`delete from ${schema}.${parent} where tenant_id = $1 and ${parentColumn} = $2`, [tenant, id]);
      await client.query("set constraints all immediate");
      const remainingRows = await client.query(`select from ${schema}.${table} where tenant_id = $1`, [tenant]);
      expect(remainingRows.rowCount).toBe(0);
    };
    expect(await refusedBy(deleteParent)).toBe(onDelete === "cascade" ? undefined : `${table}_${column}_fk`);
  });
});

describe("references.ts", () => {
  it.each(schemas)("of %s lists exactly the columns that contain the id of a row", async (schema) => {
    const { rows } = await client.query<{ place: string; isUuid: boolean; isId: boolean }>(
      `select relname || '.' || attname as place, atttypid = 'uuid'::regtype as "isUuid",
         coalesce((select indkey::int2[] <@ array[attnum, tenant.number] from pg_index
           where indrelid = pg_class.oid and indisprimary and attnum = any(indkey)), false) as "isId"
       from pg_class join pg_attribute on attrelid = pg_class.oid
         left join lateral (select attnum as number from pg_attribute where attrelid = pg_class.oid and attname = 'tenant_id') tenant on true
       where relnamespace = $1::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped and attname <> 'tenant_id'`,
      [schema],
    );
    const declaredPlaces = Object.keys(tables[schema].references);
    const columns = new Set(rows.map(({ place }) => place));
    expect(declaredPlaces.filter((place) => !columns.has(place))).toEqual([]);
    const undecidedColumns = rows.filter(
      ({ place, isUuid, isId }) => isUuid && !isId && !declaredPlaces.includes(place),
    );
    expect(undecidedColumns.map(({ place }) => place)).toEqual([]);
  });
});
