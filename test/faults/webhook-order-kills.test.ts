import { setTimeout as sleep } from "node:timers/promises";
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
import { killsAt } from "@factory/runtime/faults/kills.fixture";
import { tenantScopes } from "@factory/schema/scopes";
import pg from "pg";
import { eventually } from "../kit/eventually.js";
import { aReceiver } from "../kit/receiver.js";
import { request } from "../kit/request.js";

const keys = Array.from({ length: 8 }, (_, place) => `order.key${place}`);
const eventsPerSecond = 200;
const arrivalsPerKill = 100;
const kills = killsAt(2);
const arrivalTimeoutMs = 180_000;

interface Arrival {
  readonly id: string;
  readonly data: { readonly key: string; readonly version: number };
  /** The number of kills before the arrival. */
  readonly after: number;
}

describe("kill -9 while 200 events a second are sent by webhooks", () => {
  let dataDir: string;
  let platform: PlatformProcess;
  let client: ClientCredentials;
  let token: string;
  let killed = 0;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
  });

  /** The claims of the killed process end now, and not 30 s after they were made. */
  async function endClaimsBefore(start: Date): Promise<void> {
    const { host, port, user, password } = await readJson<Record<string, string>>(dataDir, "postgres.json");
    const database = new pg.Client(`postgres://${user}:${password}@${host}:${port}/postgres`);
    await database.connect();
    await database.query(
      `update integration.webhook_messages set next_attempt_at = now()
       where status = 'Delivering' and next_attempt_at < $1::timestamptz + interval '30 seconds'`,
      [start],
    );
    await database.end();
  }

  async function start(): Promise<void> {
    const now = new Date();
    platform = await startPlatformProcess(dataDir, { RATE_LIMIT_FACTOR: "1000" });
    if (client !== undefined) token = await accessToken(platform, client);
    await endClaimsBefore(now);
  }

  async function signUp(): Promise<void> {
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(platform, admin, "order", "Order");
    client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes: tenantScopes });
    token = await accessToken(platform, client);
  }

  async function aSubscriber(ordering: string) {
    const after: number[] = [];
    const receiver = await aReceiver(() => {
      after.push(killed);
      return 204;
    });
    const body = { endpointUrl: receiver.url, signingSecretRef: "hooks", ordering, eventType: "ConfigurationUpdated" };
    const { status } = await request("POST /webhooks/subscriptions", { base: platform.publicUrl, token, body });
    expect(status).toBe(201);
    const arrivals = (): Arrival[] =>
      receiver.received.map((webhook, place) => ({ ...JSON.parse(webhook.body), after: after[place] ?? 0 }));
    return { received: receiver.received, arrivals, close: () => receiver.close() };
  }

  /** Writes a value, which is one event. Returns the version of the key, or undefined while no process answers. */
  async function write(key: string): Promise<number | undefined> {
    const sent = { base: platform.publicUrl, token, body: { value: String(Math.random()) } };
    const answer = await request<{ version: number }>(`PUT /v1/config/${key}`, sent).catch(() => undefined);
    return answer !== undefined && answer.status < 300 ? answer.body.version : undefined;
  }

  /** The versions that were accepted, which must all arrive. */
  const accepted: { key: string; version: number }[] = [];

  async function writeUntil(stopped: AbortSignal, key: string): Promise<void> {
    for (let due = performance.now(); !stopped.aborted; due += (keys.length * 1000) / eventsPerSecond) {
      await sleep(Math.max(0, due - performance.now()));
      const version = await write(key);
      if (version !== undefined) accepted.push({ key, version });
      else due = performance.now() + 25;
    }
  }

  it("loses none, repeats a webhook at most once for each kill, and keeps the order of each key in fifo", async () => {
    await start();
    await signUp();
    const [ordered, parallel] = [await aSubscriber("fifo"), await aSubscriber("parallel")];
    const stop = new AbortController();
    const writing = keys.map((key) => writeUntil(stop.signal, key));
    for (; killed < kills; await start()) {
      const before = ordered.received.length;
      const arrived = () => ordered.received.length >= before + arrivalsPerKill;
      await eventually("webhooks arrive", arrived, arrivalTimeoutMs);
      await sleep(Math.random() * 300);
      await platform.kill();
      // webhooks of the killed process may still be in a socket
      await sleep(100);
      killed += 1;
    }
    stop.abort();
    await Promise.all(writing);
    const newest = await Promise.all(keys.map((key) => write(key)));
    for (const { arrivals, close } of [ordered, parallel]) {
      const known = () => new Set(arrivals().map(({ data: { key, version } }) => `${key} ${version}`));
      const missing = () => {
        const here = known();
        return keys.flatMap((key, place) =>
          Array.from({ length: newest[place] ?? 0 }, (_, version) => `${key} ${version + 1}`).filter(
            (one) => !here.has(one),
          ),
        );
      };
      await eventually("every event arrives", () => missing().length === 0, arrivalTimeoutMs).catch(() => undefined);
      expect(missing()).toEqual([]);
      for (const { key, version } of accepted) expect(version).toBeLessThanOrEqual(newest[keys.indexOf(key)] ?? 0);
      const all = arrivals();
      // A process sends a webhook once, so each kill adds at most one repetition, with the same id.
      const sent = new Map<string, number>();
      for (const { id, after } of all) sent.set(`${id} ${after}`, (sent.get(`${id} ${after}`) ?? 0) + 1);
      expect([...sent].filter(([, times]) => times > 1)).toEqual([]);
      const ids = new Set(all.map(({ id }) => id));
      expect(ids.size).toBe(known().size);
      await close();
    }
    for (const key of keys) {
      const versions = ordered.arrivals().flatMap(({ data }) => (data.key === key ? [data.version] : []));
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
    }
  }, 1_200_000);
});
