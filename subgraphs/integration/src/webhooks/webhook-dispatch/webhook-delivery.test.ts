import { randomBytes } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { EmbeddedSecretStore } from "../../credentials/credentials/embedded-secret-store.js";
import { generateSigningSecret } from "../../ground/standard-webhooks/signing-secret.js";
import { verifyWebhook } from "../../ground/standard-webhooks/webhook-signature.js";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";
import { type ReceivedWebhook, type ReceiverAnswer, WebhookReceiver } from "./webhook-receiver.fixture.js";

const masterKeys = new MasterKeys(randomBytes(32));
let fixture: IntegrationFixture;
let receiver: WebhookReceiver;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ masterKeys, retryDelaysMs: [0, 50, 100] });
});

afterAll(() => fixture.close());

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});

afterEach(() => receiver.stop());

const create = /* GraphQL */ `
  mutation ($input: CreateWebhookSubscriptionInput!) {
    createWebhookSubscription(input: $input) {
      subscriptionId status eventType signingSecretRef signingSecret deliveries { messageId }
    }
  }`;

const messageQuery = /* GraphQL */ `
  query ($id: ID!) {
    webhookSubscription(subscriptionId: $id) {
      status signingSecret
      deliveries(first: 5) {
        messageId eventId eventType status attemptCount nextAttemptAt finishedAt
        attempts { number outcome failure detail statusCode responseBody durationMs }
      }
    }
  }`;

interface Subscription {
  subscriptionId: string;
  signingSecret: string;
}

async function subscribe(principal: Principal, path: string, more: object = {}): Promise<Subscription> {
  const input = {
    eventType: "TemplateRegistered",
    endpointUrl: receiver.url(path),
    signingSecretRef: `signing-${path.slice(1)}`,
    ...more,
  };
  const { data, errors } = await fixture.run(principal, create, { input });
  if (errors) throw errors[0];
  return data.createWebhookSubscription;
}

async function deliveries(principal: Principal, { subscriptionId }: Subscription) {
  const { data } = await fixture.run(principal, messageQuery, { id: subscriptionId });
  return data.webhookSubscription.deliveries;
}

async function settled(principal: Principal, subscription: Subscription, ...states: string[]) {
  return eventually(async () => {
    const [message] = await deliveries(principal, subscription);
    return states.includes(message?.status) ? message : undefined;
  });
}

/** A failure after which the message waits for an hour. */
const longPause: ReceiverAnswer = { status: 500, headers: { "retry-after": "3600" } };

describe("Mutation.createWebhookSubscription", () => {
  const input = () => ({
    eventType: "TemplateRegistered",
    endpointUrl: receiver.url("/hook"),
    signingSecretRef: "secret://hook",
  });

  it("generates the secret of an unknown reference and shows it once", async () => {
    const principal = aPrincipal();
    const first = await fixture.run(principal, create, { input: input() }, "key");
    expect(first.data?.createWebhookSubscription).toMatchObject({
      status: "Active",
      signingSecretRef: "secret://hook",
      signingSecret: expect.stringMatching(/^whsec_/),
      deliveries: [],
    });
    const { signingSecret, ...rest } = first.data.createWebhookSubscription;
    const replay = await fixture.run(principal, create, { input: input() }, "key");
    expect(replay.data?.createWebhookSubscription).toEqual({ ...rest, signingSecret: null });
    const second = await fixture.run(principal, create, { input: { ...input(), signingSecretRef: "hook" } });
    expect(second.data?.createWebhookSubscription.signingSecret).toBeNull();
    const storedRows = await fixture.rows<{ text: string }>(
      `select r::text as text from integration.idempotency_records r
       union all select o::text from integration.outbox o union all select v::text from integration.credential_versions v`,
    );
    expect(storedRows.length).toBeGreaterThan(0);
    for (const { text } of storedRows) expect(text).not.toContain(signingSecret);
  });

  it("lets two requests at once share the credential they both create", async () => {
    const principal = aPrincipal();
    const answers = await Promise.all([1, 2, 3].map(() => fixture.run(principal, create, { input: input() })));
    const secrets = answers.map(({ data }) => data?.createWebhookSubscription.signingSecret);
    expect(answers.flatMap(({ errors }) => errors ?? [])).toEqual([]);
    expect(secrets.filter((secret) => secret !== null)).toHaveLength(1);
  });

  it("is created Paused with active: false", async () => {
    const { data } = await fixture.run(aPrincipal(), create, { input: { ...input(), active: false } });
    expect(data?.createWebhookSubscription.status).toBe("Paused");
  });

  it.each([
    ["an unknown event type", { eventType: "TemplateDreamt" }, "EVENT_TYPE_UNKNOWN", 422],
    ["an inherited property as event type", { eventType: "constructor" }, "EVENT_TYPE_UNKNOWN", 422],
    ["a private address", { endpointUrl: "http://10.0.0.1/hook" }, "TARGET_BLOCKED", 422],
    ["the metadata address", { endpointUrl: "http://169.254.169.254/latest" }, "TARGET_BLOCKED", 422],
    ["credentials in the URL", { endpointUrl: "https://a:b@93.184.216.34/" }, "TARGET_BLOCKED", 422],
    ["the platform itself", { endpointUrl: "http://127.0.0.1:4000/webhooks/deliveries/acme" }, "TARGET_BLOCKED", 422],
    ["a file URL", { endpointUrl: "file:///etc/passwd" }, "TARGET_BLOCKED", 422],
    ["what is no URL", { endpointUrl: "somewhere" }, "VALIDATION_FAILED", 400],
    ["an unknown content type", { contentType: "text/plain" }, "PARAMETERS_INVALID", 422],
  ])("refuses %s", async (_, part, code, status) => {
    const { errors } = await fixture.run(aPrincipal(), create, { input: { ...input(), ...part } });
    expect(errors?.[0]?.extensions).toMatchObject({ code, status });
  });

  it("refuses a credential of another kind", async () => {
    const principal = aPrincipal();
    await fixture.run(principal, "mutation ($i: CreateCredentialInput!) { createCredential(input: $i) { name } }", {
      i: { name: "hook", kind: "ApiKey", secret: { apiKey: "x" } },
    });
    const { errors } = await fixture.run(principal, create, { input: input() });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "REFERENCE_NOT_FOUND" });
  });

  it("sends events only where their reader may read them", async () => {
    const principal = aPrincipal({ scopes: ["webhooks.subscriptions.write", "libraries.read"] });
    const { errors } = await fixture.run(principal, create, { input: input() });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] });
  });
});

describe("outbound delivery", () => {
  it("sends the whole signed envelope to every subscription of the tenant and type, and to nobody else", async () => {
    const [principal, other] = [aPrincipal(), aPrincipal()];
    const subscription = await subscribe(principal, "/one");
    await subscribe(principal, "/two", { contentType: "application/cloudevents+json" });
    await subscribe(principal, "/paused", { active: false });
    await subscribe(principal, "/library", { eventType: "LibraryRegistered" });
    await subscribe(other, "/other");
    const event = anEvent(principal);
    await fixture.bus.publish([event]);
    const [webhook] = await eventually(() => (receiver.received.length >= 2 ? receiver.at("/one") : undefined));
    if (!webhook) throw new Error("nothing at /one");
    expect(verifyWebhook(webhook.headers, webhook.body, [subscription.signingSecret])).toMatchObject({
      verified: true,
      id: event.id,
    });
    expect(webhook.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "svc-schema-version": "1.0",
      "user-agent": expect.stringMatching(/^svc-webhooks\//),
      traceparent: expect.stringMatching(new RegExp(`^00-${event.traceid}-[0-9a-f]{16}-01$`)),
    });
    const body = JSON.parse(webhook.body);
    expect(body).toEqual({ ...event, sequence: expect.stringMatching(/^\d+$/), timestamp: event.time });
    expect(receiver.at("/two")[0]?.headers["content-type"]).toBe("application/cloudevents+json; charset=utf-8");
    const message = await settled(principal, subscription, "Delivered");
    expect(message).toMatchObject({
      eventId: event.id,
      attemptCount: 1,
      attempts: [{ number: 1, outcome: "Succeeded", statusCode: 204, failure: null }],
    });
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(["/one", "/two"]);
  });

  it("numbers what it sends by the events of the tenant alone", async () => {
    const [principal, other] = [aPrincipal(), aPrincipal()];
    await subscribe(principal, "/numbered");
    const events = Array.from({ length: 3 }, () => anEvent(principal));
    for (const event of events) await fixture.bus.publish([anEvent(other), event, anEvent(other)]);
    await eventually(() => (receiver.at("/numbered").length === 3 ? true : undefined));
    const sentEvents = receiver.at("/numbered").map(({ body }) => JSON.parse(body) as { id: string; sequence: string });
    const loggedEvents = await fixture.rows<{ id: string; sequence: string }>(
      "select envelope->>'id' as id, sequence from integration.event_log where envelope->>'tenantid' = $1",
      principal.tenantId,
    );
    expect(loggedEvents.map(({ sequence }) => Number(sequence)).sort((a, b) => a - b)).toEqual(
      loggedEvents.map((_, place) => place + 1),
    );
    for (const { id, sequence } of sentEvents) expect(loggedEvents).toContainEqual({ id, sequence });
    expect(sentEvents.map(({ id }) => id).sort()).toEqual(events.map(({ id }) => id).sort());
  });

  it("delivers once what the bus delivers twice", async () => {
    const principal = aPrincipal();
    const subscription = await subscribe(principal, "/twice");
    const [first, second] = [anEvent(principal), anEvent(principal)];
    await fixture.bus.publish([first]);
    await settled(principal, subscription, "Delivered");
    // the consumer's position is lost: everything comes again
    await fixture.rows("update bus.consumers set position = 0 where name = 'integration.event-log'");
    await fixture.bus.publish([second]);
    await eventually(async () => ((await deliveries(principal, subscription)).length === 2 ? true : undefined));
    await settled(principal, subscription, "Delivered");
    expect(receiver.at("/twice").map(({ headers }) => headers["webhook-id"])).toEqual([first.id, second.id]);
    const [log] = await fixture.rows<{ count: string }>(
      "select count(*) from integration.event_log where envelope->>'id' = $1",
      first.id,
    );
    expect(log?.count).toBe("1");
  });

  it("tries again with the same webhook-id until the receiver accepts", async () => {
    const principal = aPrincipal();
    const subscription = await subscribe(principal, "/flaky");
    receiver.answer = (_, nth) => (nth < 3 ? { status: 500, body: "x".repeat(20_000) } : { status: 200 });
    await fixture.bus.publish([anEvent(principal)]);
    const message = await settled(principal, subscription, "Delivered");
    expect(message.attempts).toMatchObject([
      { number: 1, outcome: "Failed", failure: "HttpStatus", statusCode: 500, responseBody: "x".repeat(16_384) },
      { number: 2, outcome: "Failed", statusCode: 500 },
      { number: 3, outcome: "Succeeded", statusCode: 200 },
    ]);
    expect(new Set(receiver.at("/flaky").map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    for (const { headers, body } of receiver.at("/flaky"))
      expect(verifyWebhook(headers, body, [subscription.signingSecret]).verified).toBe(true);
  });

  it("gives up when no attempt is left, and says so in an event that does not go to the same subscription", async () => {
    const principal = aPrincipal();
    const failing = await subscribe(principal, "/failing");
    await subscribe(principal, "/watcher", { eventType: "WebhookDeliveryExhausted" });
    receiver.answer = ({ path }) => ({ status: path === "/failing" ? 503 : 200 });
    const event = anEvent(principal);
    await fixture.bus.publish([event]);
    const message = await settled(principal, failing, "Exhausted");
    expect(message).toMatchObject({ attemptCount: 3, nextAttemptAt: null, finishedAt: expect.any(String) });
    const [notice] = await eventually(() => (receiver.at("/watcher").length > 0 ? receiver.at("/watcher") : undefined));
    expect(JSON.parse(notice?.body ?? "")).toMatchObject({
      type: "WebhookDeliveryExhausted",
      subject: `webhook-subscriptions/${failing.subscriptionId}`,
      causationid: event.id,
      traceid: event.traceid,
      data: { messageId: message.messageId, eventId: event.id, statusCode: 503 },
    });
  });

  it("never tells a subscription about itself", async () => {
    const principal = aPrincipal();
    const about = { eventType: "WebhookDeliveryExhausted" };
    const [self, peer] = [await subscribe(principal, "/self", about), await subscribe(principal, "/peer", about)];
    await fixture.bus.publish([
      anEvent(principal, { type: "WebhookDeliveryExhausted", subject: `webhook-subscriptions/${self.subscriptionId}` }),
    ]);
    await settled(principal, peer, "Delivered");
    expect(await deliveries(principal, self)).toEqual([]);
  });

  it("disables the subscription at 410 and skips what waits", async () => {
    const principal = aPrincipal();
    const subscription = await subscribe(principal, "/gone");
    receiver.answer = () => ({ status: 410 });
    await fixture.bus.publish([anEvent(principal)]);
    expect(await settled(principal, subscription, "Aborted")).toMatchObject({ attemptCount: 1 });
    const { data } = await fixture.run(principal, messageQuery, { id: subscription.subscriptionId });
    expect(data.webhookSubscription.status).toBe("Disabled");
    await eventually(async () => {
      const [row] = await fixture.rows(
        "select 1 from integration.event_log where type = 'WebhookSubscriptionDisabled' and envelope->'data'->>'subscriptionId' = $1",
        subscription.subscriptionId,
      );
      return row;
    });
    await fixture.bus.publish([anEvent(principal)]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(receiver.at("/gone")).toHaveLength(1);
  });

  it("skips messages of a subscription that left Active before they were sent", async () => {
    const principal = aPrincipal();
    const subscription = await subscribe(principal, "/left");
    receiver.answer = () => longPause;
    await fixture.bus.publish([anEvent(principal)]);
    await settled(principal, subscription, "RetryScheduled");
    await fixture.rows(
      "update integration.webhook_subscriptions set status = 'Paused' where endpoint_url = $1",
      receiver.url("/left"),
    );
    await fixture.rows(
      "update integration.webhook_messages set next_attempt_at = now() where tenant_id = $1",
      decodeId("ten", principal.tenantId ?? ""),
    );
    expect(await settled(principal, subscription, "Skipped", "Exhausted")).toMatchObject({ status: "Skipped" });
  });

  it("does not connect to a target that is blocked by now", async () => {
    const principal = aPrincipal();
    const subscription = await subscribe(principal, "/rebound");
    await fixture.rows(
      "update integration.webhook_subscriptions set endpoint_url = 'http://10.1.2.3/hook' where endpoint_url = $1",
      receiver.url("/rebound"),
    );
    await fixture.bus.publish([anEvent(principal)]);
    const message = await settled(principal, subscription, "RetryScheduled", "Exhausted");
    expect(message.attempts[0]).toMatchObject({
      outcome: "Failed",
      failure: "TargetBlocked",
      statusCode: null,
      detail: expect.stringContaining("private"),
    });
  });

  it("records an unreachable receiver as a failed attempt", async () => {
    const principal = aPrincipal();
    const subscription = await subscribe(principal, "/nobody", { endpointUrl: "http://127.0.0.1:1/" });
    await fixture.bus.publish([anEvent(principal)]);
    const message = await settled(principal, subscription, "RetryScheduled", "Exhausted");
    expect(message.attempts[0]).toMatchObject({ outcome: "Failed", failure: "ConnectFailed", statusCode: null });
  });

  it("signs with the newest secret first while an older one is in its grace", async () => {
    const principal = aPrincipal();
    const { tenantId = "" } = principal;
    const [older, newer] = [generateSigningSecret(), generateSigningSecret()];
    const { data } = await fixture.run(
      principal,
      "mutation ($i: CreateCredentialInput!) { createCredential(input: $i) { credentialId } }",
      { i: { name: "given", kind: "WebhookSigning", secret: { signingSecret: older } } },
    );
    const { credentialId } = data.createCredential;
    const subscription = await subscribe(principal, "/given", { signingSecretRef: "given" });
    expect(subscription.signingSecret).toBeNull();
    const owner = { tenantId, credentialId, version: 2 };
    const sealedSecret = await new EmbeddedSecretStore(masterKeys).seal(owner, { signingSecret: newer });
    const version = [decodeId("ten", tenantId), decodeId("crd", credentialId)];
    await fixture.rows(
      `insert into integration.credential_versions (tenant_id, credential_id, version, stage, key_id, wrapped_key, ciphertext, created_at)
       values ($1, $2, 2, 'Current', $3, $4, $5, now())`,
      ...version,
      sealedSecret.keyId,
      sealedSecret.wrappedKey,
      sealedSecret.ciphertext,
    );
    const demote = `update integration.credential_versions set stage = 'Previous', grace_ends_at = now() + $3::interval
       where tenant_id = $1 and credential_id = $2 and version = 1`;
    await fixture.rows(demote, ...version, "1 hour");
    await fixture.bus.publish([anEvent(principal)]);
    await settled(principal, subscription, "Delivered");
    await fixture.rows(demote, ...version, "-1 second");
    await fixture.bus.publish([anEvent(principal)]);
    const [inGrace, afterGrace] = await eventually(() => {
      const webhooks = receiver.at("/given");
      return webhooks.length === 2 ? webhooks : undefined;
    });
    const verify = (webhook: ReceivedWebhook | undefined, secret: string) =>
      verifyWebhook(webhook?.headers ?? {}, webhook?.body ?? "", [secret]).verified;
    expect([verify(inGrace, newer), verify(inGrace, older)]).toEqual([true, true]);
    expect([verify(afterGrace, newer), verify(afterGrace, older)]).toEqual([true, false]);
    const [first] = String(inGrace?.headers["webhook-signature"]).split(" ");
    const alone = { ...inGrace?.headers, "webhook-signature": first };
    expect(verifyWebhook(alone, inGrace?.body ?? "", [newer]).verified).toBe(true);
  });

  it("takes up an attempt that a killed worker left in the middle", async () => {
    const principal = aPrincipal();
    const subscription = await subscribe(principal, "/killed");
    receiver.answer = (_, nth) => (nth === 1 ? longPause : { status: 200 });
    await fixture.bus.publish([anEvent(principal)]);
    await settled(principal, subscription, "RetryScheduled");
    await fixture.rows(
      "update integration.webhook_messages set status = 'Delivering', next_attempt_at = now() where tenant_id = $1",
      decodeId("ten", principal.tenantId ?? ""),
    );
    expect(await settled(principal, subscription, "Delivered")).toMatchObject({ attemptCount: 2 });
  });
});
