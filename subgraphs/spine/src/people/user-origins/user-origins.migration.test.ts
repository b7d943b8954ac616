import { randomUUID } from "node:crypto";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import pg from "pg";
import { spineTables } from "../../tables.js";

let database: SuiteDatabase;
/** Connects as superuser. */
let admin: pg.Pool;

const { migrations, ...tables } = spineTables;
const ours = migrations.findIndex(({ name }) => name.endsWith("_protected_settings"));
const tenant = randomUUID();
const inviter = newId("usr");

/** A user from before the migration, who accepted an invitation so many days ago. Returns the user's id. */
async function aFormerUser({ days, status = "Accepted" }: { days: number; status?: string }): Promise<string> {
  const userId = newId("usr");
  const uuid = decodeId("usr", userId);
  const joinedAt = new Date(Date.now() - days * 24 * 60 * 60_000);
  await admin.query(
    `insert into users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
     values ($1, $2, $3, $3, 'Active', 'x', $4, now())`,
    [tenant, uuid, `${userId}@x.example`, joinedAt],
  );
  await admin.query(
    `insert into invitations (tenant_id, invitation_id, email, email_key, role_codes, status, token_nonce, token_digest,
       invited_by, user_id, expires_at, created_at, updated_at)
     values ($1, $2, $3, $3, '{}', $4, 'x', $7, $5, $6, now(), now(), now())`,
    [tenant, randomUUID(), `${userId}@x.example`, status, inviter, status === "Accepted" ? uuid : null, userId],
  );
  return userId;
}

beforeAll(async () => {
  database = await aSuiteDatabase("provisioned");
  admin = new pg.Pool({ connectionString: database.url, max: 1, options: "-c search_path=spine" });
  const definition = { connections: schemaConnections(database.access, "spine"), ...tables };
  await migrate({ ...definition, migrations: migrations.slice(0, ours) });
});

afterAll(async () => {
  await admin?.end();
  await database?.close();
});

test("data from before protected settings is carried over", async () => {
  const users = [await aFormerUser({ days: 1 }), await aFormerUser({ days: 29 })];
  const [old, pending] = [await aFormerUser({ days: 31 }), await aFormerUser({ days: 1, status: "Pending" })];
  const approvalId = randomUUID();
  await admin.query(
    `insert into approvals (tenant_id, approval_id, agent_task_id, agent_client_id, subject, scopes, scope_key, status,
       requested_at, valid_until)
     values ($1, $2, 'task', 'cli_x', $3, '{templates.publish}', 'templates.publish', 'Pending', now(), now() + interval '1 day')`,
    [tenant, approvalId, inviter],
  );
  await admin.query(
    `insert into configuration_entries (tenant_id, key, value, is_secret, version, created_at, updated_at, updated_by)
     values ($1, 'governance.publish.requiresApproval', 'false', false, 3, now(), now(), $2)`,
    [tenant, inviter],
  );

  await migrate({ connections: schemaConnections(database.access, "spine"), ...spineTables });

  const { rows: origins } = await admin.query(
    "select principal, invited_by, confirmed_at from user_origins order by joined_at desc",
  );
  expect(origins).toEqual(users.map((principal) => ({ principal, invited_by: [inviter], confirmed_at: null })));
  expect(origins.map(({ principal }) => principal)).not.toEqual(expect.arrayContaining([old, pending]));
  for (const userId of users) expect(encodeId("usr", decodeId("usr", userId) ?? "")).toBe(userId);
  const { rows: inviters } = await admin.query("select distinct inviters from invitations");
  expect(inviters).toEqual([{ inviters: [inviter] }]);

  const { rows: approvals } = await admin.query("select approval_id, status, setting from approvals");
  expect(approvals).toEqual([{ approval_id: approvalId, status: "Pending", setting: null }]);
  const { rows: entries } = await admin.query("select value, version from configuration_entries");
  expect(entries).toEqual([{ value: false, version: 3 }]);

  const { rows: forcedTables } = await admin.query(
    "select relname from pg_class where relname in ('users', 'invitations', 'user_origins') and relforcerowsecurity and relkind = 'r'",
  );
  expect(forcedTables).toHaveLength(3);
});
