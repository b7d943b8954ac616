import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
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
  fixture = await startIntegrationFixture({ retryDelaysMs: [0, 20] });
});

beforeEach(async () => {
  principal = aPrincipal();
  receiver = await WebhookReceiver.start();
});

afterEach(() => receiver.stop());

afterAll(() => fixture.close());

// oxlint-disable-next-line typescript/no-explicit-any
type Found = any;

async function run(source: string, variables: Record<string, unknown> = {}, key?: string): Promise<Found> {
  const { data, errors } = await fixture.run(principal, source, variables, key);
  const [error] = errors ?? [];
  return error ? { refused: error.extensions } : Object.values(data)[0];
}

async function subscribe(path: string): Promise<{ subscriptionId: string; signingSecret: string }> {
  return run(
    `mutation ($i: CreateWebhookSubscriptionInput!) {
       createWebhookSubscription(input: $i) { subscriptionId signingSecret } }`,
    { i: { eventType: "TemplateRegistered", endpointUrl: receiver.url(path), signingSecretRef: `hook${path}` } },
  );
}

const newest = (id: string) =>
  run(
    `query ($id: ID!) { webhookMessages(subscriptionId: $id, first: 1) { items { messageId status attemptCount } } }`,
    {
      id,
    },
  ).then(({ items }) => items[0]);
const untilSettled = (id: string, status: string, attemptCount: number) =>
  eventually(async () => {
    const message = await newest(id);
    return message?.status === status && message.attemptCount === attemptCount ? message : undefined;
  });
const resend = (messageId: string) =>
  run("mutation ($id: ID!) { resendWebhookMessage(messageId: $id) { messageId subscriptionId status } }", {
    id: messageId,
  });
const statistics = (id: string, hours = "") =>
  run(
    `query ($id: ID!) { webhookStatistics(subscriptionId: $id ${hours}) {
       complete attempts succeeded failed failureRate attemptsPerMinute medianDurationMs p95DurationMs maxDurationMs
       failures { failure statusCode count } lastSuccessAt failingSince waiting oldestWaitingAt } }`,
    { id },
  );

describe("the secret of a webhook subscription", () => {
  const rotate = (id: string, input: object, key?: string) =>
    run(
      `mutation ($id: ID!, $input: RotateWebhookSecretInput) {
         rotateWebhookSubscriptionSecret(subscriptionId: $id, input: $input) {
           credentialId status verificationRunId signingSecret } }`,
      { id, input },
      key,
    );

  it("is rotated with a grace period in which both secrets sign", async () => {
    const { subscriptionId, signingSecret } = await subscribe("/rotated");
    const rotation = await rotate(subscriptionId, { graceSeconds: 600 }, "once");
    expect(rotation).toMatchObject({ status: "Rotating", signingSecret: expect.stringMatching(/^whsec_/) });
    expect(await rotate(subscriptionId, { graceSeconds: 600 }, "once")).toEqual({ ...rotation, signingSecret: null });
    await eventually(async () => {
      const { status } = await run("query ($id: ID!) { credential(credentialId: $id) { status } }", {
        id: rotation.credentialId,
      });
      return status === "Active" ? true : undefined;
    });
    await fixture.bus.publish([anEvent(principal)]);
    const [webhook] = await eventually(() => (receiver.received.length > 0 ? receiver.received : undefined));
    for (const secret of [signingSecret, rotation.signingSecret])
      expect(verifyWebhook(webhook?.headers ?? {}, webhook?.body ?? "", [secret])).toMatchObject({ verified: true });
  });
});

describe("a resent message", () => {
  it("goes to the present endpoint with the same webhook-id, whether it was delivered or not", async () => {
    receiver.answer = (_, nth) => ({ status: nth <= 2 ? 500 : 204 });
    const { subscriptionId } = await subscribe("/again");
    const event = anEvent(principal);
    await fixture.bus.publish([event]);
    const { messageId } = await untilSettled(subscriptionId, "Exhausted", 2);
    expect(await resend(messageId)).toEqual({ messageId, subscriptionId, status: "Pending" });
    await untilSettled(subscriptionId, "Delivered", 3);
    await run(
      `mutation ($id: ID!, $i: UpdateWebhookSubscriptionInput!) {
         updateWebhookSubscription(subscriptionId: $id, input: $i) { version } }`,
      { id: subscriptionId, i: { endpointUrl: receiver.url("/moved") } },
    );
    receiver.answer = () => ({ status: 204 });
    await resend(messageId);
    await untilSettled(subscriptionId, "Delivered", 4);
    expect(receiver.at("/moved").map(({ headers }) => headers["webhook-id"])).toEqual([event.id]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  it("is refused while it is sent, without its event, at the limit, and when its subscription is not Active", async () => {
    const { subscriptionId } = await subscribe("/refused");
    await fixture.bus.publish([anEvent(principal)]);
    const { messageId } = await untilSettled(subscriptionId, "Delivered", 1);
    const change = (set: string) =>
      fixture.rows(`update integration.webhook_messages set ${set} where message_id = $1`, decodeId("msg", messageId));
    const refusedWith = async (currentState: string) =>
      expect(await resend(messageId)).toMatchObject({ refused: { code: "INVALID_STATE", currentState } });
    await change("attempts = 100");
    await refusedWith("Delivered");
    await change("attempts = 1, event_id = gen_random_uuid()");
    await refusedWith("Delivered");
    await change("status = 'Delivering', next_attempt_at = now() + interval '1 hour'");
    await refusedWith("Delivering");
    await change("status = 'Delivered', envelope = '{}'");
    const move = (field: string) =>
      run(`mutation ($id: ID!) { ${field}WebhookSubscription(subscriptionId: $id) { status } }`, {
        id: subscriptionId,
      });
    await move("pause");
    await refusedWith("Paused");
    await move("delete");
    await refusedWith("Deleted");
  });
});

describe("a message of a former type of its subscription", () => {
  it("is sent again only for a caller that may read its event", async () => {
    const { subscriptionId } = await subscribe("/former");
    await fixture.bus.publish([anEvent(principal)]);
    const { messageId } = await untilSettled(subscriptionId, "Delivered", 1);
    const whole = principal;
    const scopes = ["webhooks.subscriptions.write", "webhooks.subscriptions.read", "libraries.read"] as const;
    const narrow = aPrincipal({ tenantId: whole.tenantId ?? "", scopes });
    principal = narrow;
    expect(await resend(messageId)).toMatchObject({ status: "Pending" });
    await untilSettled(subscriptionId, "Delivered", 2);
    principal = whole;
    await run(
      `mutation ($id: ID!, $i: UpdateWebhookSubscriptionInput!) {
         updateWebhookSubscription(subscriptionId: $id, input: $i) { version } }`,
      { id: subscriptionId, i: { eventType: "LibraryRegistered" } },
    );
    principal = narrow;
    expect(await resend(messageId)).toMatchObject({
      refused: { code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] },
    });
    principal = whole;
    expect(await resend(messageId)).toMatchObject({ status: "Pending" });
  });
});

describe("an example of an event", () => {
  const sendExample = (id: string, eventType?: string, key?: string) =>
    run(
      `mutation ($id: ID!, $input: SendWebhookExampleInput) {
         sendWebhookExample(subscriptionId: $id, input: $input) { messageId subscriptionId status } }`,
      { id, ...(eventType !== undefined && { input: { eventType } }) },
      key,
    );
  const bodyOf = async (messageId: string) =>
    (await run("query ($id: ID!) { webhookMessage(messageId: $id) { body } }", { id: messageId })).body;

  it("is sent as a signed message of any type, and stands in the log of messages", async () => {
    const { subscriptionId, signingSecret } = await subscribe("/example");
    const example = await sendExample(subscriptionId, undefined, "once");
    expect(example).toEqual({ messageId: expect.stringMatching(/^msg_/), subscriptionId, status: "Pending" });
    expect(await sendExample(subscriptionId, undefined, "once")).toEqual(example);
    await untilSettled(subscriptionId, "Delivered", 1);
    const other = await sendExample(subscriptionId, "RunFailed");
    await eventually(() => (receiver.received.length === 2 ? true : undefined));
    for (const [place, type, { messageId }] of [
      [0, "TemplateRegistered", example],
      [1, "RunFailed", other],
    ] as const) {
      const { headers = {}, body = "" } = receiver.received[place] ?? {};
      expect(verifyWebhook(headers, body, [signingSecret])).toMatchObject({ verified: true });
      const event = JSON.parse(body);
      expect(event).toMatchObject({ type, test: true, sequence: "0", tenantid: principal.tenantId });
      expect(headers["webhook-id"]).toBe(event.id);
      expect(await bodyOf(messageId)).toEqual(event);
    }
    expect(await fixture.rows("select from integration.event_log where envelope -> 'test' is not null")).toEqual([]);
  });

  it("is refused for an unknown type, and for a subscription that is not Active", async () => {
    const { subscriptionId } = await subscribe("/refused-example");
    for (const unknown of ["TemplateInvented", "constructor"])
      expect(await sendExample(subscriptionId, unknown)).toMatchObject({
        refused: { code: "EVENT_TYPE_UNKNOWN", errors: [{ pointer: "/input/eventType" }] },
      });
    await run("mutation ($id: ID!) { pauseWebhookSubscription(subscriptionId: $id) { status } }", {
      id: subscriptionId,
    });
    expect(await sendExample(subscriptionId)).toMatchObject({
      refused: { code: "INVALID_STATE", currentState: "Paused" },
    });
    expect(receiver.received).toEqual([]);
  });
});

describe("the statistics of a webhook subscription", () => {
  const addAttempts = (id: string, count: number, more: { outcome?: string; status?: number; age?: string } = {}) =>
    fixture.rows(
      `with message as (
         insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
           status, attempts, finished_at)
         select tenant_id, gen_random_uuid(), subscription_id, gen_random_uuid(), event_type, 1, 'Aborted', 1, now()
         from integration.webhook_subscriptions where subscription_id = $1
         returning *)
       insert into integration.webhook_attempts (tenant_id, attempt_id, message_id, subscription_id, number, outcome,
         failure, status_code, started_at, duration_ms)
       select tenant_id, gen_random_uuid(), message_id, subscription_id, place, $3,
         case when $3 = 'Failed' then 'HttpStatus' end, $4, now() - $5::interval - place * interval '1 millisecond', place
       from message, generate_series(1, $2) place`,
      decodeId("whs", id),
      count,
      more.outcome ?? "Succeeded",
      more.status ?? 204,
      more.age ?? "1 minute",
    );

  it("count the attempts of the period", async () => {
    const { subscriptionId: id } = await subscribe("/statistics");
    expect(await statistics(id)).toEqual({
      ...{ complete: true, attempts: 0, succeeded: 0, failed: 0, failureRate: null, attemptsPerMinute: 0 },
      ...{ medianDurationMs: null, p95DurationMs: null, maxDurationMs: null, failures: [], lastSuccessAt: null },
      ...{ failingSince: null, waiting: 0, oldestWaitingAt: null },
    });
    await addAttempts(id, 100);
    await addAttempts(id, 20, { outcome: "Failed", status: 500 });
    await addAttempts(id, 5, { outcome: "Failed", status: 429 });
    await addAttempts(id, 50, { outcome: "Failed", status: 502, age: "30 hours" });
    const counts = await statistics(id, ", hours: 2");
    expect(counts).toMatchObject({
      ...{ complete: true, attempts: 125, succeeded: 100, failed: 25, failureRate: 0.2, maxDurationMs: 100 },
      failures: [
        { failure: "HttpStatus", statusCode: 500, count: 20 },
        { failure: "HttpStatus", statusCode: 429, count: 5 },
      ],
    });
    expect(counts.p95DurationMs).toBe(94);
    expect(counts.attemptsPerMinute).toBeCloseTo(125 / 120, 2);
    expect((await statistics(id, ", hours: 48")).failed).toBe(75);
  });

  it("read a bounded number of attempts", async () => {
    const { subscriptionId: id } = await subscribe("/many");
    await addAttempts(id, 20_500);
    const counts = await statistics(id);
    expect(counts).toMatchObject({ complete: false, attempts: 20_001, failed: 0 });
    expect(counts.attemptsPerMinute).toBeGreaterThan(1000);
  });

  it("are refused for other periods", async () => {
    const { subscriptionId: id } = await subscribe("/none");
    for (const hours of [0, 169])
      expect(await statistics(id, `, hours: ${hours}`)).toMatchObject({ refused: { code: "VALIDATION_FAILED" } });
  });
});
