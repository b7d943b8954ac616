import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { suiteRoles } from "@factory/runtime/unit-of-work/suite-roles.fixture";
import pg from "pg";
import { spineTables } from "../tables.js";

let database: SuiteDatabase;
let admin: pg.Pool;

beforeAll(async () => {
  database = await aSuiteDatabase("provisioned");
  admin = new pg.Pool({ connectionString: database.url, max: 1, options: "-c search_path=spine" });
});
afterAll(async () => {
  await admin.end();
  await database.close();
});

const tenantId = newId("ten");

/** A client as the release before stored it. */
async function aFormerClient(of: string, heldBy: string | null): Promise<string> {
  const clientId = newId("cli");
  await admin.query(
    `insert into api_clients (tenant_id, client_id, name, scopes, grant_types, principal_type, platform_admin, status,
       secret_digest, secret_held_by, created_at)
     values ($1, $2, 'Former', '{templates.read}', '{client_credentials}', 'Service', false, 'Active', 'none', $3, now())`,
    [decodeId("ten", of), clientId, heldBy],
  );
  return clientId;
}

let position = 0;
async function recorded(operation: string, clientId: string, outcome = "Succeeded"): Promise<string> {
  position += 1;
  await admin.query(
    `insert into audit_records (tenant_id, position, record_id, recorded_at, source, operation, outcome, subject, trace_id,
       hash) values ($1, $2, $3, now(), 'spine', $4, $5, $6, 'trace', '')`,
    [
      ...[decodeId("ten", tenantId), position, decodeId("aud", newId("aud")), operation, outcome],
      `clients/${clientId}`,
    ],
  );
  return clientId;
}

it("the clients of before are marked only where their holder or the audit log proves that the platform made them", async () => {
  await provisionDatabase(database.url, ["spine"], suiteRoles);
  const connections = schemaConnections(database.access, "spine");
  const { migrations, ...tables } = spineTables;
  const ours = migrations.findIndex(({ name }) => name.includes("platform_made_clients"));
  await migrate({ connections, ...tables, migrations: migrations.slice(0, ours) });
  const operator = await aFormerClient(platformTenantId, null);
  const [userId, ownHolder] = [newId("usr"), await aFormerClient(tenantId, newId("usr"))];
  const expectedMarks: [string, boolean][] = [
    [operator, false],
    [await aFormerClient(platformTenantId, operator), false],
    [await aFormerClient(tenantId, operator), true],
    [await aFormerClient(tenantId, `${userId} ${operator}`), true],
    [await recorded("createTenantApiClient", await aFormerClient(tenantId, userId)), true],
    [await recorded("createTenantApiClient", await aFormerClient(tenantId, null), "Refused"), false],
    [await recorded("createApiClient", await aFormerClient(tenantId, userId)), false],
    [await aFormerClient(tenantId, null), false],
    [ownHolder, false],
    [await aFormerClient(tenantId, ownHolder), false],
  ];
  await migrate({ connections, ...tables, migrations });
  const { rows } = await admin.query<{ client_id: string; created_by_platform: boolean }>(
    "select client_id, created_by_platform from api_clients",
  );
  expect(new Map(rows.map((row) => [row.client_id, row.created_by_platform]))).toEqual(new Map(expectedMarks));
  const { rows: forcedTables } = await admin.query(
    "select relforcerowsecurity as forced from pg_class where relname in ('api_clients', 'audit_records')",
  );
  expect(forcedTables).toEqual([{ forced: true }, { forced: true }]);
});
