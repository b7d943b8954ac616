import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";
import { WebhookReceiver } from "./webhook-receiver.fixture.js";

let fixture: IntegrationFixture;
let receiver: WebhookReceiver;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ retryDelaysMs: [0, 50] });
  receiver = await WebhookReceiver.start();
});

afterAll(async () => {
  await fixture.close();
  await receiver.stop();
});

async function subscribe(principal: Principal, path: string, more: object = {}): Promise<string> {
  const input = {
    eventType: "TemplateRegistered",
    endpointUrl: receiver.url(path),
    signingSecretRef: "hook",
    ...more,
  };
  const { data, errors } = await fixture.run(
    principal,
    "mutation ($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { subscriptionId } }",
    { input },
  );
  if (errors) throw errors[0];
  return data.createWebhookSubscription.subscriptionId;
}

async function stateOf(principal: Principal, id: string): Promise<{ status: string; disabledReason: string | null }> {
  const statusQuery = "query ($id: ID!) { webhookSubscription(subscriptionId: $id) { status disabledReason } }";
  return (await fixture.run(principal, statusQuery, { id })).data.webhookSubscription;
}

const untilDisabled = (principal: Principal, id: string) =>
  eventually(async () => {
    const state = await stateOf(principal, id);
    return state.status === "Disabled" ? state : undefined;
  });

const disablings = (id: string) =>
  fixture.rows<{ data: object }>(
    `select envelope->'data' as data from integration.outbox
     where envelope->>'subject' = $1 and envelope->>'type' = 'WebhookSubscriptionDisabled'`,
    `webhook-subscriptions/${id}`,
  );

/** Publishes an event whose webhook fails until it has no attempt left. */
async function exhaust(principal: Principal, id: string, count: number): Promise<void> {
  await fixture.bus.publish([anEvent(principal)]);
  await eventually(async () => {
    const rows = await fixture.rows(
      "select 1 from integration.webhook_messages where subscription_id = $1 and status in ('Exhausted', 'Skipped')",
      decodeId("whs", id),
    );
    return rows.length >= count ? true : undefined;
  });
}

/** A streak whose begin and first exhausted message are so many hours ago, followed by another exhausted message. */
async function streak(path: string, failingHours: number, exhaustedHours: number): Promise<[Principal, string]> {
  const principal = aPrincipal();
  receiver.answer = () => ({ status: 500 });
  const id = await subscribe(principal, path);
  await exhaust(principal, id, 1);
  await fixture.rows(
    `update integration.webhook_subscriptions set failing_since = now() - make_interval(hours => $2),
       exhausted_since = now() - make_interval(hours => $3) where subscription_id = $1`,
    decodeId("whs", id),
    failingHours,
    exhaustedHours,
  );
  await exhaust(principal, id, 2);
  return [principal, id];
}

describe("a webhook subscription whose attempts all fail", () => {
  it("is disabled after 120 hours, if a message was exhausted 12 hours before", async () => {
    const [principal, id] = await streak("/hopeless", 120, 12);
    expect(await untilDisabled(principal, id)).toEqual({ status: "Disabled", disabledReason: "OnlyFailures" });
    expect(await disablings(id)).toEqual([{ data: expect.objectContaining({ reason: "OnlyFailures" }) }]);
  });

  it.each([
    ["a shorter streak", "/shorter", 119, 100],
    ["a first exhausted message of today", "/today", 200, 11],
  ])("stays active with %s", async (_, path, failingHours, exhaustedHours) => {
    const [principal, id] = await streak(path, failingHours, exhaustedHours);
    expect(await stateOf(principal, id)).toEqual({ status: "Active", disabledReason: null });
    expect(await disablings(id)).toEqual([]);
  });
});

describe("a handshake without agreement", () => {
  /** Asks again now, with a handshake that began so many hours ago. */
  async function askAgain(id: string, hours: number): Promise<void> {
    await fixture.rows(
      `update integration.webhook_subscriptions set handshake_since = now() - make_interval(hours => $2),
         handshake_next_at = now() where subscription_id = $1`,
      decodeId("whs", id),
      hours,
    );
    await fixture.rows(
      "update integration_jobs.job set start_after = now() where name like '%webhook-handshake' and state < 'active' and data::text like $1",
      `%${id}%`,
    );
  }

  const questions = (path: string, count: number) =>
    eventually(() => (receiver.at(path).length >= count ? true : undefined));

  const waits = (id: string) =>
    eventually(async () => {
      const rows = await fixture.rows(
        "select 1 from integration.webhook_subscriptions where subscription_id = $1 and handshake_next_at > now()",
        decodeId("whs", id),
      );
      return rows.length > 0 ? true : undefined;
    });

  it("disables the subscription after 72 hours, and not before", async () => {
    const principal = aPrincipal();
    receiver.answer = () => ({ status: 405 });
    const id = await subscribe(principal, "/refuses", { handshake: true });
    await waits(id);
    await askAgain(id, 71);
    await questions("/refuses", 2);
    await waits(id);
    expect(await stateOf(principal, id)).toMatchObject({ status: "Active" });
    await askAgain(id, 73);
    expect(await untilDisabled(principal, id)).toEqual({ status: "Disabled", disabledReason: "HandshakeFailed" });
    expect(await disablings(id)).toEqual([{ data: expect.objectContaining({ reason: "HandshakeFailed" }) }]);
  });
});
