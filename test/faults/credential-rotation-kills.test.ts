import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/gateway/standalone/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/gateway/standalone/client/platform-process";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import { eventually } from "../kit/eventually.js";
import { kills } from "../kit/kills.js";
import { request } from "../kit/request.js";

/** Where the process is killed: before the promotion, inside it, after its commit, and inside the retirement. */
const phases = [
  "credentialRotation.verified",
  "credentialRotation.promoting",
  "run.ended",
  "credentialRotation.retiring",
];
/** A generous limit for the time until the last start continues the jobs of all killed processes. */
const takeoverMs = 120_000;

describe("kill -9 in the rotation of credentials", () => {
  let dataDir: string;
  let platform: PlatformProcess;
  let client: ClientCredentials;
  let tenant: string | undefined;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
  });

  async function sql<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    const { host, port, user, password } = await readJson<Record<string, string>>(dataDir, "postgres.json");
    const connection = new pg.Client(`postgres://${user}:${password}@${host}:${port}/postgres`);
    await connection.connect();
    try {
      return (await connection.query<Row>(text, [tenant])).rows;
    } finally {
      await connection.end();
    }
  }

  const post = async (path: string, body: unknown) => {
    const token = await accessToken(platform, client);
    return request<Record<string, string>>(`POST ${path}`, { base: platform.publicUrl, token, body });
  };

  async function aTenantWithCredentials(): Promise<string[]> {
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(platform, admin, "rotated", "rotated");
    tenant = decodeId("ten", tenantId);
    const scopes = ["integration.credentials.write", "integration.credentials.rotate"] as const;
    client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes: [...scopes] });
    const made: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      const secret = { signingSecret: `whsec_${Buffer.alloc(32, count + 1).toString("base64")}` };
      const answer = await post("/integrations/credentials", { name: `c${count}`, kind: "WebhookSigning", secret });
      made.push(answer.body["credentialId"] ?? "");
    }
    return made;
  }

  const rotate = (credentialId: string) => post("/integrations/credentials/rotate", { credentialId, graceSeconds: 1 });
  const versionsOf = (credentialId: string) =>
    sql<{ version: number; stage: string; readable: boolean }>(
      `select version, stage, wrapped_key is not null as readable from integration.credential_versions
       where tenant_id = $1 and credential_id = '${decodeId("crd", credentialId)}' order by version`,
    );

  it("leaves each rotation and each retirement done once, and no run open", async () => {
    let credentials: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      const FAIL = `${phases[count % phases.length]}:kill:1`;
      // A job that an earlier kill interrupted may kill the process before it is ready.
      const started = await startPlatformProcess(dataDir, { FAIL }).catch((error: Error) => {
        expect(error.message).toContain("ended with null");
      });
      if (!started) continue;
      platform = started;
      if (count === 0) credentials = await aTenantWithCredentials();
      await rotate(credentials[count] ?? "").catch(() => undefined);
      expect(await platform.ended).toBeNull();
    }
    platform = await startPlatformProcess(dataDir);
    // An earlier job may have killed a process before it took its request.
    for (const id of credentials) if ((await versionsOf(id)).length < 2) await rotate(id);
    const done = async () => {
      const versions = await Promise.all(credentials.map(versionsOf));
      return versions.every(([first]) => first?.stage === "Retired");
    };
    await eventually("each former version is retired", done, takeoverMs);
    const expected = [
      { version: 1, stage: "Retired", readable: false },
      { version: 2, stage: "Current", readable: true },
    ];
    for (const id of credentials) expect(await versionsOf(id)).toEqual(expected);
    const events = await sql<{ type: string; count: number }>(
      `select envelope->>'type' as type, count(*)::int from integration.outbox
       where tenant_id = $1 and envelope->>'type' like 'Credential%' and envelope->>'messagekind' = 'event'
       group by 1 order by 1`,
    );
    const types = ["Created", "Rotated", "RotationStarted", "VersionPromoted", "VersionRetired"];
    expect(events).toEqual(types.map((type) => ({ type: `Credential${type}`, count: kills })));
    const running = () =>
      sql("select from integration.runs where tenant_id = $1 and status not in ('Completed', 'Failed', 'Cancelled')");
    await eventually("no run is open", async () => (await running()).length === 0, takeoverMs);
    const states = await sql<{ status: string }>("select status from integration.credentials where tenant_id = $1");
    expect(states.map(({ status }) => status)).toEqual(credentials.map(() => "Active"));
  });
});
