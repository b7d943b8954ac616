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
const ours = migrations.findIndex(({ name }) => name.endsWith("_international_addresses"));
const tenant = randomUUID();

async function aFormerUser(email: string, { verified = false, status = "Active", key = email.toLowerCase() } = {}) {
  const userId = randomUUID();
  await admin.query(
    `insert into users (tenant_id, user_id, email, email_key, verified_email_key, status, password_hash, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 'x', clock_timestamp(), now())`,
    [tenant, userId, email, key, verified ? key : null, status],
  );
  return userId;
}

async function anInvitation(email: string, status = "Pending") {
  const invitationId = randomUUID();
  await admin.query(
    `insert into invitations (tenant_id, invitation_id, email, email_key, role_codes, status, token_nonce, token_digest,
       invited_by, inviters, expires_at, created_at, updated_at)
     values ($1, $2, $3, lower($3), '{}', $4, 'x', $5, 'platform', '{}', now(), clock_timestamp(), now())`,
    [tenant, invitationId, email, status, randomUUID()],
  );
  return invitationId;
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

describe("addresses from before they had one form", () => {
  it("get it, and of two people who become equal one keeps the address", async () => {
    const users = {
      ascii: await aFormerUser("Ada@People.Example"),
      domain: await aFormerUser("bob@bücher.example", { verified: true }),
      local: await aFormerUser("Zoe\u0308@people.example"),
      quoted: await aFormerUser("o'hara@bücher.example"),
      unverified: await aFormerUser("eve@bücher.example"),
      verified: await aFormerUser("eve@xn--bcher-kva.example", { verified: true }),
      first: await aFormerUser("tom@例え.example"),
      second: await aFormerUser("TOM@例え。example"),
      deleted: await aFormerUser("tom@例え.EXAMPLE", { status: "Deleted", key: "x" }),
      broken: await aFormerUser("ü"),
    };
    const invitations = {
      open: await anInvitation("kim@bücher.example"),
      newer: await anInvitation("KIM@bücher。example"),
      ended: await anInvitation("kim@BÜCHER.example", "Revoked"),
    };
    await migrate({ connections: schemaConnections(database.access, "spine"), ...spineTables });
    const storedColumns = async (table: string, id: string, columns: string, of: Readonly<Record<string, string>>) => {
      const { rows } = await admin.query(`select ${id} as id, ${columns} from ${table}`);
      const valuesById = new Map(rows.map(({ id: key, ...row }) => [key, Object.values(row)]));
      return Object.fromEntries(Object.entries(of).map(([name, key]) => [name, valuesById.get(key)]));
    };
    expect(await storedColumns("users", "user_id", "email, email_key, verified_email_key", users)).toEqual({
      ascii: ["Ada@people.example", "ada@people.example", null],
      domain: ["bob@xn--bcher-kva.example", "bob@xn--bcher-kva.example", "bob@xn--bcher-kva.example"],
      local: ["Zoë@people.example", "zoë@people.example", null],
      quoted: ["o'hara@xn--bcher-kva.example", "o'hara@xn--bcher-kva.example", null],
      unverified: ["eve@bücher.example", "eve@bücher.example", null],
      verified: ["eve@xn--bcher-kva.example", "eve@xn--bcher-kva.example", "eve@xn--bcher-kva.example"],
      first: ["tom@xn--r8jz45g.example", "tom@xn--r8jz45g.example", null],
      second: ["TOM@例え。example", "tom@例え。example", null],
      deleted: ["tom@xn--r8jz45g.example", "tom@xn--r8jz45g.example", null],
      broken: ["ü", "ü", null],
    });
    expect(await storedColumns("invitations", "invitation_id", "email, email_key", invitations)).toEqual({
      open: ["kim@bücher.example", "kim@bücher.example"],
      newer: ["KIM@xn--bcher-kva.example", "kim@xn--bcher-kva.example"],
      ended: ["kim@xn--bcher-kva.example", "kim@xn--bcher-kva.example"],
    });
    const { rows: unforcedTables } = await admin.query(
      `select relname from pg_class where relnamespace = 'spine'::regnamespace and relrowsecurity and not relforcerowsecurity
         and relkind = 'r'`,
    );
    expect(unforcedTables).toEqual([]);
  });
});
