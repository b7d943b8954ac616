import { randomUUID } from "node:crypto";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import pg from "pg";
import { spineTables } from "../../tables.js";

let database: SuiteDatabase;
/** Connects as superuser. */
let admin: pg.Pool;

const { migrations, ...tables } = spineTables;
const ours = migrations.findIndex(({ name }) => name.endsWith("_subject_versions"));
const tenant = randomUUID();
const changedAtMs = Date.parse("2026-11-20T12:00:00.400Z");
const before = changedAtMs / 1000 - 60;
const after = changedAtMs / 1000 + 60;

/** Returns the `usr_…` for a user from before the migration, whose password was changed if `isChanged`. */
async function aFormerUser(isChanged: boolean): Promise<string> {
  const userId = randomUUID();
  await admin.query(
    `insert into users (tenant_id, user_id, email, email_key, status, password_hash, tokens_from, created_at, updated_at)
     values ($1, $2, $3, $3, 'Active', 'x', $4, now(), now())`,
    [tenant, userId, `${userId}@example.com`, isChanged ? new Date(changedAtMs) : null],
  );
  return encodeId("usr", userId);
}

async function aFormerClient(isChanged: boolean): Promise<string> {
  const clientId = `cli_${randomUUID()}`;
  await admin.query(
    `insert into api_clients (tenant_id, client_id, name, scopes, grant_types, principal_type, platform_admin, status,
       secret_digest, tokens_from, created_at)
     values ($1, $2, 'desk', '{}', '{}', 'Service', false, 'Active', 'x', $3, now())`,
    [tenant, clientId, isChanged ? new Date(changedAtMs) : null],
  );
  return clientId;
}

async function anArtifact(
  kind: string,
  payload: object,
  { account = null as string | null, grant = null as string | null } = {},
) {
  const digest = randomUUID();
  await admin.query(
    `insert into oidc_artifacts (kind, id_digest, payload, account_id, grant_id, expires_at)
     values ($1, $2, $3, $4, $5, now() + interval '1 day')`,
    [kind, digest, payload, account, grant],
  );
  return digest;
}

/** A grant with a refresh token from this sign-in. */
async function aFamily(account: string, clientId: string, times: { authTime: number; iiat: number }): Promise<string> {
  const grant = randomUUID();
  await anArtifact("RefreshToken", { ...times, iat: after, accountId: account, clientId }, { account, grant });
  return anArtifact("Grant", { accountId: account, clientId, iat: times.iiat }, { account, grant });
}

const revoke = (kind: string, subject: string, at: number) =>
  admin.query(
    `insert into revocations (tenant_id, revocation_id, kind, subject, revoked_at, expires_at)
     values ($1, gen_random_uuid(), $2, $3, to_timestamp($4), now() + interval '1 hour')`,
    [tenant, kind, subject, at],
  );
const payloadOf = async (digest: string) =>
  (await admin.query("select payload from oidc_artifacts where id_digest = $1", [digest])).rows[0].payload;

beforeAll(async () => {
  database = await aSuiteDatabase("provisioned");
  admin = new pg.Pool({ connectionString: database.url, max: 1, options: "-c search_path=spine" });
  await migrate({
    connections: schemaConnections(database.access, "spine"),
    ...tables,
    migrations: migrations.slice(0, ours),
  });
});

afterAll(async () => {
  await admin?.end();
  await database?.close();
});

describe("an upgrade to versions", () => {
  it("keeps every revocation in force, and ends no session that was good", async () => {
    const [changedUser, unchangedUser] = [await aFormerUser(true), await aFormerUser(false)];
    const [disabledClient, desk] = [await aFormerClient(true), await aFormerClient(false)];
    const session = (account: string, loginTs: number) =>
      anArtifact("Session", { loginTs, accountId: account }, { account });
    const sessions = [
      await session(changedUser, before),
      await session(changedUser, after),
      await session(unchangedUser, before),
    ];
    const interaction = (accountId: string, ts: number) =>
      anArtifact("Interaction", { result: { login: { accountId, ts } } });
    const interactions = [await interaction(changedUser, before), await interaction(changedUser, after)];
    const families = {
      ended: await aFamily(changedUser, desk, { authTime: before, iiat: after }),
      renewed: await aFamily(changedUser, desk, { authTime: after, iiat: after }),
      other: await aFamily(unchangedUser, desk, { authTime: before, iiat: before }),
      endedWithClient: await aFamily(unchangedUser, disabledClient, { authTime: before, iiat: before }),
      renewedAtClient: await aFamily(unchangedUser, disabledClient, { authTime: before, iiat: after }),
    };
    await revoke("Client", disabledClient, changedAtMs / 1000);
    await revoke("Principal", changedUser, before);
    await revoke("Principal", changedUser, changedAtMs / 1000);
    await revoke("Grant", "grant-1", before);
    await revoke("TenantClosed", "ten_1", before);
    await revoke("TenantOpened", "ten_1", after);

    await migrate({ connections: schemaConnections(database.access, "spine"), ...spineTables });

    const storedVersion = async (digest: string) => (await payloadOf(digest))["signInVersion"];
    expect(await Promise.all(sessions.map(storedVersion))).toEqual([-1, undefined, undefined]);
    const result = async (digest: string) => (await payloadOf(digest))["result"]["login"]["signInVersion"];
    expect(await Promise.all(interactions.map(result))).toEqual([-1, undefined]);
    const storedVersions = Object.fromEntries(
      await Promise.all(
        Object.entries(families).map(async ([name, digest]) => [name, (await payloadOf(digest))["versions"]]),
      ),
    );
    expect(storedVersions).toEqual({
      ended: { signIn: -1, client: 0 },
      renewed: { signIn: 0, client: 0 },
      other: undefined,
      endedWithClient: { signIn: 0, client: -1 },
      renewedAtClient: { signIn: 0, client: 1 },
    });
    const { rows } = await admin.query("select kind, subject, version::int from revocations order by kind, version");
    expect(rows).toEqual([
      { kind: "Client", subject: disabledClient, version: 1 },
      { kind: "Grant", subject: "grant-1", version: 1 },
      { kind: "Principal", subject: changedUser, version: 1 },
      { kind: "Principal", subject: changedUser, version: 2 },
      { kind: "TenantClosed", subject: "ten_1", version: 1 },
      { kind: "TenantOpened", subject: "ten_1", version: 2 },
    ]);
    const { rows: versions } = await admin.query(
      "select kind, subject, version::int from subject_versions order by kind",
    );
    expect(versions).toEqual([
      { kind: "Client", subject: disabledClient, version: 1 },
      { kind: "Principal", subject: changedUser, version: 2 },
      { kind: "Tenant", subject: "ten_1", version: 2 },
    ]);
    const { rows: forcedTables } = await admin.query(
      `select relname from pg_class where relkind = 'r' and relforcerowsecurity and relname in
       ('users', 'api_clients', 'revocations', 'oidc_artifacts', 'subject_versions')`,
    );
    expect(forcedTables).toHaveLength(5);
  });
});
