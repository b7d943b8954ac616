import "reflect-metadata";
import { catalogTables } from "@factory/catalog/tables";
import { integrationTables } from "@factory/integration/tables";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import type { DatabaseDefinition } from "@factory/runtime/unit-of-work/database";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { suiteRoles } from "@factory/runtime/unit-of-work/suite-roles.fixture";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { spineTables } from "@factory/spine/tables";
import pg from "pg";

const tables: Record<SubgraphName, Omit<DatabaseDefinition, "connections">> = {
  catalog: catalogTables,
  integration: integrationTables,
  spine: spineTables,
};

/** The columns that hold JSON from tenants and vendors. */
const foreign: Record<SubgraphName | "bus", readonly string[]> = {
  bus: ["dead_letters.envelope", "held.envelope", "messages.envelope"],
  catalog: [
    "executions.parameters",
    "idempotency_records.result",
    "outbox.envelope",
    "replaced_drafts.parameter_schema",
    "template_versions.parameter_schema",
  ],
  integration: [
    "event_log.envelope",
    "idempotency_records.result",
    "outbox.envelope",
    "providers.driver",
    "webhook_messages.envelope",
    "webhook_subscriptions.filter",
  ],
  spine: [
    "configuration_entries.value",
    "configuration_versions.value",
    "idempotency_records.result",
    "notification_messages.data",
    "outbox.envelope",
  ],
};

/** A row from before, with numbers that jsonb kept. */
const former = '{"id": "evt_1", "big": 820982911946154508, "price": 1.50, "text": "é"}';

let database: SuiteDatabase;
let admin: pg.Pool;

const columnsOf = async (schema: string, type: "json" | "jsonb") =>
  (
    await admin.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = $1 and data_type = $2 order by 1`,
      [schema, type],
    )
  ).rows.map(({ name }) => name);

beforeAll(async () => {
  database = await aSuiteDatabase("provisioned");
  admin = new pg.Pool({ connectionString: database.url, max: 1 });
});
afterAll(async () => {
  await admin.end();
  await database.close();
});

describe.each(Object.keys(tables) as SubgraphName[])("foreign JSON of %s from before", (schema) => {
  it("keeps its text in columns that keep the text of every number", async () => {
    const { migrations, ...definition } = tables[schema];
    const connections = schemaConnections(database.access, schema);
    const ours = migrations.findIndex(({ name }) => name.endsWith("_foreign_json"));
    expect(ours).toBeGreaterThan(0);
    await migrate({ connections, ...definition, migrations: migrations.slice(0, ours) });
    expect(await columnsOf(schema, "json")).toEqual([]);
    await admin.query(
      `insert into ${schema}.outbox (id, tenant_id, type, envelope)
       values (gen_random_uuid(), gen_random_uuid(), 'TemplateRegistered', $1)`,
      [former],
    );
    await admin.query(
      `insert into ${schema}.idempotency_records (tenant_id, principal, field, key, fingerprint, result)
       values (gen_random_uuid(), 'p', 'f', 'k', 'x', $1)`,
      [former],
    );
    await migrate({ connections, migrations, ...definition });
    expect(await columnsOf(schema, "json")).toEqual(foreign[schema]);
    for (const column of ["outbox.envelope", "idempotency_records.result"]) {
      const [table, name] = column.split(".");
      const { rows } = await admin.query<{ text: string }>(`select ${name}::text as text from ${schema}.${table}`);
      expect(JSON.stringify(parseForeignJson(rows[0]?.text ?? ""))).toContain('"big":820982911946154508');
      expect(rows).toEqual([{ text: expect.stringContaining("1.50") }]);
    }
  });
});

describe("messages of the bus from before", () => {
  it("keep their text, and a second start changes nothing", async () => {
    await admin.query(
      `alter table bus.messages drop column kind, drop column tenant, drop column partition_key,
         alter column envelope type jsonb using envelope::jsonb`,
    );
    await admin.query(
      "insert into bus.messages (event_id, type, envelope) values ('evt_1', 'TemplateRegistered', $1)",
      [former],
    );
    for (const _ of [1, 2]) await provisionDatabase(database.url, ["catalog"], suiteRoles);
    expect(await columnsOf("bus", "json")).toEqual(foreign.bus);
    const { rows } = await admin.query<{ text: string }>("select envelope::text as text from bus.messages");
    expect(rows).toEqual([{ text: expect.stringContaining("820982911946154508") }]);
  });
});
