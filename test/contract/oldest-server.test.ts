import { readdirSync } from "node:fs";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import { lowestServerVersion } from "@factory/runtime/postgres/server-version";
import { aSuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { cloneOf } from "../kit/clone.js";
import { rows, rowsIn } from "../kit/database.js";
import { disguisedServer } from "../kit/disguised-server.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { type OldestServer, oldestPrograms, startOldestServer } from "../kit/oldest-server.js";
import { platformVariable } from "../kit/platform.js";
import { aReceiver, type Receiver } from "../kit/receiver.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { tenantObjects } from "../kit/tenant-objects.js";
import { aTenant } from "../kit/tenants.js";

if (oldestPrograms === undefined)
  process.stderr.write("The suite of the oldest PostgreSQL is skipped, since no server is installed.\n");
const describeWithServer = oldestPrograms === undefined ? describe.skip : describe;
const sharedPlatform = process.env[platformVariable];

describeWithServer(`the platform over ${oldestPrograms}`, () => {
  let server: OldestServer | undefined;
  let dataDir: string;
  let platform: PlatformProcess | undefined;
  let receiver: Receiver | undefined;

  beforeAll(async () => {
    server = await startOldestServer(oldestPrograms ?? "");
    dataDir = await temporaryDataDirectory();
    await start();
    receiver = await aReceiver();
  });
  afterAll(async () => {
    process.env[platformVariable] = sharedPlatform;
    await platform?.stop();
    await receiver?.close();
    await server?.close();
    await removeData(dataDir);
  });

  const start = async () => {
    const databaseUrl = server?.url ?? "";
    platform = await startPlatformProcess(dataDir, { DATABASE_URL: databaseUrl, RATE_LIMIT_FACTOR: "1000" });
    process.env[platformVariable] = JSON.stringify({ ...platform, databaseUrl });
  };

  it("is of the oldest version, or of the oldest that is installed here", async () => {
    const [versionRow] = await rows<{ server_version_num: string }>("show server_version_num");
    expect(Number(versionRow?.server_version_num)).toBeGreaterThanOrEqual(lowestServerVersion * 10_000);
  });

  it("generates a project, sends its webhook, and serves after a second start", async () => {
    const tenant = await aTenant();
    const token = await tenant.tokenWith();
    const subscription = {
      ...{ direction: "Outbound", eventType: "TemplateExecuted" },
      ...{ endpointUrl: receiver?.url, signingSecretRef: "oldest-hooks" },
    };
    expect((await request("POST /webhooks/subscriptions", { token, body: subscription })).status).toBe(201);
    const version = await aTemplateVersion(token, await aTemplateSource());
    const execution = await executed(token, version, { target: { repository: "acme/oldest" } });
    expect(execution).toMatchObject({ status: "Completed", error: null });
    const clone = await cloneOf(execution.output?.repository ?? "", token);
    expect(clone.commits).toHaveLength(1);
    await clone.remove();
    const { received } = receiver ?? { received: [] };
    await eventually("the webhook arrives", () => received.some(({ body }) => body.includes(execution.executionId)));
    expect(await platform?.stop()).toBe(0);
    await start();
    const path = `/v1/templates/${version.templateId}/executions/${execution.executionId}`;
    // its address is another one, so it accepts other tokens
    const again = await request(`GET ${path}`, { token: await tenant.tokenWith() });
    expect(again.body).toMatchObject({ status: "Completed" });
  });

  it("makes one object of each kind, and sends a notification to all people of a tenant", async () => {
    const tenant = await aTenant();
    const objects = await tenantObjects(tenant);
    expect(Object.keys(objects).length).toBeGreaterThan(20);
    const token = await tenant.tokenWith();
    const broadcast = await graphql<{ broadcastNotification: { messageId: string } }>(
      'mutation { broadcastNotification(input: { body: "Hello, all." }) { messageId } }',
      { token },
    );
    expect(broadcast.body.errors).toBeUndefined();
    await eventually("the people of the tenant have it", async () => {
      const [inbox] = await rows<{ count: string }>(
        `select count(*) from spine.notifications
         where channel = 'InApp' and recipient_user_id is not null
           and message_id = (select message_id from spine.notification_messages where body = 'Hello, all.')`,
      );
      return Number(inbox?.count) > 0;
    });
  });
});

it("a server that is too old is refused in one line, before anything is written", async () => {
  const database = await aSuiteDatabase("notes");
  const [versionRow] = await rowsIn<{ server_version_num: string }>(database.url, "show server_version_num", []);
  const server = await disguisedServer(database.url, versionRow?.server_version_num ?? "", "140018");
  const dataDir = await temporaryDataDirectory();
  const lines: string[] = [];
  const startup = startPlatformProcess(dataDir, { DATABASE_URL: server.url }, (line) => lines.push(line));
  await expect(startup).rejects.toThrow("ended with 78");
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    "The database server is PostgreSQL 14.18, and this release needs PostgreSQL 15 or newer.",
  ]);
  const schemas = await rowsIn<{ nspname: string }>(
    database.url,
    "select nspname from pg_namespace where nspname in ('spine', 'integration')",
    [],
  );
  expect(schemas).toEqual([]);
  expect(readdirSync(dataDir).filter((name) => !name.startsWith("lock"))).toEqual([]);
  await server.close();
  await database.close();
  await removeData(dataDir);
});
