import "reflect-metadata";
import { randomUUID } from "node:crypto";
import { integrationTables } from "@factory/integration/tables";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
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

it("a provider whose key became the name of a preset goes on to receive what it received", async () => {
  const { migrations, ...tables } = integrationTables;
  const ours = migrations.findIndex(({ name }) => name.endsWith("_webhook_presets"));
  const definition = { connections: schemaConnections(database.access, "integration"), ...tables };
  await migrate({ ...definition, migrations: migrations.slice(0, ours) });
  const customDriver = '{"webhook":{"scheme":{"kind":"token","header":"x-a"}}}';
  const calls = '{"rateLimit":{"requests":1.50,"perSeconds":820982911946154508}}';
  const former: [key: string, preset: string | null, driver: string | null][] = [
    ["jira", null, null],
    ["linear", null, "{}"],
    ["okta", null, calls],
    ["shopify", null, customDriver],
    ["desk", "zendesk", null],
    ["hub", "github", null],
    ["clerk", "webhook", null],
    ["unknown", null, null],
  ];
  for (const [key, preset, driver] of former)
    await admin.query(
      `insert into integration.providers (tenant_id, provider_id, key, display_name, category, auth_model,
         api_client_id, capabilities, status, registered_at, preset, driver)
       values (gen_random_uuid(), $1, $2, 'Vendor', 'Other', 'BearerToken', gen_random_uuid(), '{}', 'Registered',
         now(), $3, $4)`,
      [randomUUID(), key, preset, driver],
    );

  await migrate({ ...definition, migrations });

  const { rows } = await admin.query<{ key: string; driver: string | null; header: string | null }>(
    `select key, driver::text, driver->'webhook'->'scheme'->>'header' as header from integration.providers order by key`,
  );
  const providers = new Map(rows.map(({ key, driver, header }) => [key, { driver, header }]));
  for (const key of ["jira", "linear", "okta", "desk"]) expect(providers.get(key)?.header).toBe("x-hub-signature-256");
  expect(providers.get("okta")?.driver).toContain(calls.slice(1));
  expect(providers.get("shopify")?.driver).toBe(customDriver);
  for (const key of ["hub", "clerk", "unknown"]) expect(providers.get(key)?.driver).toBeNull();
});
