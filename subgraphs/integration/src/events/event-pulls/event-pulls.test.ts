import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { NewEvent } from "@factory/runtime/messages/envelope";
import type { Scope } from "@factory/schema/scopes";
import type pg from "pg";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";

let fixture: IntegrationFixture;
let admin: pg.Pool;
let principal: Principal;

beforeAll(async () => {
  fixture = await startIntegrationFixture();
  admin = fixture.admin;
});

beforeEach(() => {
  principal = aPrincipal();
});

afterAll(() => fixture.close());

// oxlint-disable-next-line typescript/no-explicit-any
type Found = any;

async function run(source: string, variables: Record<string, unknown> = {}, as = principal): Promise<Found> {
  const { data, errors } = await fixture.run(as, source, variables);
  const [error] = errors ?? [];
  return error ? { refused: error.extensions } : Object.values(data)[0];
}

async function aSubscription(more: Record<string, unknown> = {}): Promise<string> {
  const input = {
    ...{ eventType: "TemplateRegistered", endpointUrl: "http://127.0.0.1:9/hooks", signingSecretRef: "hooks" },
    ...{ active: false, ...more },
  };
  const { subscriptionId } = await run(
    "mutation ($i: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $i) { subscriptionId } }",
    { i: input },
  );
  await untilLogged("subject", [`webhook-subscriptions/${subscriptionId}`]);
  return subscriptionId;
}

const pull = (id: string, after?: string, first?: number, as = principal) =>
  run(
    `query ($id: ID!, $after: String, $first: Int) {
       webhookSubscriptionEvents(subscriptionId: $id, after: $after, first: $first) { items nextCursor hasMore } }`,
    { id, after, first },
    as,
  );

/** Waits until the log has an event for each value that an attribute takes. */
const untilLogged = (attribute: "id" | "subject", values: readonly string[]) =>
  eventually(async () => {
    const rows = await fixture.rows(
      "select from integration.event_log where tenant_id = $1 and envelope->>$2 = any($3)",
      ...[decodeId("ten", principal.tenantId ?? ""), attribute, values],
    );
    return rows.length === values.length ? true : undefined;
  });

/** Publishes the tenant's events, and waits until the log has them. */
async function publish(...events: Partial<NewEvent>[]): Promise<string[]> {
  const envelopes = events.map((event) => anEvent(principal, event));
  const ids = envelopes.map(({ id }) => id);
  await fixture.bus.publish(envelopes);
  await untilLogged("id", ids);
  return ids;
}

const template = (name: string): Partial<NewEvent> => ({ data: { name } });
const library: Partial<NewEvent> = { type: "LibraryRegistered", subject: "libraries/lib_1", data: {} };
const idsOf = ({ items }: Found) => items.map(({ id }: Found) => id);

describe("the pull mode of a webhook subscription", () => {
  it("gives the events of its type in order, page by page, also after a restart", async () => {
    const id = await aSubscription();
    expect(await pull(id)).toEqual({ items: [], nextCursor: expect.any(String), hasMore: false });
    const ids = await publish(template("one"), template("two"), library, template("three"));
    const first = await pull(id, undefined, 2);
    expect([idsOf(first), first.hasMore]).toEqual([[ids[0], ids[1]], true]);
    const [firstItem] = first.items;
    expect(firstItem).toMatchObject({ type: "TemplateRegistered", data: { name: "one" }, timestamp: firstItem.time });
    expect(Number(first.items[1].sequence)).toBeGreaterThan(Number(firstItem.sequence));
    await fixture.restart();
    const second = await pull(id, first.nextCursor, 2);
    expect([idsOf(second), second.hasMore]).toEqual([[ids[3]], false]);
    expect(await pull(id, second.nextCursor)).toEqual({ items: [], nextCursor: second.nextCursor, hasMore: false });
    const [fourth] = await publish(template("four"));
    expect(idsOf(await pull(id, second.nextCursor))).toEqual([fourth]);
  });

  it("gives what the filter matches, and no event about the subscription itself", async () => {
    const id = await aSubscription({ filter: { data: { name: { $startsWith: "a" } } } });
    const ids = await publish(template("apple"), template("pear"), template("apricot"));
    expect(idsOf(await pull(id))).toEqual([ids[0], ids[2]]);
    const ownSubscription = await aSubscription({ eventType: "WebhookSubscriptionCreated" });
    const other = await aSubscription({ eventType: "WebhookSubscriptionCreated" });
    const createdIds = (await pull(ownSubscription)).items.map(({ data }: Found) => data.subscriptionId);
    expect(createdIds).toEqual([id, other]);
  });

  it("gives no event that names another project, and every one that names none", async () => {
    const [ordersOnly, any] = [await aSubscription({ projectId: "orders" }), await aSubscription()];
    const ids = await publish(...["billing", "orders", null].map((projectId) => ({ ...template("one"), projectId })));
    expect(idsOf(await pull(ordersOnly))).toEqual([ids[1], ids[2]]);
    expect(idsOf(await pull(any))).toEqual(ids);
  });

  it("ends a page after 1 MiB, and passes a long log in steps", async () => {
    const id = await aSubscription();
    const large = "x".repeat(60_000);
    await publish(...Array.from({ length: 20 }, () => template(large)));
    const page = await pull(id);
    expect([page.items.length, page.hasMore]).toEqual([18, true]);
    const rest = await pull(id, page.nextCursor);
    expect([rest.items.length, rest.hasMore]).toEqual([2, false]);
    await fixture.rows(
      "update integration.event_log_heads set sequence = 250000 where tenant_id = $1",
      decodeId("ten", principal.tenantId ?? ""),
    );
    const [late] = await publish(template("late"));
    const steps = [await pull(id, rest.nextCursor)];
    while (steps.at(-1).hasMore) steps.push(await pull(id, steps.at(-1).nextCursor));
    expect(steps.map(idsOf)).toEqual([[], [], [late]]);
  });

  it("loses no event of a transaction that commits late", async () => {
    const id = await aSubscription();
    const [first] = await publish(template("first"));
    const { nextCursor } = await pull(id);
    const [late, soon] = [anEvent(principal, template("late")), anEvent(principal, template("soon"))];
    const tenant = decodeId("ten", principal.tenantId ?? "");
    const client = await admin.connect();
    try {
      await client.query("begin");
      await client.query(
        `with head as (update integration.event_log_heads set sequence = sequence + 1 where tenant_id = $1 returning sequence)
         insert into integration.event_log (tenant_id, event_id, type, envelope, sequence)
         select $1, $2, $3, $4, sequence from head`,
        [tenant, decodeId("evt", late.id), late.type, late],
      );
      await fixture.bus.publish([soon]);
      await eventually(async () => {
        const waiting = await fixture.rows("select from pg_locks where not granted");
        return waiting.length > 0 ? true : undefined;
      });
      expect(await pull(id, nextCursor)).toEqual({ items: [], nextCursor, hasMore: false });
      await client.query("commit");
    } finally {
      client.release();
    }
    await untilLogged("id", [soon.id]);
    expect(idsOf(await pull(id, nextCursor))).toEqual([late.id, soon.id]);
    expect(idsOf(await pull(id))).toEqual([first, late.id, soon.id]);
  });

  it("refuses a cursor whose next events are deleted, and begins with the oldest that is kept", async () => {
    const id = await aSubscription();
    const { nextCursor } = await pull(id);
    const [first, second, third] = await publish(template("one"), template("two"), template("three"));
    await fixture.rows(
      "update integration.event_log set recorded_at = now() - interval '8 days' where envelope->>'id' = any($1)",
      [first, second],
    );
    await fixture.prune();
    expect(await pull(id, nextCursor)).toMatchObject({ refused: { code: "CURSOR_EXPIRED" } });
    expect(idsOf(await pull(id))).toEqual([third]);
  });

  it("needs the scopes of the subscription and of its events, and a cursor of this subscription", async () => {
    const [id, other] = [await aSubscription(), await aSubscription()];
    const { nextCursor } = await pull(other);
    for (const cursor of [nextCursor, "0", ""])
      expect(await pull(id, cursor)).toMatchObject({ refused: { code: "INVALID_CURSOR" } });
    const as = (...scopes: Scope[]) =>
      pull(id, undefined, undefined, aPrincipal({ tenantId: principal.tenantId ?? "", scopes }));
    for (const scopes of [["templates.read"], ["webhooks.subscriptions.read", "libraries.read"]] as const)
      expect(await as(...scopes)).toMatchObject({ refused: { code: "INSUFFICIENT_SCOPE" } });
    expect(await as("webhooks.subscriptions.read", "templates.read")).toMatchObject({ items: [] });
    const strangers = pull(id, undefined, undefined, aPrincipal());
    expect(await strangers).toMatchObject({ refused: { code: "WEBHOOK_SUBSCRIPTION_NOT_FOUND" } });
    const { providerId } = await run(
      "mutation ($i: RegisterProviderInput!) { registerProvider(input: $i) { providerId } }",
      { i: { key: "acme", displayName: "Acme", category: "Tool", authModel: "None" } },
    );
    const inbound = await aSubscription({ direction: "Inbound", providerId, eventType: null, endpointUrl: null });
    expect(await pull(inbound)).toMatchObject({ refused: { code: "INVALID_STATE" } });
  });
});
