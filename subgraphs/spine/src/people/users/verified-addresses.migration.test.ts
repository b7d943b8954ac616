import { randomUUID } from "node:crypto";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import pg from "pg";
import { spineTables } from "../../tables.js";

let database: SuiteDatabase;
/** Connects as superuser. */
let admin: pg.Pool;

const { migrations, ...tables } = spineTables;
const ours = migrations.findIndex(({ name }) => name.endsWith("_identity_scopes"));
const [tenant, otherTenant] = [randomUUID(), randomUUID()];

/** A user from before the migration, with the invitation that has this address and state. Returns the user's id. */
async function aFormerUser(email: string, { invited = email, state = "Accepted", inTenant = tenant } = {}) {
  const userId = randomUUID();
  await admin.query(
    `insert into users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
     values ($1, $2, $3, lower($3), $4, 'x', now(), now())`,
    [tenant, userId, email, email.endsWith("deleted.invalid") ? "Deleted" : "Active"],
  );
  await admin.query(
    `insert into invitations (tenant_id, invitation_id, email, email_key, role_codes, status, token_nonce, token_digest,
       invited_by, user_id, expires_at, created_at, updated_at)
     values ($1, $2, $3, lower($3), '{}', $4, 'x', $5, 'platform', $6, now(), now(), now())`,
    [inTenant, randomUUID(), invited, state, randomUUID(), state === "Accepted" ? userId : null],
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

describe("the addresses of users from before they were verified", () => {
  it("are verified only where the person accepted an invitation that was mailed to the present address", async () => {
    const users = {
      accepted: await aFormerUser("Ada@example.com"),
      moved: await aFormerUser("new@example.com", { invited: "old@example.com" }),
      revoked: await aFormerUser("bob@example.com", { state: "Revoked" }),
      elsewhere: await aFormerUser("eve@example.com", { inTenant: otherTenant }),
      deleted: await aFormerUser("usr_1@deleted.invalid"),
    };
    await migrate({ connections: schemaConnections(database.access, "spine"), ...spineTables });
    const { rows } = await admin.query("select user_id, verified_email_key from users");
    const keysById = new Map(rows.map((row) => [row.user_id, row.verified_email_key]));
    expect(Object.fromEntries(Object.entries(users).map(([name, id]) => [name, keysById.get(id)]))).toEqual({
      ...{ accepted: "ada@example.com", moved: null, revoked: null, elsewhere: null, deleted: null },
    });
    const { rows: forcedTables } = await admin.query(
      "select relname from pg_class where relname in ('users', 'invitations') and relforcerowsecurity and relkind = 'r'",
    );
    expect(forcedTables).toHaveLength(2);
  });
});
