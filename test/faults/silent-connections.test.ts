import { randomUUID } from "node:crypto";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { rowsIn } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aForgetfulProxy, type ForgetfulProxy } from "../kit/forgetful-proxy.js";
import { PlatformGroup } from "../kit/platform-group.js";
import { aReceiver, type Receiver } from "../kit/receiver.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

let group: PlatformGroup;
let proxy: ForgetfulProxy;
let platform: PlatformProcess;
let receiver: Receiver;
let token: string;

beforeAll(async () => {
  group = await PlatformGroup.open();
  const { hostname, port } = new URL(group.databaseUrl);
  proxy = await aForgetfulProxy(hostname, Number(port));
  platform = await group.start({
    DATABASE_URL: Object.assign(new URL(group.databaseUrl), { host: `127.0.0.1:${proxy.port}` }).href,
  });
  group.use(platform);
  receiver = await aReceiver();
  const tenant = await aTenant();
  token = await tenant.tokenWith();
  const subscribed = await request("POST /webhooks/subscriptions", {
    token,
    body: {
      ...{ direction: "Outbound", eventType: "TemplateRegistered" },
      ...{ endpointUrl: receiver.url, signingSecretRef: "silent-hooks" },
    },
  });
  expect(subscribed.status).toBe(201);
});

afterAll(async () => {
  await group?.close();
  await proxy?.close();
  await receiver?.close();
});

const registerAndReceive = async () => {
  const name = `template-${randomUUID()}`;
  await eventually(
    "a template is registered",
    async () => (await request("POST /v1/templates", { token, body: { name, category: "Service" } })).status === 201,
  );
  await eventually("its webhook arrives", () => receiver.received.some(({ body }) => body.includes(name)));
};

const readiness = async () => {
  const startedMs = performance.now();
  const { status, body } = await request<{ checks: Record<string, string> }>("GET /readyz", {});
  return { status, checks: body.checks, tookMs: performance.now() - startedMs };
};

it("requests, consumers and webhooks go on after a proxy has forgotten every connection", async () => {
  await registerAndReceive();
  for (let round = 0; round < 2; round += 1) {
    expect(proxy.forget()).toBeGreaterThan(10);
    await registerAndReceive();
    await eventually("it is ready, and everything turns", async () => {
      const { status, checks } = await readiness();
      return status === 200 && ["database", "loops", "relay"].every((check) => checks[check] === "ok");
    });
  }
});

it("background work goes on after its server processes have stopped, while the server answers others", async () => {
  await registerAndReceive();
  const backends = await rowsIn<{ pid: number }>(
    group.databaseUrl,
    "select pid from pg_stat_activity where usename like '%worker' and backend_type = 'client backend'",
    [],
  );
  expect(backends.length).toBeGreaterThan(5);
  for (const { pid } of backends) process.kill(pid, "SIGSTOP");
  try {
    await registerAndReceive();
    await eventually("it is ready", async () => {
      const { status, tookMs } = await readiness();
      return status === 200 && tookMs < 5000;
    });
  } finally {
    for (const { pid } of backends) process.kill(pid, "SIGCONT");
  }
});
