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
import { kills } from "../kit/kills.js";
import { aReceiver, type Receiver } from "../kit/receiver.js";
import { request } from "../kit/request.js";
import { anHourAgo } from "../kit/times.js";

/** Where the process is killed: before the commit of a page, and after it. */
const phases = ["paging", "paged"];
const messages = 600;
/** Claims of a killed process end after 30 s. */
const takeoverMs = 120_000;

describe("kill -9 while webhooks are replayed, or settled after a pause", () => {
  let dataDir: string;
  let platform: PlatformProcess;
  let client: ClientCredentials;
  let receiver: Receiver;
  let token: string;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
    receiver = await aReceiver();
    platform = await startPlatformProcess(dataDir);
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(platform, admin, "replaying", "Replaying");
    client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes: tenantScopes });
    token = await accessToken(platform, client);
  });
  afterAll(async () => {
    await platform?.stop();
    await receiver.close();
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

  function ask<Body>(line: string, body?: unknown) {
    return request<Body>(line, { base: platform.publicUrl, token, ...(body === undefined ? {} : { body }) });
  }

  async function aSubscription(endpointUrl: string): Promise<string> {
    const body = { eventType: "TemplateRegistered", endpointUrl, signingSecretRef: "replays" };
    return (await ask<{ subscriptionId: string }>("POST /webhooks/subscriptions", body)).body.subscriptionId;
  }

  const insert = (subscription: string, count: number, columns: string, values: string) =>
    sql(
      `insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
         attempts, envelope, ${columns})
       select tenant_id, gen_random_uuid(), subscription_id, gen_random_uuid(), event_type, place, 10,
         jsonb_build_object('id', 'evt_' || place, 'type', event_type, 'schemaversion', '1.0', 'time', now()), ${values}
       from integration.webhook_subscriptions, generate_series(1, $2::int) place where subscription_id = $1`,
      [decodeId("whs", subscription), count],
    );

  /** Stops the platform and starts it so that it is killed at a failpoint. An open job may do that before it is ready. */
  async function restart(FAIL?: string): Promise<boolean> {
    await platform.stop();
    const started = await startPlatformProcess(dataDir, FAIL === undefined ? {} : { FAIL }).catch((error: Error) => {
      expect(error.message).toContain("ended with null");
    });
    if (started) {
      platform = started;
      token = await accessToken(platform, client).catch(() => token);
    }
    return started !== undefined;
  }

  it("a replay goes on, and makes each webhook due once", async () => {
    const subscription = await aSubscription(receiver.url);
    await insert(subscription, messages, "status, finished_at", "'Exhausted', now()");
    const count = Math.max(2, Math.ceil(kills / 2));
    let runId = "";
    for (let kill = 0; kill < count; kill += 1) {
      const alive = await restart(`webhookReplays.${phases[kill % phases.length]}:kill:2`);
      if (alive && runId === "") {
        const path = `POST /webhooks/subscriptions/${subscription}/replay`;
        ({ runId } = (await ask<{ runId: string }>(path, { since: anHourAgo() })).body);
      }
      expect(await platform.ended).toBeNull();
    }
    await restart();
    // The claims of the killed processes end now, and not after 30 s.
    await sql("update integration.webhook_messages set next_attempt_at = now() where status = 'Delivering'", []);
    const run = async () => (await ask<{ status: string; result: unknown }>(`GET /integrations/runs/${runId}`)).body;
    await eventually("the replay ends", async () => (await run()).status === "Completed", takeoverMs);
    expect((await run()).result).toMatchObject({ replayed: messages, passedOver: 0, total: messages });
    const delivered = async () => {
      const where = "subscription_id = $1 and status = 'Delivered' and attempts = 11 and attempts_before = 10";
      const text = `select count(*)::int as count from integration.webhook_messages where ${where}`;
      return (await sql<{ count: number }>(text, [decodeId("whs", subscription)]))[0]?.count === messages;
    };
    await eventually("each webhook is delivered by its first attempt", delivered, takeoverMs);
    const times = new Map<unknown, number>();
    for (const { headers } of receiver.received)
      times.set(headers["webhook-id"], (times.get(headers["webhook-id"]) ?? 0) + 1);
    expect(times.size).toBe(messages);
    expect(Math.max(...times.values())).toBeLessThanOrEqual(1 + count);
  });

  it("all that waits for a paused subscription is skipped", async () => {
    const subscription = await aSubscription("http://127.0.0.1:9/hooks");
    const origin = "'http://127.0.0.1:9'";
    const later = `'RetryScheduled', now() + interval '1 hour', ${origin}`;
    await insert(subscription, 2500, "status, next_attempt_at, origin", later);
    expect(await restart("webhookMessages.settled:kill:1")).toBe(true);
    await ask(`POST /webhooks/subscriptions/${subscription}/pause`).catch(() => undefined);
    expect(await platform.ended).toBeNull();
    const waiting = async () => {
      const text = `select count(*)::int as count from integration.webhook_messages
        where subscription_id = $1 and status <> 'Skipped'`;
      return (await sql<{ count: number }>(text, [decodeId("whs", subscription)]))[0]?.count;
    };
    await restart();
    await eventually("nothing waits", async () => (await waiting()) === 0, takeoverMs);
    expect((await ask<{ status: string }>(`GET /webhooks/subscriptions/${subscription}`)).body.status).toBe("Paused");
  });
});
