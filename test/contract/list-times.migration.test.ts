import { randomUUID } from "node:crypto";
import { catalogTables } from "@factory/catalog/tables";
import { integrationTables } from "@factory/integration/tables";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { spineTables } from "@factory/spine/tables";
import pg from "pg";

let database: SuiteDatabase;
/** Connects as superuser. */
let admin: pg.Pool;

beforeAll(async () => {
  database = await aSuiteDatabase("provisioned");
  admin = new pg.Pool({ connectionString: database.url, max: 1 });
});

afterAll(async () => {
  await admin?.end();
  await database?.close();
});

const tenant = randomUUID();

const formerRows = {
  catalog: {
    tables: catalogTables,
    time: "created_at",
    table: "catalog.templates",
    insert: `insert into catalog.templates (tenant_id, template_id, name, name_key, tags, status, created_at)
      values ($1, $2::uuid, $2::uuid::text, $2::uuid::text, '{}', 'Draft', $3)`,
  },
  integration: {
    tables: integrationTables,
    time: "registered_at",
    table: "integration.providers",
    insert: `insert into integration.providers (tenant_id, provider_id, key, display_name, category, auth_model,
        api_client_id, capabilities, status, registered_at)
      values ($1, $2::uuid, $2::uuid::text, 'Vendor', 'Other', 'BearerToken', gen_random_uuid(), '{}', 'Active', $3)`,
  },
  spine: {
    tables: spineTables,
    time: "created_at",
    table: "spine.report_definitions",
    insert: `insert into spine.report_definitions (tenant_id, definition_id, code, created_at)
      values ($1, $2::uuid, $2::uuid::text, $3)`,
  },
};

/** Before the migration, a list's first page came again and again: its cursor was before its last row. */
describe.each(Object.entries(formerRows))("times of %s that are finer than the cursors of lists", (name, former) => {
  it("have whole milliseconds after the upgrade, in the same order", async () => {
    const schema = name as keyof typeof formerRows;
    const { migrations, ...tables } = former.tables;
    const ours = migrations.findIndex((migration) => migration.name.endsWith("_list_times"));
    const definition = { connections: schemaConnections(database.access, schema), ...tables };
    await migrate({ ...definition, migrations: migrations.slice(0, ours) });
    const times = [".123111", ".123444", ".999600"].map((fraction) => `2026-11-20T12:00:00${fraction}Z`);
    for (const time of times) await admin.query(former.insert, [tenant, randomUUID(), time]);

    await migrate({ ...definition, migrations });

    const { rows } = await admin.query(
      `select (extract(epoch from ${former.time}) * 1000)::float8 as ms from ${former.table} order by ${former.time}`,
    );
    const whole = Date.parse("2026-11-20T12:00:00Z");
    expect(rows.map(({ ms }) => ms - whole)).toEqual([123, 123, 1000]);
  });
});
