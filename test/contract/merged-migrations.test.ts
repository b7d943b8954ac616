import "reflect-metadata";
import { catalogTables } from "@factory/catalog/tables";
import { integrationTables } from "@factory/integration/tables";
import { installedSchemas } from "@factory/platform/backup/installed-schemas-statement";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import type { DatabaseDefinition } from "@factory/runtime/unit-of-work/database";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { type SubgraphName, subgraphNames } from "@factory/schema/subgraph-names";
import { spineTables } from "@factory/spine/tables";
import pg from "pg";
import { rowsIn } from "../kit/database.js";
import { plantedChanges } from "../kit/planted-schema-changes.js";
import { type SchemaObjects, schemaDifferences, schemaObjects } from "../kit/schema-objects.js";

const tables = { catalog: catalogTables, integration: integrationTables, spine: spineTables };

const databases: SuiteDatabase[] = [];
afterEach(async () => {
  for (const database of databases.splice(0)) await database.close();
});

/** A database with all subgraphs' roles and no tables. */
async function anEmptyDatabase(): Promise<SuiteDatabase> {
  const database = await aSuiteDatabase("provisioned");
  databases.push(database);
  return database;
}

function definitionOf({ access }: SuiteDatabase, schema: SubgraphName): DatabaseDefinition {
  return { connections: schemaConnections(access, schema), ...tables[schema] };
}

/** The definition as a release before the merged migration has it, with the first migrations only if there is a number. */
function formerDefinition(database: SuiteDatabase, schema: SubgraphName, count?: number): DatabaseDefinition {
  const { merged: _, migrations, ...definition } = definitionOf(database, schema);
  return { ...definition, migrations: migrations.slice(0, count) };
}

const recordedNames = async ({ url }: SuiteDatabase, schema: SubgraphName): Promise<string[]> => {
  const rows = await rowsIn<{ name: string }>(url, `select name from ${schema}.migrations order by id`, []);
  return rows.map(({ name }) => name);
};

describe.each(subgraphNames)("the merged migration of the %s", (schema) => {
  const { migrations, merged } = tables[schema];
  const half = Math.floor(migrations.length / 2);
  let expectedObjects: SchemaObjects;

  beforeAll(async () => {
    const database = await anEmptyDatabase();
    expect(await migrate(formerDefinition(database, schema))).toBe(migrations.length);
    expect(await migrate(definitionOf(database, schema))).toBe(0);
    expectedObjects = await schemaObjects(database.url, schema);
    expect(expectedObjects.size).toBeGreaterThan(200);
  });

  it("makes in a new database every object that the replaced ones make, and leaves releases before it nothing to do", async () => {
    const database = await anEmptyDatabase();
    const later = migrations.length - merged.replaces.length;
    expect(await migrate(definitionOf(database, schema))).toBe(1 + later);
    expect(schemaDifferences(expectedObjects, await schemaObjects(database.url, schema))).toEqual([]);
    expect(await migrate(definitionOf(database, schema))).toBe(0);
    for (const count of [migrations.length, migrations.length - 1, 1])
      expect(await migrate(formerDefinition(database, schema, count))).toBe(0);
    expect(await recordedNames(database, schema)).toEqual([...merged.replaces, merged.name]);
  });

  // the first migration alone is tried in one subgraph, since it is counted in the same way
  it.each(schema === "spine" ? [1, half] : [half])(
    "counts as run in a database that had run the first %i migrations, after the others",
    async (count) => {
      const database = await anEmptyDatabase();
      await migrate(formerDefinition(database, schema, count));
      expect(await migrate(definitionOf(database, schema))).toBe(migrations.length - count);
      expect(schemaDifferences(expectedObjects, await schemaObjects(database.url, schema))).toEqual([]);
    },
  );
});

describe("the start of a new database", () => {
  const schema = "spine";
  const { migrations, merged } = spineTables;

  it("leaves nothing behind when it dies before the commit", async () => {
    const database = await anEmptyDatabase();
    const before = await schemaObjects(database.url, schema);
    const dying = { ...merged, statements: [...merged.statements, "select 1 / 0"] };
    await expect(migrate({ ...definitionOf(database, schema), merged: dying })).rejects.toThrow("division by zero");
    expect(schemaDifferences(before, await schemaObjects(database.url, schema))).toEqual([]);
    expect(await migrate(definitionOf(database, schema))).toBe(1);
  });

  it("goes on after a process that died before its first migration", async () => {
    const database = await anEmptyDatabase();
    const [First] = migrations;
    if (First === undefined) throw new Error("The spine has no migrations");
    class Failing extends First {
      override up(): void {
        this.addSql("select 1 / 0");
      }
    }
    const former = { ...formerDefinition(database, schema), migrations: [Failing] };
    await expect(migrate(former)).rejects.toThrow("division by zero");
    expect(await recordedNames(database, schema)).toEqual([]);
    expect(await migrate(definitionOf(database, schema))).toBe(1);
  });

  it("is done once by two processes that start together", async () => {
    const database = await anEmptyDatabase();
    const counts = await Promise.all([1, 2].map(() => migrate(definitionOf(database, schema))));
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    expect(await recordedNames(database, schema)).toEqual([...merged.replaces, merged.name]);
  });

  it("goes on with migrations that are newer than the merged one", async () => {
    const database = await anEmptyDatabase();
    const name = "Migration20991231000000_later";
    const [First] = migrations;
    if (First === undefined) throw new Error("The spine has no migrations");
    class Later extends First {
      override up(): void {
        this.addSql('create table "spine"."later" (id int)');
      }
    }
    const newer = { ...definitionOf(database, schema), migrations: [...migrations, { name, class: Later }] };
    expect(await migrate(newer)).toBe(2);
    expect(await recordedNames(database, schema)).toEqual([...merged.replaces, merged.name, name]);
    expect(await migrate(newer)).toBe(0);
  });

  it("runs the replaced migrations for a list that lacks one of them, as a restore has it", async () => {
    const database = await anEmptyDatabase();
    const shorter = { ...definitionOf(database, schema), migrations: migrations.slice(0, -1) };
    expect(await migrate(shorter)).toBe(migrations.length - 1);
    expect(await recordedNames(database, schema)).not.toContain(merged.name);
  });
});

it("a backup names the replaced migrations and not the merged one, since earlier releases know them", async () => {
  const database = await aSuiteDatabase("platform");
  databases.push(database);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const schemas = await installedSchemas(client);
    for (const { name, migrations } of schemas)
      expect(migrations).toEqual(tables[name as SubgraphName].migrations.map((migration) => migration.name));
  } finally {
    await client.end();
  }
});

describe("the comparison of two schemas", () => {
  let database: SuiteDatabase;
  let admin: pg.Client;
  let before: SchemaObjects;

  beforeAll(async () => {
    database = await aSuiteDatabase("spine");
    admin = new pg.Client({ connectionString: database.url, options: "-c search_path=spine" });
    await admin.connect();
    before = await schemaObjects(database.url, "spine");
  });
  afterAll(async () => {
    await admin.end();
    await database.close();
  });

  it.each(plantedChanges)("finds $name", async ({ statement, change, fact }) => {
    await admin.query(statement);
    const after = await schemaObjects(database.url, "spine");
    const differences = schemaDifferences(before, after);
    before = after;
    expect(differences.filter((line) => line.startsWith(change) && line.includes(fact ?? ""))).not.toEqual([]);
  });
});
