import { randomUUID } from "node:crypto";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { rowsIn } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aForgetfulProxy, type ForgetfulProxy } from "../kit/forgetful-proxy.js";
import { PlatformGroup } from "../kit/platform-group.js";
import { aReceiver, type Receiver } from "../kit/receiver.js";
import { request } from "../kit/request.js";
import { aPromotedCopy, type OwnServer, openedServer } from "../kit/server-copy.js";
import { aTenant } from "../kit/tenants.js";

let group: PlatformGroup;
let proxy: ForgetfulProxy;
let platform: PlatformProcess;
let receiver: Receiver;
let token: string;
let templateId: string;
const servers: OwnServer[] = [];

beforeAll(async () => {
  group = await PlatformGroup.open();
  const { hostname, port } = new URL(group.databaseUrl);
  proxy = await aForgetfulProxy(hostname, Number(port));
  platform = await group.start({
    DATABASE_URL: Object.assign(new URL(group.databaseUrl), { host: `127.0.0.1:${proxy.port}` }).href,
  });
  group.use(platform);
  token = await (await aTenant()).tokenWith();
  templateId = (await write()).body.templateId;
  receiver = await aReceiver();
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
  await platform?.stop();
  for (const server of servers) await server.close();
  await proxy?.close();
  await group?.close();
  await receiver?.close();
});

const write = (name = `template-${randomUUID()}`) =>
  request<{ templateId: string }>("POST /v1/templates", { token, body: { name, category: "Service" } });
const read = async () => (await request(`GET /v1/templates/${templateId}`, { token })).status;
const readiness = async () => {
  const { status, body } = await request<{ checks: Record<string, string> }>("GET /readyz", {});
  return { status, checks: body.checks };
};
const portOf = (url: string) => Number(new URL(url).port);
const sessions = (url: string) =>
  rowsIn<{ pid: number }>(
    url,
    `select pid from pg_stat_activity
     where backend_type = 'client backend' and datname = 'platform' and pid <> pg_backend_pid()`,
    [],
  );
const lines = (text: string) => group.log.filter((line) => line.includes(text));

const registerAndReceive = async () => {
  const name = `template-${randomUUID()}`;
  await eventually("a template is registered", async () => (await write(name)).status === 201);
  await eventually("its webhook arrives", () => receiver.received.some(({ body }) => body.includes(name)));
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
    await eventually("it is ready", async () => (await readiness()).status === 200);
  } finally {
    for (const { pid } of backends) process.kill(pid, "SIGCONT");
  }
});

it("ended backends cost at worst an answer 503, and requests go on over new ones", async () => {
  for (let round = 0; round < 2; round += 1) {
    const before = await sessions(group.databaseUrl);
    expect(before.length).toBeGreaterThan(10);
    const answers = Promise.all(
      Array.from({ length: 30 }, (_, at) => (at % 2 ? read() : write().then((a) => a.status))),
    );
    await rowsIn(group.databaseUrl, "select pg_terminate_backend(pid) from unnest($1::int[]) as pid", [
      before.map(({ pid }) => pid),
    ]);
    for (const status of await answers) expect([200, 201, 503]).toContain(status);
    await eventually("writes work again", async () => (await write()).status === 201);
    await eventually("it is ready again", async () => (await readiness()).status === 200);
  }
});

it("writes wait with 503 while the server is demoted, and all connections follow to the promoted one", async () => {
  const demoted = group.database.url;
  await rowsIn(demoted, "alter system set default_transaction_read_only = on", []);
  await rowsIn(demoted, "select pg_reload_conf()", []);
  // the open connections lead to a server that became read-only
  await eventually("it notices", () => lines("the database server is read-only").length === 1);
  await eventually("writes are not ready", async () => (await readiness()).checks["writes"] === "unavailable");
  const refused = await write();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await read()).toBe(200);

  await group.database.stop();
  const promoted = await aPromotedCopy(group.databaseFolder);
  servers.push(promoted);
  const former = await openedServer(group.databaseFolder);
  servers.push(former);
  proxy.lead(portOf(former.server.url));
  await eventually("it reads from the demoted server again", async () => (await read()) === 200);
  await eventually("its pools are open", () => proxy.openTo(portOf(former.server.url)) > 5);
  expect((await write()).status).toBe(503);

  proxy.lead(portOf(promoted.server.url));
  await eventually("writes work", async () => (await write()).status === 201);
  await eventually("it is ready", async () => (await readiness()).status === 200);
  await eventually("no connection to the demoted server is open", () => proxy.openTo(portOf(former.server.url)) === 0);
  const database = (server: OwnServer) => Object.assign(new URL(server.server.url), { pathname: "platform" }).href;
  expect(await sessions(database(former))).toEqual([]);
  await eventually("fifty writes at once work", async () => {
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await write()).status));
    return statuses.every((status) => status === 201);
  });
  expect((await sessions(database(promoted))).length).toBeGreaterThan(5);
  expect(lines("the database server is read-only")).toHaveLength(1);
  expect(lines("the database server is not read-only any more")).toHaveLength(1);
});
