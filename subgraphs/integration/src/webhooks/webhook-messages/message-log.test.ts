import type { Principal } from "@factory/runtime/auth/principal";
import type { Scope } from "@factory/schema/scopes";
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
  fixture = await startIntegrationFixture({ retryDelaysMs: [0, 20, 40] });
  receiver = await WebhookReceiver.start();
});

beforeEach(() => {
  principal = aPrincipal();
});

afterAll(async () => {
  await receiver.stop();
  await fixture.close();
});

// oxlint-disable-next-line typescript/no-explicit-any
type Found = any;

async function run(source: string, variables: Record<string, unknown> = {}, as = principal): Promise<Found> {
  const { data, errors } = await fixture.run(as, source, variables);
  const [error] = errors ?? [];
  return error ? { refused: error.extensions } : Object.values(data)[0];
}

async function subscribe(path: string): Promise<string> {
  const { subscriptionId } = await run(
    "mutation ($i: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $i) { subscriptionId } }",
    { i: { eventType: "TemplateRegistered", endpointUrl: receiver.url(path), signingSecretRef: "hook" } },
  );
  return subscriptionId;
}

const attemptFields = `messageId number outcome failure statusCode requestUrl requestHeaders responseHeaders responseBody`;
const messages = (id: string, more = "", as = principal) =>
  run(
    `query ($id: ID!) { webhookMessages(subscriptionId: $id ${more}) {
    items { messageId subscriptionId eventId status attemptCount } nextCursor } }`,
    { id },
    as,
  );
const attempts = (id: string, more = "") =>
  run(`query ($id: ID!) { webhookAttempts(subscriptionId: $id ${more}) { items { ${attemptFields} } nextCursor } }`, {
    id,
  });

const untilEnded = (id: string, count: number) =>
  eventually(async () => {
    const { items } = await messages(id);
    const endedMessages = items.filter(({ status }: Found) => status === "Delivered" || status === "Exhausted");
    return endedMessages.length === count ? items : undefined;
  });

describe("the log of webhooks", () => {
  it("shows each attempt with its request and its response, without secrets", async () => {
    receiver.answer = (_, nth) =>
      nth === 1
        ? { status: 503, headers: { "set-cookie": "canary", "x-request-id": "r-1" }, body: "try later" }
        : { status: 200, body: "ok" };
    const id = await subscribe("/log");
    const event = anEvent(principal);
    await fixture.bus.publish([event]);
    const [{ messageId }] = await untilEnded(id, 1);
    const { items } = await attempts(id);
    expect(items).toEqual([
      expect.objectContaining({ messageId, number: 2, outcome: "Succeeded", statusCode: 200, responseBody: "ok" }),
      {
        ...{ messageId, number: 1, outcome: "Failed", failure: "HttpStatus", statusCode: 503 },
        requestUrl: receiver.url("/log"),
        requestHeaders: expect.objectContaining({
          "webhook-id": event.id,
          "webhook-signature": "[redacted]",
          "content-type": "application/json; charset=utf-8",
        }),
        responseHeaders: expect.objectContaining({ "set-cookie": "[redacted]", "x-request-id": "r-1" }),
        responseBody: "try later",
      },
    ]);
    expect(JSON.stringify(items)).not.toContain("canary");
    expect(items[1].requestHeaders["webhook-timestamp"]).toBe(receiver.at("/log")[0]?.headers["webhook-timestamp"]);
    const ofMessage = await run(
      `query ($id: ID!) { webhookMessageAttempts(messageId: $id) { items { ${attemptFields} } nextCursor } }`,
      { id: messageId },
    );
    expect(ofMessage).toEqual({ items, nextCursor: null });
    const messageQuery = `query ($id: ID!) { webhookMessage(messageId: $id) { status body attempts { number } } }`;
    expect(await run(messageQuery, { id: messageId })).toEqual({
      status: "Delivered",
      body: JSON.parse(receiver.at("/log")[0]?.body ?? ""),
      attempts: [{ number: 1 }, { number: 2 }],
    });
    const scopes: Scope[] = ["webhooks.subscriptions.read"];
    const narrow = aPrincipal({ tenantId: principal.tenantId ?? "", scopes });
    expect(await run(messageQuery, { id: messageId }, narrow)).toMatchObject({ status: "Delivered", body: null });
    const stranger = aPrincipal();
    expect(await run(messageQuery, { id: messageId }, stranger)).toMatchObject({
      refused: { code: "WEBHOOK_MESSAGE_NOT_FOUND" },
    });
    expect(await messages(id, "", stranger)).toMatchObject({ refused: { code: "WEBHOOK_SUBSCRIPTION_NOT_FOUND" } });
  });

  it("has pages and filters, the newest first", async () => {
    receiver.answer = ({ body }) => ({ status: JSON.parse(body).data.fails ? 500 : 204 });
    const id = await subscribe("/pages");
    const events = Array.from({ length: 5 }, (_, place) =>
      anEvent(principal, { data: { templateId: "tpl_1", fails: place % 2 === 1 } }),
    );
    for (const event of events) await fixture.bus.publish([event]);
    const all = await untilEnded(id, 5);
    expect(all.map(({ eventId }: Found) => eventId)).toEqual(events.map((event) => event.id).reverse());
    const first = await messages(id, "first: 3");
    const second = await messages(id, `first: 3, after: "${first.nextCursor}"`);
    expect([...first.items, ...second.items]).toEqual(all);
    expect(second.nextCursor).toBeNull();
    const idsOf = async (status: string) =>
      (await messages(id, `filter: { status: ${status} }`)).items.map(({ eventId }: Found) => eventId);
    expect(await idsOf("Exhausted")).toEqual([events[3]?.id, events[1]?.id]);
    expect(await idsOf("Delivered")).toHaveLength(3);
    expect(await idsOf("Pending")).toEqual([]);
    const counts = async (more: string) => (await attempts(id, more)).items.length;
    expect([await counts("filter: { outcome: Failed }"), await counts("")]).toEqual([6, 9]);
    const page = await attempts(id, "first: 4, filter: { outcome: Failed }");
    expect(await counts(`first: 4, after: "${page.nextCursor}", filter: { outcome: Failed }`)).toBe(2);
    expect(await attempts(id, `first: 4, after: "${page.nextCursor}"`)).toMatchObject({
      refused: { code: "INVALID_CURSOR" },
    });
  });
});
