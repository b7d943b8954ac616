import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { writeTemplateRepository } from "@factory/platform/assembly/sample-repository";
import pg from "pg";
import type { Arena } from "./arena.js";
import type { FaultScenario, Scene } from "./fault-scenario.js";
import { aCustomer, aTenantCaller, aVersion } from "./load.js";
import { workSteadily } from "./quiet-phase.js";
import { WebhookReceiver } from "./webhook-receiver.js";

const hangingTenants = 10;

/** Hostile tenants may make another tenant's work so many times slower. */
const mostSlowdown = 8;
/** Ratios to shorter times say nothing. */
const leastExecutionMs = 125;
const leastWebhookMs = 25;

/**
 * Tenants with templates that never end, receivers that do not answer and an open transaction must not affect another
 * tenant.
 */
export const neighbors: FaultScenario = async (scene) => {
  const { arena, ledger, pulse, quiet, size } = scene;
  const receiver = await WebhookReceiver.open();
  const healthy = await aCustomer(arena, `healthy-${randomUUID().slice(0, 8)}`, receiver);
  const forgotten = await openTransaction(arena);
  const hanging = await Promise.all([hangingReceiver(), hangingReceiver()]);
  const hostile = Promise.all([hostileRendering(scene), ...hangingDeliveries(scene, hanging.map(urlOf))]);
  hostile.catch(() => undefined);
  await sleep(1000);
  pulse.watch();
  const { executions, executionP95, webhookP95 } = await workSteadily(healthy, receiver, size.neighborSeconds);
  await pulse.rest();
  ledger.note({ promise: "beside hostile tenants: executions of a healthy one", found: executions, atLeast: 3 });
  ledger.note({
    promise: "beside hostile tenants: execution p95",
    found: executionP95,
    atMost: mostSlowdown * Math.max(quiet.executionP95, leastExecutionMs),
    unit: " ms",
  });
  ledger.note({
    promise: "beside hostile tenants: event to webhook p95",
    found: webhookP95,
    atMost: mostSlowdown * Math.max(quiet.webhookP95, leastWebhookMs),
    unit: " ms",
  });
  for (const server of hanging) server.closeAllConnections();
  for (const server of hanging) server.close();
  await forgotten.end();
  await hostile;
  receiver.close();
};

/** Opens a transaction and leaves it open, like another client of the server. */
async function openTransaction(arena: Arena): Promise<pg.Client> {
  const { user, password, host, port } = await arena.postgres();
  const client = new pg.Client({ user, password, host, port, database: "template1" });
  client.on("error", () => undefined);
  await client.connect();
  await client.query("begin");
  await client.query("select pg_current_xact_id()");
  return client;
}

async function hostileRendering({ arena, size }: Scene): Promise<void> {
  const { caller, tenantId } = await aTenantCaller(arena, `renders-${randomUUID().slice(0, 8)}`);
  const folder = join(arena.dataDir, `chaos-hostile-${tenantId}`);
  await mkdir(join(folder, ".template.config"), { recursive: true });
  const symbols = {
    slow: {
      type: "generated",
      generator: "regex",
      parameters: { source: "name", steps: [{ regex: "^(a+)+$", replacement: "x" }] },
      replaces: "SLOW",
    },
  };
  const config = { identity: "a", name: "a", shortName: "a", symbols };
  await writeFile(join(folder, ".template.config", "template.json"), JSON.stringify(config));
  await writeFile(join(folder, "file.txt"), "SLOW");
  const repository = join(arena.dataDir, `chaos-hostile-${tenantId}.git`);
  await writeTemplateRepository(folder, repository);
  const version = await aVersion(caller, `git+${pathToFileURL(repository).href}#main`);
  const order = (place: number) => {
    const body = {
      templateVersionId: version.templateVersionId,
      target: { repository: `slow/n${place}` },
      parameters: { name: `${"a".repeat(40)}!` },
    };
    return caller.acknowledged(`/v1/templates/${version.templateId}/execute`, body, `slow-${place}`);
  };
  await Promise.all(Array.from({ length: size.hostileRenders }, (_, place) => order(place)));
}

/** Sends each tenant's events to one receiver, so that all tenants share two hosts. */
function hangingDeliveries({ arena, size }: Scene, urls: readonly string[]): Promise<void>[] {
  return Array.from({ length: hangingTenants }, async (_, tenant) => {
    const { caller } = await aTenantCaller(arena, `hangs-${randomUUID().slice(0, 8)}`);
    const endpointUrl = urls[tenant % urls.length];
    const subscription = { eventType: "TemplateRegistered", endpointUrl, signingSecretRef: "hang" };
    await caller.acknowledged("/webhooks/subscriptions", subscription, "hang");
    for (let event = 0; event < size.hangingEvents; event += 1)
      await caller.acknowledged("/v1/templates", { name: `event-${event}` }, `event-${event}`);
  });
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hang`;

async function hangingReceiver(): Promise<Server> {
  const server = createServer((incoming) => incoming.resume());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return server;
}
