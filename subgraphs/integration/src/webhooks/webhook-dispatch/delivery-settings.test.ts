import { webcrypto } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import pg from "pg";
import { generateEd25519Secret } from "../../ground/standard-webhooks/ed25519-key.js";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";
import { findOverdueMessages } from "./overdue-message-statement.js";
import { type ReceivedWebhook, type ReceiverAnswer, WebhookReceiver } from "./webhook-receiver.fixture.js";

let fixture: IntegrationFixture;
let receiver: WebhookReceiver;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ retryDelaysMs: [0, 200, 200, 200, 200] });
});

afterAll(() => fixture.close());

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});

afterEach(() => receiver.stop());

const create = /* GraphQL */ `
  mutation ($input: CreateWebhookSubscriptionInput!) {
    createWebhookSubscription(input: $input) { subscriptionId }
  }`;

const inputFor = (path: string, more: object) => ({
  eventType: "TemplateRegistered",
  endpointUrl: receiver.url(path),
  signingSecretRef: "hook",
  ...more,
});

async function subscribe(principal: Principal, path: string, more: object = {}): Promise<string> {
  const { data, errors } = await fixture.run(principal, create, { input: inputFor(path, more) });
  if (errors) throw errors[0];
  return data.createWebhookSubscription.subscriptionId;
}

const arrivals = (path: string, count: number) =>
  eventually(() => (receiver.at(path).length >= count ? receiver.at(path) : undefined));

const keyedEvent = (principal: Principal, key: string, place: number) =>
  anEvent(principal, { partitionKey: key, data: { key, place } });

const bodyOf = ({ body }: ReceivedWebhook) => JSON.parse(body) as Envelope<{ key: string; place: number }>;
const places = (key: string, webhooks: readonly ReceivedWebhook[]) =>
  webhooks.flatMap((webhook) => (bodyOf(webhook).data.key === key ? [bodyOf(webhook).data.place] : []));

const upTo = (count: number) => Array.from({ length: count }, (_, place) => place);

const states = async ({ tenantId = "" }: Principal) =>
  (
    await fixture.rows<{ status: string }>(
      "select status from integration.webhook_messages where tenant_id = $1 order by position",
      decodeId("ten", tenantId),
    )
  ).map(({ status }) => status);

/** How often this webhook's message was sent until now. */
const timesSent = ({ headers: { "webhook-id": id } }: ReceivedWebhook) =>
  receiver.received.filter(({ headers }) => headers["webhook-id"] === id).length;

/** A failure after which the message waits until `hurry` makes it due. */
const longPause: ReceiverAnswer = { status: 500, headers: { "retry-after": "3600" } };

/** Makes the messages due that have got `longPause`, once there are so many. */
async function hurry({ tenantId = "" }: Principal, count: number): Promise<void> {
  const pausing = "tenant_id = $1 and status = 'RetryScheduled' and next_attempt_at > now() + interval '30 minutes'";
  const tenant = decodeId("ten", tenantId);
  await eventually(async () => {
    const messages = await fixture.rows(`select from integration.webhook_messages where ${pausing}`, tenant);
    return messages.length === count ? true : undefined;
  });
  await fixture.rows(`update integration.webhook_messages set next_attempt_at = now() where ${pausing}`, tenant);
}

/** In these tests no claim ends by itself and the sweeper finds no message, so nothing else sends what is sent again. */
function withoutRescue(): void {
  beforeAll(async () => {
    await fixture.rows(`create function public.without_rescue() returns trigger language plpgsql as $$ begin
      new.created_at := now() + interval '1 day';
      if new.status = 'Delivering' then new.next_attempt_at := now() + interval '1 day'; end if;
      return new; end $$`);
    await fixture.rows(`create trigger without_rescue before insert or update on integration.webhook_messages
      for each row execute function public.without_rescue()`);
  });
  afterAll(() => fixture.rows("drop function public.without_rescue cascade"));
}

const allDelivered = (principal: Principal) =>
  eventually(async () => ((await states(principal)).every((status) => status === "Delivered") ? true : undefined));

describe("v1a signatures", () => {
  const publicKeys = "query ($id: ID!) { webhookPublicKeys(subscriptionId: $id) { keys { algorithm publicKey } } }";

  async function keysOf(principal: Principal, id: string): Promise<string[]> {
    const { data } = await fixture.run(principal, publicKeys, { id });
    return data.webhookPublicKeys.keys.map(({ publicKey }: { publicKey: string }) => publicKey);
  }

  /** A receiver that knows the specification and the published key, and no code from this repository. */
  async function verifies(webhook: ReceivedWebhook | undefined, publicKey: string | undefined): Promise<boolean[]> {
    const raw = Buffer.from((publicKey ?? "").replace(/^whpk_/, ""), "base64");
    const key = await webcrypto.subtle.importKey("raw", raw, { name: "Ed25519" }, false, ["verify"]);
    const {
      "webhook-id": id,
      "webhook-timestamp": time,
      "webhook-signature": signatureHeader,
    } = webhook?.headers ?? {};
    const content = Buffer.from(`${String(id)}.${String(time)}.${webhook?.body ?? ""}`);
    const signatures = String(signatureHeader).split(" ");
    expect(signatures.every((signature) => signature.startsWith("v1a,"))).toBe(true);
    return Promise.all(
      signatures.map((signature) =>
        webcrypto.subtle.verify("Ed25519", key, Buffer.from(signature.slice(4), "base64"), content),
      ),
    );
  }

  it("are verified with the public keys, of which there are two in the grace period", async () => {
    const principal = aPrincipal();
    const { data } = await fixture.run(
      principal,
      "mutation ($i: CreateCredentialInput!) { createCredential(input: $i) { credentialId } }",
      { i: { name: "hook", kind: "WebhookSigning", secret: { signingSecret: generateEd25519Secret() } } },
    );
    const subscription = await subscribe(principal, "/signed");
    const [older, ...others] = await keysOf(principal, subscription);
    expect(others).toEqual([]);
    await fixture.bus.publish([anEvent(principal)]);
    const [first] = await arrivals("/signed", 1);
    expect(await verifies(first, older)).toEqual([true]);
    const rotation = await fixture.run(
      principal,
      "mutation ($i: RotateCredentialInput!) { rotateCredential(input: $i) { signingSecret } }",
      { i: { credentialId: data.createCredential.credentialId } },
    );
    expect(rotation.data?.rotateCredential).toEqual({ signingSecret: null });
    const keys = await eventually(async () => {
      const now = await keysOf(principal, subscription);
      return now.length === 2 ? now : undefined;
    });
    expect(keys[1]).toBe(older);
    await fixture.bus.publish([anEvent(principal)]);
    const [, second] = await arrivals("/signed", 2);
    expect([await verifies(second, keys[0]), await verifies(second, keys[1])]).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it("a subscription with a symmetric secret has no public key", async () => {
    const principal = aPrincipal();
    const subscription = await subscribe(principal, "/symmetric");
    expect(await keysOf(principal, subscription)).toEqual([]);
  });
});

describe("the settings of a subscription", () => {
  it.each([
    ["an unknown operator", { filter: { type: { $like: "T" } } }, "/input/filter/type/$like", 422],
    ["a header of HTTP", { headers: { host: "a" } }, "/input/headers/host", 422],
    ["no webhook a second", { ratePerSecond: 0 }, "/input/ratePerSecond", 400],
    ["too many webhooks a second", { ratePerSecond: 1001 }, "/input/ratePerSecond", 400],
  ])("refuses %s", async (_, part, pointer, status) => {
    const { errors } = await fixture.run(aPrincipal(), create, { input: inputFor("/refused", part) });
    expect(errors?.[0]?.extensions).toMatchObject({ status, errors: [{ pointer }] });
  });

  it("are shown to readers", async () => {
    const principal = aPrincipal();
    const settings = { ratePerSecond: 5, ordering: "fifo", filter: { type: "TemplateRegistered" } };
    const id = await subscribe(principal, "/shown", { ...settings, headers: { "X-Team": "a" } });
    const settingsQuery =
      "query ($id: ID!) { webhookSubscription(subscriptionId: $id) { ratePerSecond ordering filter headers } }";
    const { data } = await fixture.run(principal, settingsQuery, { id });
    expect(data.webhookSubscription).toEqual({ ...settings, headers: { "x-team": "a" } });
  });

  it("sends only events that match the filter, with the headers of the subscription", async () => {
    const principal = aPrincipal();
    const filter = { data: { place: { $gte: 3 } } };
    await subscribe(principal, "/filtered", { filter, headers: { "X-Team": "a" } });
    await subscribe(principal, "/all");
    await fixture.bus.publish(upTo(5).map((place) => keyedEvent(principal, "a", place)));
    await arrivals("/all", 5);
    const webhooks = await arrivals("/filtered", 2);
    expect(new Set(places("a", webhooks))).toEqual(new Set([3, 4]));
    expect(webhooks.map(({ headers }) => headers["x-team"])).toEqual(["a", "a"]);
    expect(await states(principal)).toHaveLength(7);
  });
});

describe("a subscription with a project", () => {
  it("is sent no event of another project, and every event that names none", async () => {
    const principal = aPrincipal();
    await subscribe(principal, "/orders", { projectId: "orders" });
    await subscribe(principal, "/any");
    const projects = ["orders", "billing", null];
    const events = projects.map((projectId) => anEvent(principal, { projectId, data: { project: projectId } }));
    await fixture.bus.publish(events);
    await arrivals("/any", 3);
    const sentProjects = (await arrivals("/orders", 2)).map(({ body }) => JSON.parse(body).data.project);
    expect(new Set(sentProjects)).toEqual(new Set(["orders", null]));
    expect(await states(principal)).toHaveLength(5);
  });
});

describe("a subscription with the ordering fifo", () => {
  withoutRescue();

  it("sends the events of each partition key in their order, one after the other", async () => {
    const principal = aPrincipal();
    await subscribe(principal, "/ordered", { ordering: "fifo" });
    const keys = ["a", "b", "c", "d"];
    for (const part of [0, 10, 20])
      await fixture.bus.publish(
        upTo(10).flatMap((place) => keys.map((key) => keyedEvent(principal, key, part + place))),
      );
    const webhooks = await arrivals("/ordered", 120);
    for (const key of keys) expect(places(key, webhooks)).toEqual(upTo(30));
    expect(new Set(webhooks.map(({ headers }) => headers["webhook-id"])).size).toBe(120);
  });

  it("a failing event holds up its key only, until it succeeds or has no attempt left", async () => {
    const principal = aPrincipal();
    await subscribe(principal, "/blocked", { ordering: "fifo" });
    receiver.answer = (webhook) => {
      const { key, place } = bodyOf(webhook).data;
      if (key !== "bad" || place > 0) return { status: 204 };
      return timesSent(webhook) === 1 ? longPause : { status: 500 };
    };
    await fixture.bus.publish(
      upTo(4).flatMap((place) => ["bad", "good"].map((key) => keyedEvent(principal, key, place))),
    );
    const good = await eventually(() => {
      const goodPlaces = places("good", receiver.at("/blocked"));
      return goodPlaces.length === 4 ? goodPlaces : undefined;
    });
    expect(good).toEqual([0, 1, 2, 3]);
    await eventually(() => (places("bad", receiver.at("/blocked")).length > 0 ? true : undefined));
    expect(places("bad", receiver.at("/blocked"))).toEqual([0]);
    await hurry(principal, 1);
    const bad = await eventually(() => {
      const badPlaces = places("bad", receiver.at("/blocked"));
      return badPlaces.length === 8 ? badPlaces : undefined;
    });
    expect(bad).toEqual([0, 0, 0, 0, 0, 1, 2, 3]);
    await eventually(async () =>
      (await states(principal)).join() ===
      "Exhausted,Delivered,Delivered,Delivered,Delivered,Delivered,Delivered,Delivered"
        ? true
        : undefined,
    );
  });

  it("goes on after a process died between the end of a message and the release of the next one", async () => {
    const principal = aPrincipal();
    const { tenantId = "" } = principal;
    await subscribe(principal, "/died", { ordering: "fifo" });
    receiver.answer = () => undefined;
    await fixture.bus.publish([
      keyedEvent(principal, "a", 0),
      keyedEvent(principal, "a", 1),
      keyedEvent(principal, "a", 2),
    ]);
    await arrivals("/died", 1);
    await fixture.restart(async () => {
      receiver.answer = () => ({ status: 204 });
      await fixture.rows(
        `update integration.webhook_messages set status = 'Delivered', next_attempt_at = null, finished_at = now()
         where tenant_id = $1 and position = (select min(position) from integration.webhook_messages where tenant_id = $1)`,
        decodeId("ten", tenantId),
      );
    });
    await allDelivered(principal);
    expect(places("a", receiver.at("/died")).slice(-2)).toEqual([1, 2]);
  });

  it("goes on in another process when the one with an attempt under way stops", async () => {
    const principal = aPrincipal();
    await subscribe(principal, "/stopped", { ordering: "fifo" });
    receiver.answer = () => undefined;
    await fixture.bus.publish(upTo(3).map((place) => keyedEvent(principal, "a", place)));
    await arrivals("/stopped", 1);
    await eventually(async () => ((await states(principal)).length === 3 ? true : undefined));
    receiver.answer = () => ({ status: 204 });
    const other = await fixture.another();
    try {
      setTimeout(() => receiver.answerAll(204), 500);
      await fixture.restart(() => allDelivered(principal).then(() => undefined));
      expect(places("a", receiver.at("/stopped"))).toEqual([0, 1, 2]);
    } finally {
      await other.close();
    }
  });

  it("goes on in another process when one that stops stores its last events", async () => {
    const principal = aPrincipal();
    await subscribe(principal, "/last", { ordering: "fifo" });
    const holder = new pg.Client({ connectionString: fixture.connections.owner });
    await holder.connect();
    await holder.query("begin");
    await holder.query("lock table integration.webhook_messages in share mode");
    const waiting = () =>
      fixture.rows("select from pg_locks where not granted and relation = 'integration.webhook_messages'::regclass");
    await fixture.bus.publish([keyedEvent(principal, "a", 0)]);
    await eventually(async () => ((await waiting()).length > 0 ? true : undefined));
    const other = await fixture.another();
    try {
      setTimeout(() => void holder.query("commit"), 500);
      await fixture.restart(() => allDelivered(principal).then(() => undefined));
      expect(places("a", receiver.at("/last"))).toEqual([0]);
    } finally {
      await Promise.all([other.close(), holder.end()]);
    }
  });

  it("skips all that waits when the subscription is no longer Active", async () => {
    const principal = aPrincipal();
    const subscription = await subscribe(principal, "/left", { ordering: "fifo" });
    receiver.answer = () => longPause;
    await fixture.bus.publish(upTo(6).map((place) => keyedEvent(principal, place % 2 ? "a" : "b", place)));
    await arrivals("/left", 2);
    await fixture.rows(
      "update integration.webhook_subscriptions set status = 'Paused' where subscription_id = $1",
      decodeId("whs", subscription),
    );
    await hurry(principal, 2);
    await eventually(async () => ((await states(principal)).every((state) => state === "Skipped") ? true : undefined));
  });
});

describe("claimed messages that are not sent", () => {
  withoutRescue();

  const isOnce = async (principal: Principal, state: string) =>
    eventually(async () => ((await states(principal)).join() === state ? true : undefined));

  /** Makes a delivered message due again while no dispatcher runs, which then meets what `changes` have done. */
  async function againAfter(path: string, ...changes: string[]): Promise<Principal> {
    const principal = aPrincipal();
    await subscribe(principal, path);
    await fixture.bus.publish([anEvent(principal)]);
    await isOnce(principal, "Delivered");
    await fixture.restart(async () => {
      for (const change of changes) await fixture.rows(change);
      await fixture.rows(
        `update integration.webhook_messages set status = 'Pending', next_attempt_at = now(), finished_at = null
         where tenant_id = $1`,
        decodeId("ten", principal.tenantId ?? ""),
      );
    });
    return principal;
  }

  it("are sent soon after their subscription could not be read", async () => {
    const table = "select on integration.webhook_subscriptions";
    const principal = await againAfter("/unread", `revoke ${table} from suites_integration_app`);
    await isOnce(principal, "Delivering");
    await fixture.rows(`grant ${table} to suites_integration_app`);
    await isOnce(principal, "Delivered");
  });

  it("are sent soon when their subscription becomes Active while they are about to be skipped", async () => {
    // One read finds no Active subscription, and the next one does.
    const principal = await againAfter(
      "/resumed",
      "create sequence integration.reads",
      "grant usage on sequence integration.reads to suites_integration_app",
      `create policy hidden_once on integration.webhook_subscriptions as restrictive for select to suites_integration_app
         using (nextval('integration.reads') > 1)`,
    );
    await isOnce(principal, "Delivered");
    const [reads] = await fixture.rows<{ last_value: string }>("select last_value from integration.reads");
    expect(Number(reads?.last_value)).toBeGreaterThan(1);
    await fixture.rows("drop policy hidden_once on integration.webhook_subscriptions");
    await fixture.rows("drop sequence integration.reads");
  });
});

describe("a subscription with a rate", () => {
  const overdue = async () => {
    const worker = new pg.Client({ connectionString: fixture.connections.worker });
    await worker.connect();
    try {
      return (await worker.query(findOverdueMessages)).rowCount;
    } finally {
      await worker.end();
    }
  };

  it("gets no more webhooks a second, and holds up no other one at its origin", async () => {
    const principal = aPrincipal();
    await subscribe(principal, "/slow", { ratePerSecond: 1 });
    await subscribe(principal, "/fast");
    const startedAt = Date.now();
    await fixture.bus.publish(upTo(40).map((place) => keyedEvent(principal, "a", place)));
    await arrivals("/fast", 40);
    expect(receiver.at("/slow").length).toBeLessThan(40);
    await fixture.rows("update integration.webhook_messages set created_at = now() - interval '1 hour'");
    expect(await overdue()).toBe(0);
    const [, , third] = await arrivals("/slow", 3);
    // the last two wait for a second each
    expect((third?.at ?? 0) - startedAt).toBeGreaterThan(2 * 1000 - 10);
  });

  it("goes on after it was paused while messages waited for their turns", async () => {
    const principal = aPrincipal();
    const subscription = await subscribe(principal, "/resumed", { ratePerSecond: 20 });
    const become = (status: string) =>
      fixture.rows(
        "update integration.webhook_subscriptions set status = $2 where subscription_id = $1",
        decodeId("whs", subscription),
        status,
      );
    await fixture.bus.publish(upTo(40).map((place) => keyedEvent(principal, "a", place)));
    await arrivals("/resumed", 3);
    await become("Paused");
    await eventually(async () =>
      (await states(principal)).every((state) => ["Delivered", "Skipped"].includes(state)) ? true : undefined,
    );
    await become("Active");
    const fresh = keyedEvent(principal, "b", 0);
    await fixture.bus.publish([fresh]);
    await eventually(() =>
      receiver.at("/resumed").some((webhook) => bodyOf(webhook).id === fresh.id) ? true : undefined,
    );
  });

  it("keeps the rate with several processes, and the order of fifo", async () => {
    const principal = aPrincipal();
    await subscribe(principal, "/both", { ratePerSecond: 20, ordering: "fifo" });
    const second = await fixture.another();
    try {
      const startedAt = Date.now();
      await fixture.bus.publish(upTo(30).map((place) => keyedEvent(principal, place % 3 ? "a" : "b", place)));
      const webhooks = await arrivals("/both", 30);
      // two may come at once, and 28 wait for 50 ms each
      expect((webhooks[29]?.at ?? 0) - startedAt).toBeGreaterThan(28 * 50 - 10);
      for (const key of ["a", "b"])
        expect(places(key, webhooks)).toEqual([...places(key, webhooks)].sort((a, b) => a - b));
    } finally {
      await second.close();
    }
  });
});

describe("a receiver that fails", () => {
  const eventsOf = async ({ tenantId = "" }: Principal) =>
    fixture.rows<{ type: string; data: Record<string, unknown> }>(
      `select envelope->>'type' as type, envelope->'data' as data from integration.event_log
       where tenant_id = $1 and envelope->>'type' like 'WebhookDelivery%' order by sequence`,
      decodeId("ten", tenantId),
    );

  const noticesOf = (principal: Principal, count: number) =>
    eventually(async () => {
      const events = await eventsOf(principal);
      return events.length >= count ? events : undefined;
    });

  it("causes one warning at the fourth failed attempt, and a notice when it has recovered", async () => {
    const principal = aPrincipal();
    const subscriptionId = await subscribe(principal, "/failing");
    receiver.answer = (webhook) => {
      const times = timesSent(webhook);
      if (times > 4) return { status: 204 };
      return times === 4 ? longPause : { status: 500 };
    };
    await fixture.bus.publish([anEvent(principal), anEvent(principal)]);
    const [failing] = await noticesOf(principal, 1);
    await hurry(principal, 2);
    expect(failing).toMatchObject({
      type: "WebhookDeliveryFailing",
      data: { subscriptionId, attempts: 4, failure: "HttpStatus", statusCode: 500 },
    });
    const events = await noticesOf(principal, 2);
    expect(events.map(({ type }) => type)).toEqual(["WebhookDeliveryFailing", "WebhookDeliveryRecovered"]);
    expect(events[1]?.data).toMatchObject({ subscriptionId, failingSince: failing?.data["failingSince"] });
    receiver.answer = () => ({ status: 204 });
    await fixture.bus.publish([anEvent(principal)]);
    await eventually(async () =>
      (await states(principal)).join() === "Delivered,Delivered,Delivered" ? true : undefined,
    );
    expect(await eventsOf(principal)).toHaveLength(2);
  });

  it("causes an event for each exhausted message, and is not recovered before a success", async () => {
    const principal = aPrincipal();
    await subscribe(principal, "/exhausted");
    receiver.answer = () => ({ status: 500 });
    await fixture.bus.publish([anEvent(principal)]);
    await noticesOf(principal, 2);
    await fixture.bus.publish([anEvent(principal)]);
    await noticesOf(principal, 3);
    receiver.answer = () => ({ status: 204 });
    await fixture.bus.publish([anEvent(principal)]);
    const types = (await noticesOf(principal, 4)).map(({ type }) => type.replace("WebhookDelivery", ""));
    expect(types).toEqual(["Failing", "Exhausted", "Exhausted", "Recovered"]);
  });

  it("causes no event about short failures, and one about a message that it refuses for good", async () => {
    const principal = aPrincipal();
    await subscribe(principal, "/short");
    receiver.answer = (_, nth) => ({ status: nth <= 2 ? 500 : 204 });
    await fixture.bus.publish([anEvent(principal)]);
    await arrivals("/short", 3);
    receiver.answer = () => ({ status: 400, headers: { "webhook-delivery": "abort-message" } });
    await fixture.bus.publish([anEvent(principal)]);
    await noticesOf(principal, 1);
    expect((await eventsOf(principal)).map(({ type }) => type)).toEqual(["WebhookDeliveryAborted"]);
  });
});

describe("a subscription with a handshake", () => {
  const handshakeQuery =
    "query ($id: ID!) { webhookSubscription(subscriptionId: $id) { handshake { status attempts nextAttemptAt detail allowedPerMinute } } }";
  const handshakeOf = async (principal: Principal, id: string) =>
    (await fixture.run(principal, handshakeQuery, { id })).data.webhookSubscription.handshake;

  const questionsAt = (path: string, count: number) =>
    eventually(() => {
      const questions = receiver.at(path).filter(({ method }) => method === "OPTIONS");
      return questions.length >= count ? questions : undefined;
    });

  /** Lets the time come for the next question, which its job waits for. */
  const askNow = async (id: string, nextAttemptAt: string) => {
    await fixture.rows(
      "update integration.webhook_subscriptions set handshake_next_at = now() where subscription_id = $1",
      decodeId("whs", id),
    );
    const hurriedJobs = await fixture.rows(
      `with waiting as (select id, start_after from integration_jobs.job
         where name = 'webhook-handshake' and singleton_key = $1 and state = 'created')
       update integration_jobs.job job set start_after = now() from waiting where job.id = waiting.id
       returning abs(extract(epoch from waiting.start_after - $2::timestamptz)) < 1 as on_time`,
      id,
      nextAttemptAt,
    );
    expect(hurriedJobs).toEqual([{ on_time: true }]);
  };

  it("gets nothing before its receiver agrees, is asked again, and keeps the rate of the receiver", async () => {
    const principal = aPrincipal();
    let agrees = false;
    receiver.answer = ({ method }) => {
      if (method !== "OPTIONS") return { status: 204 };
      if (!agrees) return { status: 405 };
      return { status: 200, headers: { "WebHook-Allowed-Origin": "127.0.0.1", "WebHook-Allowed-Rate": "600" } };
    };
    const id = await subscribe(principal, "/asked", { handshake: true, ratePerSecond: 100 });
    const [question] = await questionsAt("/asked", 1);
    expect(question?.headers).toMatchObject({ "webhook-request-origin": "127.0.0.1", "webhook-request-rate": "6000" });
    await fixture.bus.publish(upTo(15).map((place) => keyedEvent(principal, "a", place)));
    const pending = await eventually(async () => {
      const handshake = await handshakeOf(principal, id);
      return handshake.attempts > 0 ? handshake : undefined;
    });
    expect(pending).toMatchObject({
      status: "Pending",
      detail: expect.stringContaining("405"),
      allowedPerMinute: null,
    });
    expect(new Date(pending.nextAttemptAt).getTime()).toBeGreaterThan(Date.now());
    expect(receiver.at("/asked").every(({ method }) => method === "OPTIONS")).toBe(true);
    expect((await states(principal)).every((state) => ["Pending", "Delivering"].includes(state))).toBe(true);
    const startedAt = Date.now();
    agrees = true;
    await askNow(id, pending.nextAttemptAt);
    await questionsAt("/asked", 2);
    const webhooks = await eventually(() => {
      const posts = receiver.at("/asked").filter(({ method }) => method === "POST");
      return posts.length === 15 ? posts : undefined;
    });
    expect(await handshakeOf(principal, id)).toMatchObject({
      status: "Succeeded",
      allowedPerMinute: 600,
      detail: null,
    });
    // all but the first one wait for 100 ms each
    expect((webhooks[14]?.at ?? 0) - startedAt).toBeGreaterThan(14 * 100 - 10);
    // Another endpoint has to agree before it gets anything.
    await fixture.rows(
      "update integration.webhook_subscriptions set endpoint_url = $1 where subscription_id = $2",
      receiver.url("/moved"),
      decodeId("whs", id),
    );
    await fixture.bus.publish([keyedEvent(principal, "a", 15)]);
    await eventually(async () => ((await states(principal)).length === 16 ? true : undefined));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(receiver.at("/moved")).toEqual([]);
    expect((await states(principal)).filter((state) => state === "Delivered")).toHaveLength(15);
  });

  it("is refused in the direction Inbound, and null without a handshake", async () => {
    const principal = aPrincipal();
    expect(await handshakeOf(principal, await subscribe(principal, "/plain"))).toBeNull();
    const inbound = { direction: "Inbound", providerId: "prv_00000000000000000000000000", handshake: true };
    const { errors } = await fixture.run(principal, create, { input: { signingSecretRef: "hook", ...inbound } });
    expect(errors?.[0]?.extensions).toMatchObject({ status: 422, errors: [{ pointer: "/input/handshake" }] });
  });
});
