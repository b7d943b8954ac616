import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Scope } from "@factory/schema/scopes";
import { verifyWebhook } from "../../ground/standard-webhooks/webhook-signature.js";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";
import { WebhookReceiver } from "../webhook-dispatch/webhook-receiver.fixture.js";

let fixture: IntegrationFixture;
let receiver: WebhookReceiver;
let principal: Principal;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ retryDelaysMs: [0, 3_600_000] });
  receiver = await WebhookReceiver.start();
});

beforeEach(() => {
  principal = aPrincipal();
});

afterAll(async () => {
  await receiver.stop();
  await fixture.close();
});

const fields = `subscriptionId status direction eventType endpointUrl signingSecretRef signingSecret contentType
  projectId disabledReason version`;

async function run(source: string, variables: Record<string, unknown> = {}, as = principal, key?: string) {
  const { data, errors } = await fixture.run(as, source, variables, key);
  const [error] = errors ?? [];
  return error ? { refused: error.extensions } : (Object.values(data)[0] as Record<string, unknown>);
}

async function subscribe(path: string, more: Record<string, unknown> = {}): Promise<string> {
  const input = {
    eventType: "TemplateRegistered",
    endpointUrl: receiver.url(path),
    signingSecretRef: "hooks",
    ...more,
  };
  const answer = await run(
    "mutation ($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { subscriptionId } }",
    { input },
  );
  return String(answer["subscriptionId"]);
}

async function anInbound(): Promise<string> {
  const { providerId } = await run(
    "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
    { input: { key: newId("prv").slice(4), displayName: "Acme", category: "Tool", authModel: "None" } },
  );
  return subscribe("/inbound", { direction: "Inbound", providerId, eventType: null, endpointUrl: null });
}

const current = (id: string) =>
  run(`query ($id: ID!) { webhookSubscription(subscriptionId: $id) { ${fields} } }`, { id });
const move = (field: string, id: string, input = "") =>
  run(`mutation ($id: ID!) { ${field}WebhookSubscription(subscriptionId: $id${input}) { ${fields} } }`, { id });
const change = (id: string, input: Record<string, unknown>, more: { ifMatch?: string; as?: Principal } = {}) =>
  run(
    `mutation ($id: ID!, $input: UpdateWebhookSubscriptionInput!, $ifMatch: String) {
       updateWebhookSubscription(subscriptionId: $id, input: $input, ifMatch: $ifMatch) { ${fields} } }`,
    { id, input, ifMatch: more.ifMatch },
    more.as,
  );
const list = (args: string) =>
  run(`{ webhookSubscriptions(${args}) { items { subscriptionId } nextCursor } }`) as Promise<{
    items: { subscriptionId: string }[];
    nextCursor: string | null;
  }>;

const eventsOf = async (id: string) =>
  (
    await fixture.rows<{ type: string }>(
      "select envelope->>'type' as type from integration.outbox where envelope->>'subject' = $1 and envelope->>'messagekind' = 'event' order by seq",
      `webhook-subscriptions/${id}`,
    )
  ).map(({ type }) => type);

const disable = (id: string) =>
  fixture.rows(
    `update integration.webhook_subscriptions set status = 'Disabled', disabled_reason = 'OnlyFailures',
       failing_since = now() - interval '6 days', exhausted_since = now() - interval '5 days'
     where subscription_id = $1`,
    decodeId("whs", id),
  );

/** Adds messages that wait for a later attempt, about which no dispatcher knows. */
const addWaiting = (id: string, count: number) =>
  fixture.rows(
    `insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
       origin, status, attempts, next_attempt_at)
     select tenant_id, gen_random_uuid(), subscription_id, gen_random_uuid(), 'TemplateRegistered', place,
       'http://127.0.0.1:1', 'RetryScheduled', 1, now() + interval '20 hours'
     from integration.webhook_subscriptions, generate_series(1, $2) place where subscription_id = $1`,
    decodeId("whs", id),
    count,
  );

const messageStates = async (id: string) =>
  fixture.rows<{ status: string; origin: string; count: number; ended: number }>(
    `select status, origin, count(*)::int as count, count(finished_at)::int as ended
     from integration.webhook_messages where subscription_id = $1 group by 1, 2 order by 1`,
    decodeId("whs", id),
  );

describe("a webhook subscription", () => {
  it("is paused, resumed and deleted, with an event for each", async () => {
    const id = await subscribe("/moves");
    expect(await move("pause", id)).toMatchObject({ status: "Paused", version: 2 });
    expect(await move("pause", id)).toEqual({
      refused: expect.objectContaining({ code: "INVALID_STATE", currentState: "Paused", allowed: ["Active"] }),
    });
    expect(await move("resume", id)).toMatchObject({ status: "Active", version: 3 });
    expect(await move("resume", id)).toMatchObject({ refused: { code: "INVALID_STATE" } });
    expect(await move("delete", id, ', ifMatch: "\\"2\\""')).toMatchObject({
      refused: { code: "PRECONDITION_FAILED", currentVersion: 3 },
    });
    expect(await move("delete", id, ', ifMatch: "\\"3\\""')).toMatchObject({ status: "Deleted" });
    for (const again of [await current(id), await move("delete", id), await change(id, { active: true })])
      expect(again).toMatchObject({ refused: { code: "WEBHOOK_SUBSCRIPTION_NOT_FOUND" } });
    const moves = ["Created", "Paused", "Resumed", "Deleted"].map((word) => `WebhookSubscription${word}`);
    expect(await eventsOf(id)).toEqual(moves);
  });

  it("is resumed after it was Disabled, with a new streak of failures", async () => {
    const id = await subscribe("/disabled");
    await disable(id);
    expect(await current(id)).toMatchObject({ status: "Disabled", disabledReason: "OnlyFailures" });
    expect(await move("pause", id)).toMatchObject({ refused: { code: "INVALID_STATE" } });
    expect(await change(id, { active: true })).toMatchObject({ status: "Active", disabledReason: null });
    const [row] = await fixture.rows(
      "select failing_since, exhausted_since from integration.webhook_subscriptions where subscription_id = $1",
      decodeId("whs", id),
    );
    expect(row).toEqual({ failing_since: null, exhausted_since: null });
    await disable(id);
    expect(await move("delete", id)).toMatchObject({ status: "Deleted" });
  });

  it("ends its waiting messages as Skipped when it is paused, however many they are", async () => {
    const [id, other] = [await subscribe("/waiting"), await subscribe("/other")];
    await addWaiting(id, 2500);
    await addWaiting(other, 1);
    await move("pause", id);
    await eventually(async () => ((await messageStates(id))[0]?.status === "Skipped" ? true : undefined));
    const [group, ...others] = await eventually(async () => {
      const states = await messageStates(id);
      return states.length === 1 ? states : undefined;
    });
    expect([group, others]).toEqual([expect.objectContaining({ status: "Skipped", count: 2500, ended: 2500 }), []]);
    expect(await messageStates(other)).toEqual([expect.objectContaining({ status: "RetryScheduled", count: 1 })]);
  });

  it("changes the members that are given, and refuses an old version", async () => {
    const id = await subscribe("/change", { projectId: "one" });
    expect(await change(id, { contentType: "application/cloudevents+json" }, { ifMatch: '"1"' })).toMatchObject({
      contentType: "application/cloudevents+json",
      projectId: "one",
      endpointUrl: receiver.url("/change"),
      version: 2,
    });
    expect(await change(id, { projectId: null }, { ifMatch: '"1"' })).toMatchObject({
      refused: { code: "PRECONDITION_FAILED" },
    });
    expect(await change(id, { projectId: null, eventType: "LibraryRegistered", active: false })).toMatchObject({
      projectId: null,
      eventType: "LibraryRegistered",
      status: "Paused",
    });
    expect(await eventsOf(id)).toEqual(["WebhookSubscriptionCreated", "WebhookSubscriptionPaused"]);
    for (const [input, code] of [
      [{ contentType: "text/xml" }, "PARAMETERS_INVALID"],
      [{ eventType: "TemplateExploded" }, "EVENT_TYPE_UNKNOWN"],
      [{ endpointUrl: "http://169.254.169.254/latest" }, "TARGET_BLOCKED"],
    ] as const)
      expect(await change(id, input)).toMatchObject({ refused: { code } });
  });

  it("sends waiting messages to its new endpoint, and events with the secret of its new reference", async () => {
    const id = await subscribe("/formerly");
    await addWaiting(id, 3);
    const answer = await change(id, { endpointUrl: receiver.url("/now"), signingSecretRef: "other-hooks" });
    const signingSecret = String(answer["signingSecret"]);
    expect(signingSecret).toMatch(/^whsec_/);
    expect((await current(id))["signingSecret"]).toBeNull();
    const origin = new URL(receiver.url("/")).origin;
    await eventually(async () => ((await messageStates(id))[0]?.origin === origin ? true : undefined));
    expect(await messageStates(id)).toEqual([expect.objectContaining({ status: "RetryScheduled", origin, count: 3 })]);
    const event = anEvent(principal);
    await fixture.bus.publish([event]);
    const [webhook] = await eventually(() => (receiver.at("/now").length > 0 ? receiver.at("/now") : undefined));
    expect(receiver.at("/formerly")).toEqual([]);
    const { body = "", headers = {} } = webhook ?? {};
    expect(verifyWebhook(headers, body, [signingSecret])).toMatchObject({ verified: true });
  });

  it("gets another endpoint only by a caller that may read its events", async () => {
    const id = await subscribe("/private");
    const scopes: Scope[] = ["webhooks.subscriptions.write", "webhooks.subscriptions.read"];
    const { tenantId = "" } = principal;
    const narrow = aPrincipal({ tenantId, scopes });
    expect(await change(id, { endpointUrl: receiver.url("/mine") }, { as: narrow })).toMatchObject({
      refused: { code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] },
    });
    expect(await change(id, { contentType: "application/cloudevents+json" }, { as: narrow })).toMatchObject({
      version: 2,
    });
  });

  it("gets another type or filter only by a caller that may read its events, and no endpoint while others wait", async () => {
    const id = await subscribe("/theirs");
    const scopes: Scope[] = ["webhooks.subscriptions.write", "webhooks.subscriptions.read", "libraries.read"];
    const narrow = { as: aPrincipal({ tenantId: principal.tenantId ?? "", scopes }) };
    const refusal = { refused: { code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] } };
    const endpointUrl = receiver.url("/mine");
    for (const input of [
      { eventType: "LibraryRegistered" },
      { eventType: "LibraryRegistered", endpointUrl },
      { filter: { data: { name: { $startsWith: "a" } } } },
      { filter: null },
    ])
      expect(await change(id, input, narrow)).toMatchObject(refusal);
    await addWaiting(id, 1);
    expect(await change(id, { eventType: "LibraryRegistered" })).toMatchObject({ version: 2 });
    expect(await change(id, { endpointUrl }, narrow)).toMatchObject(refusal);
    expect(await change(id, { filter: { data: { name: "a" } } }, narrow)).toMatchObject({ version: 3 });
    expect(await change(id, { endpointUrl })).toMatchObject({ version: 4 });
  });

  it("of the direction Inbound has no endpoint, and moves as well", async () => {
    const id = await anInbound();
    expect(await change(id, { endpointUrl: receiver.url("/x") })).toMatchObject({
      refused: { code: "VALIDATION_FAILED", errors: [expect.objectContaining({ pointer: "/input/endpointUrl" })] },
    });
    expect(await move("pause", id)).toMatchObject({ status: "Paused", direction: "Inbound" });
    expect(await change(id, { active: true, projectId: "p" })).toMatchObject({ status: "Active", projectId: "p" });
    expect(await move("delete", id)).toMatchObject({ status: "Deleted" });
  });
});

describe("the list of webhook subscriptions", () => {
  it("has pages, filters and no deleted ones", async () => {
    const ids = [];
    for (const eventType of ["TemplateRegistered", "LibraryRegistered", "LibraryRegistered"])
      ids.unshift(await subscribe("/list", { eventType, projectId: eventType.slice(0, 3) }));
    const inbound = await anInbound();
    const deletedId = await subscribe("/gone");
    await move("delete", deletedId);
    await move("pause", ids[0] ?? "");
    const idsOf = async (args: string) => (await list(args)).items.map(({ subscriptionId }) => subscriptionId);
    expect(await idsOf("first: 10")).toEqual([inbound, ...ids]);
    const first = await list("first: 2");
    expect(first.items).toHaveLength(2);
    expect(await idsOf(`first: 2, after: "${first.nextCursor}"`)).toEqual(ids.slice(1));
    expect(await idsOf("filter: { direction: Inbound }")).toEqual([inbound]);
    expect(await idsOf("filter: { status: Paused }")).toEqual([ids[0]]);
    expect(await idsOf('filter: { eventType: "LibraryRegistered", status: Active }')).toEqual([ids[1]]);
    expect(await idsOf('filter: { projectId: "Tem" }')).toEqual([ids[2]]);
    expect(await idsOf('filter: { providerId: "prv_none" }')).toEqual([]);
    expect(await list("filter: { status: Deleted }")).toMatchObject({
      refused: {
        code: "PARAMETERS_INVALID",
        errors: [{ pointer: "/filter/status" }],
      },
    });
  });
});

describe("what is kept of deleted webhook subscriptions", () => {
  it("is deleted with the last of its messages, 30 days after the deletion at the earliest", async () => {
    const [bare, usedId, young] = [await subscribe("/bare"), await subscribe("/used"), await subscribe("/young")];
    await addWaiting(usedId, 1);
    for (const id of [bare, usedId, young]) await move("delete", id);
    await eventually(async () => ((await messageStates(usedId))[0]?.status === "Skipped" ? true : undefined));
    await fixture.rows(
      `update integration.webhook_subscriptions set deleted_at = now() - interval '31 days'
       where subscription_id = any ($1::uuid[])`,
      [bare, usedId].map((id) => decodeId("whs", id)),
    );
    await fixture.prune();
    const rows = await fixture.rows<{ subscription_id: string }>(
      "select subscription_id from integration.webhook_subscriptions where subscription_id = any ($1::uuid[])",
      [bare, usedId, young].map((id) => decodeId("whs", id)),
    );
    expect(new Set(rows.map(({ subscription_id: id }) => id))).toEqual(
      new Set([usedId, young].map((id) => decodeId("whs", id))),
    );
  });
});
