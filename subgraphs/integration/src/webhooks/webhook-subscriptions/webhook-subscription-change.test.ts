import { readFileSync } from "node:fs";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { trackedFilesIn } from "@factory/runtime/subgraph/tracked-files.fixture";
import { verifyWebhook } from "../../ground/standard-webhooks/webhook-signature.js";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";
import { WebhookReceiver } from "../webhook-dispatch/webhook-receiver.fixture.js";
import { subscriptionColumns } from "./webhook-subscription.view.js";

let fixture: IntegrationFixture;
let receiver: WebhookReceiver;
let principal: Principal;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ retryDelaysMs: [0, 3_600_000] });
});

beforeEach(async () => {
  principal = aPrincipal();
  receiver = await WebhookReceiver.start();
});

afterEach(() => receiver.stop());

afterAll(() => fixture.close());

// oxlint-disable-next-line typescript/no-explicit-any
type Found = any;

const fields = `subscriptionId endpointUrl signingSecret ratePerSecond ordering filter headers version
  handshake { status attempts allowedPerMinute }`;

async function run(source: string, variables: Record<string, unknown>): Promise<Found> {
  const { data, errors } = await fixture.run(principal, source, variables);
  const [error] = errors ?? [];
  return error ? { refused: error.extensions } : Object.values(data)[0];
}

const create = (path: string, more: Record<string, unknown> = {}) =>
  run(`mutation ($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { ${fields} } }`, {
    input: {
      ...{ eventType: "TemplateRegistered", endpointUrl: receiver.url(path), signingSecretRef: "hooks" },
      ...more,
    },
  });
const change = (id: string, input: Record<string, unknown>) =>
  run(
    `mutation ($id: ID!, $input: UpdateWebhookSubscriptionInput!) {
       updateWebhookSubscription(subscriptionId: $id, input: $input) { ${fields} } }`,
    { id, input },
  );
const subscriptionWith = (id: string) =>
  run(`query ($id: ID!) { webhookSubscription(subscriptionId: $id) { ${fields} } }`, { id });

const publish = (name: string) => fixture.bus.publish([anEvent(principal, { data: { name }, partitionKey: "one" })]);
const sentTo = (path: string) => receiver.at(path).filter(({ method }) => method === "POST");
const arrivals = (path: string, count: number) =>
  eventually(() => (sentTo(path).length >= count ? sentTo(path) : undefined));
const namesAt = (path: string) => sentTo(path).map(({ body }) => JSON.parse(body).data.name);
const messagesOf = (id: string) =>
  fixture.rows<{ partition_key: string | null; status: string }>(
    "select partition_key, status from integration.webhook_messages where subscription_id = $1 order by position",
    decodeId("whs", id),
  );

const permission = { status: 200, headers: { "WebHook-Allowed-Origin": "*", "WebHook-Allowed-Rate": "6000" } };

describe("a change of a webhook subscription", () => {
  it("of its filter, rate and headers holds for events from then on, and null removes them", async () => {
    const { subscriptionId: id } = await create("/settings");
    const settings = { filter: { data: { name: "wanted" } }, ratePerSecond: 50, headers: { "X-Team": "hooks" } };
    expect(await change(id, settings)).toMatchObject({ ...settings, headers: { "x-team": "hooks" }, version: 2 });
    for (const name of ["unwanted", "wanted"]) await publish(name);
    const [first] = await arrivals("/settings", 1);
    expect(first?.headers["x-team"]).toBe("hooks");
    const [pace] = await fixture.rows<{ count: number }>(
      "select count(*)::int as count from integration.webhook_paces where subscription_id = $1",
      decodeId("whs", id),
    );
    expect(pace?.count).toBe(1);
    const none = { filter: null, ratePerSecond: null, headers: null };
    expect(await change(id, none)).toMatchObject({ ...none, version: 3 });
    await publish("unwanted");
    const [, second] = await arrivals("/settings", 2);
    expect(second?.headers["x-team"]).toBeUndefined();
    expect(namesAt("/settings")).toEqual(["wanted", "unwanted"]);
  });

  it("to the ordering fifo, and back, holds for events from then on", async () => {
    const { subscriptionId: id } = await create("/ordered");
    receiver.answer = () => ({ status: 500 });
    await publish("before");
    await arrivals("/ordered", 1);
    expect(await change(id, { ordering: "fifo" })).toMatchObject({ ordering: "fifo", version: 2 });
    await publish("first");
    await arrivals("/ordered", 2);
    await publish("held up");
    await eventually(async () => ((await messagesOf(id)).length === 3 ? true : undefined));
    expect(await change(id, { ordering: "parallel" })).toMatchObject({ ordering: "parallel", version: 3 });
    await publish("after");
    await arrivals("/ordered", 3);
    expect(namesAt("/ordered")).toEqual(["before", "first", "after"]);
    expect((await messagesOf(id)).map(({ partition_key: key }) => key)).toEqual([null, "one", "one", null]);
  });

  it("to a handshake sends nothing until the receiver agrees, asks a new endpoint again, and ends with false", async () => {
    const { subscriptionId: id, handshake } = await create("/plain");
    expect(handshake).toBeNull();
    receiver.answer = ({ method, path }) => {
      if (method !== "OPTIONS") return { status: 204 };
      return path === "/plain" ? permission : { status: 405 };
    };
    expect((await change(id, { handshake: true })).handshake).toEqual({
      ...{ status: "Pending", attempts: 0, allowedPerMinute: null },
    });
    await publish("one");
    await arrivals("/plain", 1);
    const before = await subscriptionWith(id);
    expect(before.handshake).toEqual({ status: "Succeeded", attempts: 1, allowedPerMinute: 6000 });
    expect(await change(id, { handshake: true })).toMatchObject({ handshake: { status: "Succeeded" } });
    const after = await change(id, { endpointUrl: receiver.url("/moved") });
    expect(after.handshake).toEqual({ status: "Pending", attempts: 0, allowedPerMinute: null });
    expect(after.version).toBeGreaterThan(before.version);
    await publish("two");
    await eventually(async () => ((await subscriptionWith(id)).handshake.attempts === 1 ? true : undefined));
    expect(receiver.at("/moved").map(({ method }) => method)).toEqual(["OPTIONS"]);
    expect((await change(id, { handshake: false })).handshake).toBeNull();
    await arrivals("/moved", 1);
    expect([namesAt("/plain"), namesAt("/moved")]).toEqual([["one"], ["two"]]);
  });

  it("of its endpoint, before the receiver has agreed, adds no question to the later ones", async () => {
    receiver.answer = () => ({ status: 405 });
    const { subscriptionId: id } = await create("/first", { handshake: true });
    const failedOnce = () =>
      eventually(async () => ((await subscriptionWith(id)).handshake.attempts === 1 ? true : undefined));
    await failedOnce();
    for (const path of ["/second", "/third"]) {
      await change(id, { endpointUrl: receiver.url(path) });
      await failedOnce();
    }
    // as if the time had come for the jobs that the failures have sent, but not for the next question
    await fixture.rows(
      "update integration.webhook_subscriptions set handshake_next_at = now() + interval '1 hour' where subscription_id = $1",
      decodeId("whs", id),
    );
    const early = await fixture.rows(
      `update integration_jobs.job set start_after = now() where singleton_key = $1 and state < 'active' returning id`,
      id,
    );
    expect(early).toHaveLength(3);
    const waitingJobs = () =>
      fixture.rows("select from integration_jobs.job where singleton_key = $1 and state < 'completed'", id);
    await eventually(async () => ((await waitingJobs()).length === 0 ? true : undefined));
    expect(receiver.received.map(({ path }) => path)).toEqual(["/first", "/second", "/third"]);
  });

  it("with a wrong value, and of a member that an Inbound subscription lacks, is refused", async () => {
    const { subscriptionId: id } = await create("/refused");
    for (const [input, pointer] of [
      [{ filter: { topic: "x" } }, "/input/filter/topic"],
      [{ headers: { cookie: "x" } }, "/input/headers/cookie"],
      [{ signingSecretRef: "hooks", signingKeyType: "ed25519" }, "/input/signingKeyType"],
      [{ signingKeyType: "ed25519" }, "/input/signingKeyType"],
    ] as const)
      expect(await change(id, input)).toMatchObject({ refused: { code: "PARAMETERS_INVALID", errors: [{ pointer }] } });
    const { providerId } = await run(
      "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
      { input: { key: "acme", displayName: "Acme", category: "Tool", authModel: "None" } },
    );
    const inbound = { direction: "Inbound", providerId, eventType: null, endpointUrl: null };
    expect(await create("", { ...inbound, signingSecretRef: "in", signingKeyType: "ed25519" })).toMatchObject({
      refused: { code: "PARAMETERS_INVALID", errors: [{ pointer: "/input/signingKeyType" }] },
    });
    expect(await create("", { ...inbound, contentType: "application/json" })).toMatchObject({
      refused: { code: "VALIDATION_FAILED", errors: [{ pointer: "/input/contentType" }] },
    });
    const { subscriptionId } = await create("", inbound);
    for (const input of [{ ordering: "fifo" }, { handshake: true }, { ratePerSecond: 5 }])
      expect(await change(subscriptionId, input)).toMatchObject({
        refused: { code: "PARAMETERS_INVALID", errors: [{ pointer: `/input/${Object.keys(input)[0]}` }] },
      });
    expect((await subscriptionWith(id)).version).toBe(1);
  });
});

describe("a signing key that the platform generates", () => {
  const publicKeysOf = async (id: string): Promise<string[]> => {
    const source = "query ($id: ID!) { webhookPublicKeys(subscriptionId: $id) { keys { publicKey } } }";
    return (await run(source, { id })).keys.map(({ publicKey }: Found) => publicKey);
  };

  it("is an ed25519 pair on request, whose private key no response shows", async () => {
    const { subscriptionId: id, signingSecret } = await create("/asymmetric", { signingKeyType: "ed25519" });
    expect(signingSecret).toBeNull();
    const keys = await publicKeysOf(id);
    expect(keys).toEqual([expect.stringMatching(/^whpk_/)]);
    await publish("signed");
    const [webhook] = await arrivals("/asymmetric", 1);
    expect(webhook?.headers["webhook-signature"]).toMatch(/^v1a,/);
    expect(verifyWebhook(webhook?.headers ?? {}, webhook?.body ?? "", keys)).toMatchObject({ verified: true });
    const other = await change(id, { signingSecretRef: "other", signingKeyType: "symmetric" });
    expect(other.signingSecret).toMatch(/^whsec_/);
    expect(await publicKeysOf(id)).toEqual([]);
    const third = await change(id, { signingSecretRef: "third", signingKeyType: "ed25519" });
    expect([third.signingSecret, await publicKeysOf(id)]).toEqual([null, [expect.stringMatching(/^whpk_/)]]);
  });
});

describe("the statements that change webhook subscriptions", () => {
  it("raise the version with every column that readers see", () => {
    const folder = new URL("../../", import.meta.url);
    const files = trackedFilesIn(folder).filter((file) =>
      /^(?!.*\.(test|fixture)\.ts$)(?!migrations).*\.ts$/.test(file),
    );
    const statements = files.flatMap((file) =>
      [...readFileSync(new URL(file, folder), "utf8").matchAll(/update webhook_subscriptions\b[^`"]*/g)].map(String),
    );
    expect(statements.length).toBeGreaterThan(8);
    const visible = subscriptionColumns.split(/,\s*/).filter((column) => column !== "version");
    const silent = statements.filter(
      (text) =>
        visible.some((column) => new RegExp(`\\b${column} = `).test(text.split(/\bwhere tenant_id\b/)[0] ?? "")) &&
        !/\bversion = version \+/.test(text),
    );
    expect(silent).toEqual([]);
  });
});
