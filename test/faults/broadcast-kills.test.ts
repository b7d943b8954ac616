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
import { tenantScopes } from "@factory/schema/scopes";
import pg from "pg";
import { eventually } from "../kit/eventually.js";
import { killsAt } from "../kit/kills.js";
import { request } from "../kit/request.js";

/** Where the process is killed: before the commit of a set of recipients, and after it. */
const phases = ["broadcast.reached", "broadcast.continued"];
const users = 20_100;
/** A job of a killed process is taken over within 45 s. */
const takeoverMs = 120_000;

describe("kill -9 while a broadcast reaches its recipients", () => {
  let dataDir: string;
  let platform: PlatformProcess;
  let client: ClientCredentials;
  let token: string;
  let tenant: string;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
    platform = await startPlatformProcess(dataDir);
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(platform, admin, "telling", "Telling");
    tenant = decodeId("ten", tenantId) ?? "";
    client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes: tenantScopes });
    await sql(
      `insert into spine.users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
       select $1, uuidv7(), n || '@many.example', n || '@many.example', 'Active', 'none', now(), now()
       from generate_series(1, $2::int) n`,
      [tenant, users],
    );
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
  });

  async function sql<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const { host, port, user, password } = await readJson<Record<string, string>>(dataDir, "postgres.json");
    const one = new pg.Client(`postgres://${user}:${password}@${host}:${port}/postgres`);
    await one.connect();
    try {
      return (await one.query<Row>(text, values)).rows;
    } finally {
      await one.end();
    }
  }

  it("reaches each of them once, with events that add up", async () => {
    for (let kill = 0; kill < killsAt(phases.length); kill += 1) {
      const fail = `${phases[kill % phases.length]}:kill:1`;
      await platform.stop();
      platform = await startPlatformProcess(dataDir, { FAIL: fail });
      token = await accessToken(platform, client);
      const answer = await request<{ messageId: string; recipientCount: number }>("POST /v1/notifications/broadcasts", {
        ...{ base: platform.publicUrl, token, body: { body: `Told ${kill}` } },
      });
      expect([answer.status, answer.body.recipientCount]).toEqual([202, 10_000]);
      const messageId = decodeId("ntm", answer.body.messageId);
      expect(await platform.ended).toBeNull();
      platform = await startPlatformProcess(dataDir);
      const state = async () => {
        const [row] = await sql<{ made: number; reached: number; count: number; open: boolean }>(
          `select count(*)::int as made, count(distinct recipient_user_id)::int as reached,
             (select recipient_count from spine.notification_messages where message_id = $1) as count,
             (select broadcast_after is not null from spine.notification_messages where message_id = $1) as open
           from spine.notifications where message_id = $1`,
          [messageId],
        );
        return row;
      };
      await eventually(
        `the broadcast is complete after ${fail}`,
        async () => (await state())?.open === false,
        takeoverMs,
      );
      expect([fail, await state()]).toEqual([fail, { made: users, reached: users, count: users, open: false }]);
      const [told] = await sql<{ total: number }>(
        `select sum((envelope->'data'->>'recipientCount')::int)::int as total from spine.outbox
         where envelope->>'type' = 'NotificationSent' and envelope->'data'->>'messageId' = $1`,
        [answer.body.messageId],
      );
      expect([fail, told?.total]).toEqual([fail, users]);
    }
  }, 600_000);
});
