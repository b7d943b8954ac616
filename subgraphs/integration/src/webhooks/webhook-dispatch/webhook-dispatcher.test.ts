import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";
import type { WebhookLane } from "../webhook-messages/webhook-lane.js";
import { findOverdueMessages } from "./overdue-message-statement.js";
import { OverdueMessages } from "./overdue-messages.js";
import { WebhookReceiver } from "./webhook-receiver.fixture.js";

let fixture: IntegrationFixture;
let healthy: WebhookReceiver;
let hanging: WebhookReceiver[];

const patienceMs = 180_000;

beforeEach(async () => {
  fixture = await startIntegrationFixture();
  healthy = await WebhookReceiver.start();
  hanging = await Promise.all([WebhookReceiver.start(), WebhookReceiver.start()]);
  for (const receiver of hanging) receiver.answer = () => undefined;
});

afterEach(async () => {
  await Promise.all([healthy, ...hanging].map((receiver) => receiver.stop()));
  await fixture.close();
});

const create = /* GraphQL */ `
  mutation ($input: CreateWebhookSubscriptionInput!) {
    createWebhookSubscription(input: $input) { subscriptionId }
  }`;

async function subscribe(principal: Principal, endpointUrl: string, more: object = {}): Promise<string> {
  const input = { eventType: "TemplateRegistered", endpointUrl, signingSecretRef: "hook", ...more };
  const { data, errors } = await fixture.run(principal, create, { input });
  if (errors) throw errors[0];
  return data.createWebhookSubscription.subscriptionId;
}

const publish = (principal: Principal, count: number) =>
  fixture.bus.publish(Array.from({ length: count }, () => anEvent(principal)));

const uuidOf = ({ tenantId = "" }: Principal) => decodeId("ten", tenantId);

interface MessageRow {
  status: string;
  attempts: number;
  claims: number;
  due_in_s: number;
}

const messagesOf = (principal: Principal) =>
  fixture.rows<MessageRow>(
    `select status, attempts, claims, extract(epoch from next_attempt_at - now())::float8 as due_in_s
     from integration.webhook_messages where tenant_id = $1 order by position`,
    uuidOf(principal),
  );

const arrivals = (receiver: WebhookReceiver, path: string, count: number) =>
  eventually(() => (receiver.at(path).length >= count ? receiver.at(path) : undefined), patienceMs);

const stuck = (receiver: WebhookReceiver, count: number) =>
  eventually(() => (receiver.waiting >= count ? receiver.waiting : undefined), patienceMs);

/** As the sweeper, which is a worker, counts them. */
async function lying(): Promise<number> {
  const worker = new pg.Client({ connectionString: fixture.connections.worker });
  await worker.connect();
  try {
    const { rowCount } = await worker.query(findOverdueMessages);
    return rowCount ?? 0;
  } finally {
    await worker.end();
  }
}

/** Lets the receivers answer one event for each tenant, and hang then: a new path gets a few places only. */
async function hangAfterAnswer(principals: readonly Principal[], ...receivers: readonly WebhookReceiver[]) {
  const before = receivers.map(({ received }) => received.length);
  for (const receiver of receivers) receiver.answer = () => ({ status: 204 });
  for (const principal of principals) await publish(principal, 1);
  await eventually(async () => {
    const states = (await Promise.all(principals.map((principal) => messagesOf(principal)))).flat();
    return states.length > 0 && states.every(({ status }) => status === "Delivered") ? true : undefined;
  }, patienceMs);
  expect(receivers.every(({ received }, at) => received.length > (before[at] ?? 0))).toBe(true);
  for (const receiver of receivers) receiver.answer = () => undefined;
}

describe("a path that hangs and the others of its host", () => {
  const half = 8;
  const goodPath = async (principal: Principal) => {
    await publish(principal, 100);
    return arrivals(healthy, "/ok", 100);
  };
  const answerAtOk = ({ path }: { path: string }) => (path === "/ok" ? { status: 204 } : undefined);

  it.each([1, 5])("%i paths leave places to the good path", async (paths) => {
    const principal = aPrincipal();
    healthy.answer = answerAtOk;
    for (let path = 1; path <= paths; path += 1) await subscribe(principal, healthy.url(`/never/${path}`));
    await subscribe(principal, healthy.url("/ok"));
    await goodPath(principal);
    expect(healthy.maxWaiting).toBeLessThanOrEqual(half);
  });

  it("a path that has places already leaves some to one that comes after it", async () => {
    const principal = aPrincipal();
    healthy.answer = answerAtOk;
    await subscribe(principal, healthy.url("/never"));
    await publish(principal, 40);
    await stuck(healthy, 4);
    await subscribe(principal, healthy.url("/ok"));
    await goodPath(principal);
    expect(healthy.maxWaiting).toBeLessThanOrEqual(half);
  });

  it("paths that have answered and hang then leave places to the good path", async () => {
    const principal = aPrincipal();
    for (let path = 1; path <= 5; path += 1) await subscribe(principal, healthy.url(`/later/${path}`));
    await subscribe(principal, healthy.url("/ok"));
    await hangAfterAnswer([principal], healthy);
    healthy.answer = answerAtOk;
    await publish(principal, 100);
    await arrivals(healthy, "/ok", 101);
    // the last quarter is for paths with few places
    expect(healthy.maxWaiting).toBeLessThanOrEqual(15);
  });
});

describe("the webhook dispatcher", () => {
  it("two tenants' hanging receivers stop nobody else", async () => {
    const [first, second, third] = [aPrincipal(), aPrincipal(), aPrincipal()];
    await Promise.all([subscribe(first, hanging[0]?.url("/") ?? ""), subscribe(second, hanging[1]?.url("/") ?? "")]);
    await subscribe(third, healthy.url("/ok"));
    await hangAfterAnswer([first, second], ...hanging);
    await Promise.all([publish(first, 40), publish(second, 40)]);
    for (const receiver of hanging) await stuck(receiver, 16);
    await publish(third, 30);
    await arrivals(healthy, "/ok", 30);
    expect(hanging.map(({ maxWaiting }) => maxWaiting)).toEqual([16, 16]);
  });

  it("ten tenants with 100 events each to two hanging origins leave a healthy tenant's delivery alone", async () => {
    const crowd = Array.from({ length: 10 }, () => aPrincipal());
    const calm = aPrincipal();
    await subscribe(calm, healthy.url("/ok"));
    for (const principal of crowd)
      await Promise.all(hanging.map((receiver) => subscribe(principal, receiver.url("/never"))));
    await hangAfterAnswer(crowd, ...hanging);
    await Promise.all(crowd.map((principal) => publish(principal, 100)));
    // six tenants may hold 32 places; the last 64 are for those that hold fewer than four
    await eventually(
      () => (hanging.reduce((sum, { waiting }) => sum + waiting, 0) >= 128 ? true : undefined),
      patienceMs,
    );
    await publish(calm, 50);
    await arrivals(healthy, "/ok", 50);
    expect(hanging.reduce((sum, { maxWaiting }) => sum + maxWaiting, 0)).toBeLessThanOrEqual(6 * 32 + 4 * 4);
  });

  it("one tenant's hanging receiver on a host leaves another tenant's receiver on the same host alone", async () => {
    const [first, other] = [aPrincipal(), aPrincipal()];
    await subscribe(first, healthy.url("/never"));
    await subscribe(other, healthy.url("/ok"));
    await hangAfterAnswer([first], healthy);
    healthy.answer = ({ path }) => (path === "/never" ? undefined : { status: 204 });
    await publish(first, 40);
    await stuck(healthy, 16);
    await publish(other, 40);
    await arrivals(healthy, "/ok", 40);
    expect(healthy.maxWaiting).toBe(16);
  });

  it("a hanging receiver leaves the tenant's other receivers alone", async () => {
    const principal = aPrincipal();
    const [receiver] = hanging as [WebhookReceiver];
    await subscribe(principal, receiver.url("/never"));
    await subscribe(principal, healthy.url("/ok"));
    await hangAfterAnswer([principal], receiver);
    await publish(principal, 60);
    await arrivals(healthy, "/ok", 60);
    await stuck(receiver, 16);
    expect(receiver.maxWaiting).toBe(16);
  });

  it("a claim whose process died is delivered again with the same webhook-id, and only one outcome counts", async () => {
    const [receiver] = hanging as [WebhookReceiver];
    const principal = aPrincipal();
    await subscribe(principal, receiver.url("/slow"));
    await publish(principal, 1);
    await stuck(receiver, 1);
    // as if the process that holds the claim had been dead for its whole lease
    await fixture.rows(
      "update integration.webhook_messages set next_attempt_at = now() where status = 'Delivering' and tenant_id = $1",
      uuidOf(principal),
    );
    const [first, second] = await arrivals(receiver, "/slow", 2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    receiver.answerAll(204);
    await eventually(async () => {
      const [message] = await messagesOf(principal);
      return message?.status === "Delivered" ? message : undefined;
    });
    expect(await messagesOf(principal)).toMatchObject([{ attempts: 1, claims: 2, due_in_s: null }]);
    const attempts = await fixture.rows(
      "select 1 from integration.webhook_attempts where tenant_id = $1",
      uuidOf(principal),
    );
    expect(attempts).toHaveLength(1);
  });

  it("a stop ends attempts that hang without counting them, and the next start makes them at once", async () => {
    const [receiver] = hanging as [WebhookReceiver];
    const principal = aPrincipal();
    await subscribe(principal, receiver.url("/slow"));
    await publish(principal, 20);
    await stuck(receiver, 4);
    let stoppedMessages: MessageRow[] = [];
    await fixture.restart(async () => {
      stoppedMessages = await messagesOf(principal);
      await eventually(() => (receiver.waiting === 0 ? true : undefined));
      receiver.answer = () => ({ status: 204 });
    });
    expect(stoppedMessages.map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(Array(20).fill("Pending 0"));
    expect(Math.max(...stoppedMessages.map(({ due_in_s }) => due_in_s))).toBeLessThanOrEqual(0);
    await eventually(async () => {
      const messages = await messagesOf(principal);
      return messages.every(({ status }) => status === "Delivered") ? messages : undefined;
    }, patienceMs);
    expect(new Set(receiver.at("/slow").map(({ headers }) => headers["webhook-id"])).size).toBe(20);
  });

  it("finds after a start what was due before it, without being woken", async () => {
    const principal = aPrincipal();
    await subscribe(principal, healthy.url("/later"));
    healthy.answer = () => ({ status: 500 });
    await publish(principal, 3);
    await eventually(async () => {
      const messages = await messagesOf(principal);
      return messages.length === 3 && messages.every(({ status }) => status === "RetryScheduled") ? true : undefined;
    });
    healthy.answer = () => ({ status: 204 });
    await fixture.restart(async () => {
      await fixture.rows("update integration.webhook_messages set next_attempt_at = now() - interval '1 hour'");
      expect(await lying()).toBe(3);
    });
    await eventually(async () =>
      (await messagesOf(principal)).every(({ status }) => status === "Delivered") ? true : undefined,
    );
    expect(await lying()).toBe(0);
  });

  it("sends a message that has lost its due time, as soon as the sweeper has found it, while others are sent", async () => {
    const principal = aPrincipal();
    const [receiver] = hanging as [WebhookReceiver];
    healthy.answer = () => ({ status: 500 });
    await subscribe(principal, healthy.url("/lost"));
    await subscribe(principal, receiver.url("/never"));
    await publish(principal, 1);
    const ours = "tenant_id = $1 and origin = $2";
    const values = [uuidOf(principal), new URL(healthy.url("/")).origin];
    const states = async () => {
      const text = `select status from integration.webhook_messages where ${ours}`;
      return (await fixture.rows<{ status: string }>(text, ...values)).map(({ status }) => status).join();
    };
    await eventually(async () => ((await states()) === "RetryScheduled" ? true : undefined));
    await stuck(receiver, 1);
    healthy.answer = () => ({ status: 204 });
    await fixture.rows(
      `update integration.webhook_messages set next_attempt_at = null, created_at = now() - interval '1 hour' where ${ours}`,
      ...values,
    );
    const workers = new pg.Pool({ connectionString: fixture.connections.worker, max: 1 });
    const woken: WebhookLane[] = [];
    const messages = new OverdueMessages(workers, { wake: (lanes) => woken.push(...lanes) });
    const [overdueMessage, ...others] = await messages.find();
    expect(others).toEqual([]);
    expect(await fixture.integration.jobs.lying()).toMatchObject({ webhookMessages: 1 });
    expect(overdueMessage && (await messages.repair(overdueMessage))).toBe(true);
    expect(woken).toEqual([overdueMessage?.lane]);
    expect(await messages.find()).toEqual([]);
    await workers.end();
    await eventually(async () => ((await states()) === "Delivered" ? true : undefined));
  });

  it("ends at once what waits for a subscription that was disabled, however much that is", async () => {
    const principal = aPrincipal();
    const subscription = decodeId("whs", await subscribe(principal, healthy.url("/gone")));
    const other = await subscribe(principal, healthy.url("/other"));
    await fixture.rows(
      "update integration.webhook_subscriptions set status = 'Disabled' where subscription_id = $1",
      subscription,
    );
    await fixture.rows(
      `insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
         origin, status, attempts, next_attempt_at)
       select $1, gen_random_uuid(), $2, gen_random_uuid(), 'TemplateRegistered', place, $3, 'Pending', 0, now()
       from generate_series(1, 2500) place`,
      uuidOf(principal),
      subscription,
      new URL(healthy.url("/")).origin,
    );
    await eventually(async () => {
      const messages = await messagesOf(principal);
      return messages.every(({ status }) => status === "Skipped") ? true : undefined;
    }, patienceMs);
    expect(healthy.received).toEqual([]);
    expect(other).toMatch(/^whs_/);
  });
});
