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
import { tenantScopes } from "@factory/schema/scopes";
import { eventually } from "../kit/eventually.js";
import { kills } from "../kit/kills.js";
import { aReceiver } from "../kit/receiver.js";
import { request } from "../kit/request.js";

const keys = ["one", "two", "three", "four"];
/** Claims of a killed process end after 30 s. */
const takeoverMs = 120_000;

interface Arrival {
  readonly id: string;
  readonly data: { key: string; version: number };
}

describe("kill -9 while webhooks are sent in order", () => {
  let dataDir: string;
  let platform: PlatformProcess;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
  });

  const start = async () => {
    platform = await startPlatformProcess(dataDir, { PORT: "0", RATE_LIMIT_FACTOR: "1000" });
  };

  it("loses nothing, keeps the order of each key, and repeats a message at most once for each kill", async () => {
    const count = Math.ceil(kills / 2);
    await start();
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(platform, admin, "order", "Order");
    const client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes: tenantScopes });
    const receiver = await aReceiver();
    const ask = async (what: string, body: unknown) =>
      request(what, { base: platform.publicUrl, token: await accessToken(platform, client), body });
    const endpoint = { endpointUrl: receiver.url, signingSecretRef: "order", ordering: "fifo" };
    expect((await ask("POST /webhooks/subscriptions", { ...endpoint, eventType: "ConfigurationUpdated" })).status).toBe(
      201,
    );
    let accepted = 0;
    const write = async (rounds: number) => {
      const token = await accessToken(platform, client);
      const { publicUrl: base } = platform;
      await Promise.all(
        keys.map(async (key) => {
          for (let round = 0; round < rounds; round += 1) {
            const body = { value: `${key} ${round} ${accepted}` };
            const { status } = await request(`PUT /v1/config/order.${key}`, { base, token, body });
            if (status < 300) accepted += 1;
          }
        }),
      );
    };
    for (let kill = 0; kill < count; kill += 1) {
      const writing = write(40).catch(() => undefined);
      const before = receiver.received.length;
      await eventually("some webhooks arrive", () => receiver.received.length >= before + 20, takeoverMs);
      await platform.kill();
      await writing;
      await start();
    }
    await write(5);
    const arrivals = () => receiver.received.map(({ body }) => JSON.parse(body) as Arrival);
    await eventually(
      "each accepted change arrives",
      () => new Set(arrivals().map(({ id }) => id)).size >= accepted,
      takeoverMs,
    );
    for (const key of keys) {
      const versions = arrivals().flatMap(({ data }) => (data.key === `order.${key}` ? [data.version] : []));
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
      expect([...new Set(versions)]).toEqual(Array.from({ length: versions.at(-1) ?? 0 }, (_, place) => place + 1));
    }
    const times = new Map<string, number>();
    for (const { id } of arrivals()) times.set(id, (times.get(id) ?? 0) + 1);
    expect(Math.max(...times.values())).toBeLessThanOrEqual(1 + count);
    expect(times.size).toBeGreaterThanOrEqual(accepted);
    await receiver.close();
  }, 600_000);
});
