import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import { tenantScopes } from "@factory/schema/scopes";
import { cloneOf } from "../kit/clone.js";
import { eventually } from "../kit/eventually.js";
import { platformVariable } from "../kit/platform.js";
import { aReceiver } from "../kit/receiver.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestExecution } from "../kit/templates.js";

/** A generous limit for the time until the next start continues the work of a killed process. */
const takeoverMs = 180_000;
const completion = ["ScaffoldGenerated", "TemplateExecuted"];

describe("kill -9 in the middle of an execution", () => {
  let dataDir: string;
  let platform: PlatformProcess | undefined;
  const shared = process.env[platformVariable];

  const start = async () => {
    platform = await startPlatformProcess(dataDir, { PORT: "0", RATE_LIMIT_FACTOR: "1000" });
    process.env[platformVariable] = JSON.stringify(platform);
    return platform;
  };

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
  });

  afterAll(async () => {
    process.env[platformVariable] = shared;
    await platform?.stop();
    await removeData(dataDir);
  });

  it("is completed once by the next start: one commit, both events delivered", async () => {
    const first = await start();
    const admin = await accessToken(first, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(first, admin, "crash", "Crash");
    const client = await createTenantClient(first, admin, tenantId, { name: "test", scopes: tenantScopes });
    const token = await accessToken(first, client);
    const receiver = await aReceiver();
    for (const eventType of completion)
      await request("POST /webhooks/subscriptions", {
        token,
        body: { eventType, endpointUrl: receiver.url, signingSecretRef: "crash" },
      });
    const { templateId, templateVersionId } = await aTemplateVersion(token, await aTemplateSource());
    const body = { templateVersionId, target: { repository: "acme/orders" } };
    const accepted = await request<{ executionId: string }>(`POST /v1/templates/${templateId}/execute`, {
      token,
      body,
    });
    const path = `GET /v1/templates/${templateId}/executions/${accepted.body.executionId}`;
    await eventually(
      "the execution has begun",
      async () => (await request<TestExecution>(path, { token })).body.status !== "Requested",
    );
    await first.kill();

    const second = await start();
    const freshToken = await accessToken(second, client);
    const read = async () => (await request<TestExecution>(path, { token: freshToken })).body;
    await eventually("the execution completes", async () => (await read()).status === "Completed", takeoverMs);
    await eventually(
      "both webhooks arrive",
      () => new Set(receiver.received.map(({ body: text }) => JSON.parse(text).type)).size === 2,
      takeoverMs,
    );
    const ids = new Map(
      receiver.received.map(({ body: text }) => [JSON.parse(text).id as string, JSON.parse(text).type as string]),
    );
    expect([...ids.values()].sort()).toEqual(completion);
    const { output } = await read();
    const repository = new URL(output?.repository ?? "").pathname;
    const clone = await cloneOf(second.publicUrl + repository, freshToken);
    expect(clone.commits).toHaveLength(1);
    expect(clone.files).toContain("src/orders/orders.csproj");
    await clone.remove();
    await receiver.close();
  });
});
