import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { createLogger } from "@factory/runtime/telemetry/logger";
import pg from "pg";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { vendorEventNames } from "../../providers/normalized-events/vendor-event-names.js";
import { type WebhookDeliveryState, webhookDeliveryStates } from "../inbound-deliveries/webhook-delivery.states.js";
import { DeliveryClaims } from "./delivery-claims.js";
import { OverdueDeliveries } from "./overdue-deliveries.js";
import { holdRetries } from "./retry-hold.fixture.js";
import { vendorEventType } from "./vendor-event.js";

const masterKeys = someMasterKeys(1);
const seal = new EnvelopeSeal(masterKeys.keyring("factory integration webhook deliveries"));

let fixture: IntegrationFixture;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ masterKeys });
  await recordMoves();
  await holdRetries(fixture);
});

afterAll(() => fixture.close());

/** Records the deliveries' states before and after each transaction. */
async function recordMoves(): Promise<void> {
  await fixture.rows(`create table public.delivery_moves (transaction xid8, delivery uuid, before text, after text,
    primary key (transaction, delivery))`);
  await fixture.rows(`create function public.record_move() returns trigger language plpgsql security definer as $$ begin
    insert into public.delivery_moves
      select pg_current_xact_id(), new.delivery_id, old.status, delivery.status from integration.webhook_deliveries delivery
      where delivery.tenant_id = new.tenant_id and delivery.delivery_id = new.delivery_id on conflict do nothing;
    return null; end $$`);
  await fixture.rows(`create constraint trigger record_move after update on integration.webhook_deliveries
    deferrable initially deferred for each row execute function public.record_move()`);
}

async function aProvider(principal: Principal, driver?: object, preset?: string): Promise<string> {
  const { data, errors } = await fixture.run(
    principal,
    "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
    {
      input: {
        key: newId("prv").slice(4),
        displayName: "Vendor",
        category: "Communication",
        authModel: "ApiKey",
        driver,
        preset,
      },
    },
  );
  if (errors) throw errors[0] ?? new Error("no provider");
  return data.registerProvider.providerId;
}

interface Given {
  readonly providerId: string;
  readonly normalizedEventType: string;
  readonly eventName?: string;
  readonly payload?: unknown;
  readonly connectionId?: string;
  readonly attempts?: number;
  /** Seals the payload under another key. */
  readonly unreadable?: boolean;
  readonly dueInSeconds?: number;
}

interface Inserted {
  readonly deliveryId: string;
  readonly runId: string;
}

/** Inserts a delivery with its run, as their record does. */
async function delivered({ tenantId = "" }: Principal, options: Given): Promise<Inserted> {
  const [deliveryId, runId] = [newId("whd"), newId("run")];
  const keys = options.unreadable
    ? new EnvelopeSeal(someMasterKeys(9).keyring("factory integration webhook deliveries"))
    : seal;
  const sealedPayload = keys.seal(
    Buffer.from(JSON.stringify(options.payload ?? { said: "hello" })),
    `${tenantId}|${deliveryId}`,
  );
  const traceId = "c".repeat(32);
  const ids = [decodeId("ten", tenantId), decodeId("whd", deliveryId), decodeId("run", runId)];
  await fixture.rows(
    `with run as (
       insert into integration.runs (tenant_id, run_id, delivery_id, operation, status, max_attempts, correlation_id, traceparent)
       values ($1, $3, $2, 'ProcessDelivery', 'Queued', 5, $4, '00-' || $4 || '-00000000000000ab-01'))
     insert into integration.webhook_deliveries (tenant_id, delivery_id, provider_id, provider_key, provider_delivery_id,
       event_name, normalized_event_type, body_sha256, key_id, wrapped_key, ciphertext, connection_id, run_id, status, attempts,
       next_attempt_at, trace_id)
     values ($1, $2, $5, 'vendor', $6, $7, $8, '\\x00', $9, $10, $11, $12, $3, $13, $14, now() + make_interval(secs => $15), $4)`,
    ...ids,
    traceId,
    decodeId("prv", options.providerId),
    deliveryId,
    options.eventName ?? "thing.happened",
    options.normalizedEventType,
    sealedPayload.keyId,
    sealedPayload.wrappedKey,
    sealedPayload.ciphertext,
    options.connectionId === undefined ? null : decodeId("con", options.connectionId),
    options.attempts ? "Failed" : "Accepted",
    options.attempts ?? 0,
    options.dueInSeconds ?? 0,
  );
  return { deliveryId, runId };
}

interface DeliveryRow {
  status: string;
  attempts: number;
  error_code: string | null;
  run_status: string;
  run_attempts: number;
  steps: { status: string }[];
  trace: string;
}

async function stateOf({ deliveryId }: Inserted): Promise<DeliveryRow | undefined> {
  const [row] = await fixture.rows<DeliveryRow>(
    `select delivery.status, delivery.attempts, delivery.error_code, run.status as run_status, run.attempts as run_attempts, run.steps
     from integration.webhook_deliveries delivery join integration.runs run using (tenant_id, run_id)
     where delivery.delivery_id = $1`,
    decodeId("whd", deliveryId),
  );
  return row;
}

const untilHandled = (delivery: Inserted, status: string) =>
  eventually(async () => {
    const row = await stateOf(delivery);
    return row?.status === status ? row : undefined;
  });

const eventsOf = async ({ deliveryId }: Inserted) =>
  (
    await fixture.rows<{ envelope: { type: string; traceid: string; data: Record<string, unknown> } }>(
      `select envelope from integration.outbox where envelope->>'subject' = $1 and envelope->>'messagekind' = 'event' order by seq`,
      `deliveries/${deliveryId}`,
    )
  ).map(({ envelope }) => envelope);

describe("the handling of deliveries", () => {
  it("publishes the event with the payload, once, and ends the run with the delivery", async () => {
    const principal = aPrincipal();
    const providerId = await aProvider(principal);
    const delivery = await delivered(principal, {
      providerId,
      eventName: "pull_request",
      normalizedEventType: "PullRequestOpened",
      payload: { number: 7 },
    });
    const row = await untilHandled(delivery, "Processed");
    expect(row).toMatchObject({ attempts: 1, error_code: null, run_status: "Completed", run_attempts: 1 });
    expect(row.steps.map(({ status }) => status)).toEqual(["Running", "Completed"]);
    const events = await eventsOf(delivery);
    expect(events.map(({ type }) => type)).toEqual(["PullRequestOpened", "WebhookDeliveryProcessed"]);
    expect(events[0]).toMatchObject({
      traceid: "c".repeat(32),
      data: { provider: "vendor", eventName: "pull_request", deliveryId: delivery.deliveryId, payload: { number: 7 } },
    });
  });

  it("tells a deletion that an earlier release has recorded as the creation of a reference", async () => {
    const principal = aPrincipal();
    const providerId = await aProvider(principal, undefined, "gitlab");
    const delivery = await delivered(principal, {
      ...{ providerId, eventName: "Tag Push Hook", normalizedEventType: "ReferenceCreated" },
      payload: { before: "1".repeat(40), after: "0".repeat(40) },
    });
    await untilHandled(delivery, "Processed");
    const [event] = await eventsOf(delivery);
    expect(event).toMatchObject({ type: "ReferenceDeleted", data: { normalizedEventType: "ReferenceDeleted" } });
    const query = "query ($id: ID!) { webhookDelivery(deliveryId: $id) { normalizedEventType } }";
    const { data } = await fixture.run(principal, query, { id: delivery.deliveryId });
    expect(data.webhookDelivery).toEqual({ normalizedEventType: "ReferenceDeleted" });
  });

  it("names a payload that is too large for an event by a reference", async () => {
    const principal = aPrincipal();
    const providerId = await aProvider(principal);
    const payload = { text: "x".repeat(64 * 1024) };
    const delivery = await delivered(principal, { providerId, normalizedEventType: "WidgetCreated", payload });
    await untilHandled(delivery, "Processed");
    const [event] = await eventsOf(delivery);
    expect(event?.type).toBe("VendorEventReceived");
    expect(event?.data).toMatchObject({
      normalizedEventType: "WidgetCreated",
      payloadRef: `/integrations/deliveries/${delivery.deliveryId}`,
    });
    expect(event?.data).not.toHaveProperty("payload");
  });

  it("ignores names that are not mapped where the tenant wants it so", async () => {
    const principal = aPrincipal();
    const providerId = await aProvider(principal);
    await fixture.rows(
      `insert into integration.tenant_projections (tenant_id, version, slug, status, edition_code, subscription_status,
         settings, limits, stored_at)
       values ($1, 1, 'acme', 'Active', 'Free', '', '{"webhooks.unmappedDeliveries":"ignore"}', '{}', now())`,
      decodeId("ten", principal.tenantId ?? ""),
    );
    const ignoredDelivery = await delivered(principal, { providerId, normalizedEventType: "VendorEventReceived" });
    const mappedDelivery = await delivered(principal, { providerId, normalizedEventType: "WidgetCreated" });
    expect(await untilHandled(ignoredDelivery, "Ignored")).toMatchObject({ run_status: "Completed" });
    await untilHandled(mappedDelivery, "Processed");
    expect((await eventsOf(ignoredDelivery)).map(({ type }) => type)).toEqual(["WebhookDeliveryIgnored"]);
  });

  it("fails a delivery alone, tries it again, and keeps it as a dead letter that can be replayed", async () => {
    const principal = aPrincipal();
    const providerId = await aProvider(principal);
    const [unreadable, good] = await Promise.all([
      delivered(principal, { providerId, normalizedEventType: "CommitsPushed", unreadable: true }),
      delivered(principal, { providerId, normalizedEventType: "CommitsPushed" }),
    ]);
    await untilHandled(good, "Processed");
    const row = await untilHandled(unreadable, "Failed");
    expect(row).toMatchObject({ attempts: 1, error_code: "SECRET_STORE_UNAVAILABLE", run_status: "RetryScheduled" });
    const last = await delivered(principal, {
      providerId,
      normalizedEventType: "CommitsPushed",
      unreadable: true,
      attempts: 4,
    });
    expect(await untilHandled(last, "DeadLettered")).toMatchObject({ attempts: 5, run_status: "Failed" });
    expect((await eventsOf(last)).map(({ type }) => type)).toEqual(["WebhookDeliveryDeadLettered"]);
    const ofStatus = async (status: string) => {
      const query =
        "query ($status: WebhookDeliveryStatus) { webhookDeliveries(filter: { status: $status }) { items { deliveryId } } }";
      return (await fixture.run(principal, query, { status })).data.webhookDeliveries.items;
    };
    expect(await ofStatus("DeadLettered")).toEqual([{ deliveryId: last.deliveryId }]);
    expect(await ofStatus("Failed")).toEqual([{ deliveryId: unreadable.deliveryId }]);
    expect(await ofStatus("Processed")).toEqual([{ deliveryId: good.deliveryId }]);

    const replay = async (deliveryId: string, by = principal) =>
      fixture.run(by, "mutation ($id: ID!) { replayWebhookDelivery(deliveryId: $id) { status runId } }", {
        id: deliveryId,
      });
    const sealedPayload = seal.seal(Buffer.from("{}"), `${principal.tenantId}|${last.deliveryId}`);
    await fixture.rows(
      "update integration.webhook_deliveries set key_id = $2, wrapped_key = $3, ciphertext = $4 where delivery_id = $1",
      decodeId("whd", last.deliveryId),
      sealedPayload.keyId,
      sealedPayload.wrappedKey,
      sealedPayload.ciphertext,
    );
    const { data: again } = await replay(unreadable.deliveryId);
    expect(again.replayWebhookDelivery.status).toBe("Processing");
    const [oldRun] = await fixture.rows<{ status: string; type: string }>(
      `select run.status, outbox.envelope->>'type' as type from integration.runs run
       left join integration.outbox outbox on outbox.envelope->>'subject' = $2
         and outbox.envelope->>'messagekind' = 'event' where run.run_id = $1`,
      decodeId("run", unreadable.runId),
      `runs/${unreadable.runId}`,
    );
    expect(oldRun).toEqual({ status: "Cancelled", type: "RunCancelled" });
    const answer = await fixture.run(
      principal,
      "query ($id: ID!) { runs(filter: { deliveryId: $id }) { items { runId } } }",
      { id: unreadable.deliveryId },
    );
    expect(answer.data.runs.items).toEqual([{ runId: again.replayWebhookDelivery.runId }, { runId: unreadable.runId }]);
    expect((await replay(last.deliveryId, aPrincipal())).errors?.[0]?.extensions["code"]).toBe("DELIVERY_NOT_FOUND");
    const { data } = await replay(last.deliveryId);
    expect(data.replayWebhookDelivery.status).toBe("Processing");
    expect(data.replayWebhookDelivery.runId).not.toBe(last.runId);
    expect(await untilHandled(last, "Processed")).toMatchObject({ attempts: 1, run_status: "Completed" });
    await replay(good.deliveryId);
    await eventually(async () => ((await eventsOf(good)).length === 4 ? true : undefined));
    await fixture.rows(
      "update integration.webhook_deliveries set ciphertext = null where delivery_id = $1",
      decodeId("whd", good.deliveryId),
    );
    expect((await replay(good.deliveryId)).errors?.[0]?.extensions["code"]).toBe("INVALID_STATE");
  });

  it("takes the connections of the account to AuthorizationRequired when the vendor has revoked a credential", async () => {
    const principal = aPrincipal();
    const providerId = await aProvider(principal, {
      webhook: {
        scheme: { kind: "hmac", algorithm: "sha256", header: "x-signature", encoding: "hex", signedContent: "{body}" },
        deliveryId: ["header:x-id"],
        eventName: ["header:x-event"],
        revokedEvents: ["token.revoked"],
      },
    });
    const connect = async (accountId: string): Promise<string> => {
      const { data } = await fixture.run(
        principal,
        "mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }",
        { input: { providerId, displayName: "Mail", authMode: "ApiKey", configuration: { accountId } } },
      );
      return data.createConnection.connectionId;
    };
    const [ownId, sameAccountId, other] = [await connect("one"), await connect("one"), await connect("two")];
    const revocation = { providerId, eventName: "token.revoked", normalizedEventType: "VendorEventReceived" };
    const delivery = await delivered(principal, { ...revocation, connectionId: ownId });
    const without = await delivered(principal, revocation);
    await untilHandled(delivery, "Processed");
    await untilHandled(without, "Processed");
    const states = await fixture.rows<{ status: string; status_reason: string | null }>(
      "select status, status_reason from integration.connections where connection_id = any($1) order by connection_id",
      [ownId, sameAccountId, other].map((id) => decodeId("con", id)),
    );
    expect(states).toEqual([
      { status: "AuthorizationRequired", status_reason: "CredentialRevokedByVendor" },
      { status: "AuthorizationRequired", status_reason: "CredentialRevokedByVendor" },
      { status: "Active", status_reason: null },
    ]);
  });

  it("leaves a claim of another process alone until it ends", async () => {
    const principal = aPrincipal();
    const providerId = await aProvider(principal);
    const delivery = await delivered(principal, { providerId, normalizedEventType: "CommitsPushed", attempts: 0 });
    const uuid = decodeId("whd", delivery.deliveryId);
    await untilHandled(delivery, "Processed");
    const claim = `update integration.webhook_deliveries set status = 'Processing', claims = claims + 1,
      next_attempt_at = now() + $2::interval where delivery_id = $1`;
    await fixture.rows(claim, uuid, "1 hour");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await stateOf(delivery))?.status).toBe("Processing");
    await fixture.rows(claim, uuid, "-1 second");
    await untilHandled(delivery, "Processed");
  });

  it("a statement that is too much for the database costs an attempt only while others are not", async () => {
    await fixture.rows(`create function public.too_much() returns trigger language plpgsql as $$ begin
      raise exception 'too much' using errcode = 'query_canceled'; end $$`);
    await fixture.rows(`create trigger too_much before update on integration.webhook_deliveries for each row
      when (new.event_name = 'too.much' and new.status = 'Processed') execute function public.too_much()`);
    const principal = aPrincipal();
    const providerId = await aProvider(principal);
    const make = (eventName: string) =>
      delivered(principal, { providerId, eventName, normalizedEventType: "CommitsPushed" });
    const makeDue = (...deliveries: readonly Inserted[]) =>
      fixture.rows(
        `update integration.webhook_deliveries set status = 'Processing', claims = claims + 1, next_attempt_at = now()
         where delivery_id = any($1)`,
        deliveries.map(({ deliveryId }) => decodeId("whd", deliveryId)),
      );
    const isClaimed = async (delivery: Inserted) =>
      (await stateOf(delivery))?.status === "Processing" ? true : undefined;
    const [first, second] = await Promise.all([make("too.much"), make("too.much")]);
    await eventually(() => isClaimed(first));
    await makeDue(first, second);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    for (const delivery of [first, second])
      expect(await stateOf(delivery)).toMatchObject({ status: "Processing", attempts: 0, run_status: "Queued" });
    const good = await make("thing.happened");
    await makeDue(first, good);
    await untilHandled(good, "Processed");
    expect(await untilHandled(first, "Failed")).toMatchObject({ attempts: 1, run_status: "RetryScheduled" });
    await fixture.rows("drop trigger too_much on integration.webhook_deliveries");
    await makeDue(first, second);
    await untilHandled(first, "Processed");
    expect(await untilHandled(second, "Processed")).toMatchObject({ attempts: 1, run_status: "Completed" });
  });

  it("has moved the deliveries of this suite as the table of their states says", async () => {
    const moves = await fixture.rows<{ before: WebhookDeliveryState; after: WebhookDeliveryState }>(
      "select distinct before, after from public.delivery_moves where before <> after",
    );
    const nextOf = (state: WebhookDeliveryState): readonly string[] => webhookDeliveryStates[state].next;
    expect(moves.filter(({ before, after }) => !nextOf(before).includes(after))).toEqual([]);
    for (const after of ["Processed", "Ignored", "Failed", "DeadLettered"])
      expect(moves).toContainEqual({ before: "Processing", after });
    for (const before of ["Accepted", "Processed", "Failed", "DeadLettered"])
      expect(moves).toContainEqual({ before, after: "Processing" });
  });
});

describe("a delivery that no process takes", () => {
  it("is found by the sweeper, becomes due, and is handled", async () => {
    const principal = aPrincipal();
    const providerId = await aProvider(principal);
    const [lostDelivery, busy] = [await hidden(principal, providerId), await hidden(principal, providerId)];
    const workers = new pg.Pool({ connectionString: fixture.connections.worker, max: 1 });
    let woken = 0;
    const overdue = new OverdueDeliveries(workers, { wake: () => (woken += 1) });
    try {
      // while another delivery for the tenant is being handled, its turn may still come
      const handle = `update integration.webhook_deliveries set status = $2, next_attempt_at = now() + $3::interval
        where delivery_id = $1`;
      await fixture.rows(handle, decodeId("whd", busy.deliveryId), "Processing", "1 hour");
      expect(await overdue.find()).toEqual([]);
      await fixture.rows(handle, decodeId("whd", busy.deliveryId), "Accepted", null);
      const deliveries = await overdue.find();
      const ids = [lostDelivery, busy].map(({ deliveryId }) => deliveryId).sort();
      expect(deliveries.map(({ id }) => id).sort()).toEqual(ids);
      expect(deliveries.map(({ tenantId }) => tenantId)).toEqual([principal.tenantId, principal.tenantId]);
      expect(await fixture.integration.jobs.lying()).toMatchObject({ webhookDeliveries: 2 });
      for (const row of deliveries) expect(await overdue.repair(row)).toBe(true);
      expect(woken).toBe(2);
      await Promise.all([untilHandled(lostDelivery, "Processed"), untilHandled(busy, "Processed")]);
      for (const row of deliveries) expect(await overdue.repair(row)).toBe(false);
      expect([woken, await overdue.find()]).toEqual([2, []]);
    } finally {
      await workers.end();
    }
  });

  /** Inserts a delivery from an hour ago that has lost its due time. */
  async function hidden(principal: Principal, providerId: string): Promise<Inserted> {
    const waiting = { providerId, normalizedEventType: "CommitsPushed", dueInSeconds: 3600 };
    const delivery = await delivered(principal, waiting);
    await fixture.rows(
      `update integration.webhook_deliveries set next_attempt_at = null, received_at = now() - interval '1 hour'
       where delivery_id = $1`,
      decodeId("whd", delivery.deliveryId),
    );
    return delivery;
  }
});

describe("the turns of tenants", () => {
  const commits = { normalizedEventType: "CommitsPushed" } as const;

  it("a claim takes at most 100 deliveries of each of 8 tenants, the oldest first, and none of a busy tenant", async () => {
    const [full, ...others] = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const principal = aPrincipal();
        return { principal, providerId: await aProvider(principal) };
      }),
    );
    if (!full) throw new Error("a tenant");
    const uuidOf = ({ tenantId = "" }: Principal) => decodeId("ten", tenantId) ?? "";
    await fixture.restart(async () => {
      await fixture.rows(
        "update integration.webhook_deliveries set next_attempt_at = now() + interval '1 hour' where status = 'Failed'",
      );
      const first = await delivered(full.principal, { ...commits, providerId: full.providerId, dueInSeconds: -3600 });
      await fixture.rows(
        `insert into integration.webhook_deliveries (tenant_id, delivery_id, provider_id, provider_key,
           provider_delivery_id, event_name, normalized_event_type, body_sha256, run_id, status, next_attempt_at, trace_id)
         select tenant_id, gen_random_uuid(), provider_id, provider_key, place::text, event_name, normalized_event_type,
           body_sha256, gen_random_uuid(), 'Accepted', now() - interval '1 minute', trace_id
         from integration.webhook_deliveries, generate_series(1, 150) place where delivery_id = $1`,
        decodeId("whd", first.deliveryId),
      );
      const claims = new DeliveryClaims(fixture.connections.worker, createLogger("test", "silent"));
      try {
        const [due] = await claims.waiting();
        expect(due).toMatchObject({ kind: "dispatcher", name: "vendor deliveries", waiting: 151 });
        expect(due?.oldestSeconds).toBeGreaterThanOrEqual(3600);
        const ofFull = (await claims.claim([])).get(uuidOf(full.principal)) ?? [];
        expect(ofFull).toHaveLength(100);
        expect(ofFull.map(({ delivery_id }) => delivery_id)).toContain(decodeId("whd", first.deliveryId));
        await claims.giveBack(ofFull);
        for (const { principal, providerId } of others) await delivered(principal, { ...commits, providerId });
        const claimedByTenant = await claims.claim([uuidOf(full.principal)]);
        expect(claimedByTenant.size).toBe(8);
        const tenants = others.map(({ principal }) => uuidOf(principal));
        expect([...claimedByTenant.keys()].filter((uuid) => !tenants.includes(uuid))).toEqual([]);
        const rest = await claims.claim([]);
        expect(rest.size).toBe(2);
        expect(rest.get(uuidOf(full.principal))).toHaveLength(100);
        for (const batches of [claimedByTenant, rest]) await claims.giveBack([...batches.values()].flat());
      } finally {
        await claims.close();
      }
    });
    await eventually(async () => {
      const open = "select from integration.webhook_deliveries where tenant_id = any($1) and status <> 'Processed'";
      const tenants = [full, ...others].map(({ principal }) => uuidOf(principal));
      return (await fixture.rows(open, tenants)).length === 0 ? true : undefined;
    });
  });

  it("a tenant whose batch takes long holds up no other", async () => {
    const [slow, quick] = [aPrincipal(), aPrincipal()];
    const [slowProvider, quickProvider] = [await aProvider(slow), await aProvider(quick)];
    const first = await delivered(slow, { ...commits, providerId: slowProvider, dueInSeconds: 3600 });
    const uuid = decodeId("whd", first.deliveryId);
    await fixture.rows(
      `create function integration.slow_delivery() returns trigger language plpgsql
       as $$ begin perform pg_advisory_xact_lock(7001); return new; end $$`,
    );
    const holder = new pg.Client({ connectionString: fixture.connections.owner });
    await holder.connect();
    await holder.query("select pg_advisory_lock(7001)");
    await fixture.rows(
      `create trigger slow_delivery before update on integration.webhook_deliveries for each row
       when (new.delivery_id = '${uuid}' and new.status = 'Processed') execute function integration.slow_delivery()`,
    );
    try {
      await fixture.rows(
        "update integration.webhook_deliveries set next_attempt_at = now() where delivery_id = $1",
        uuid,
      );
      await untilHandled(first, "Processing");
      const backlog = await delivered(slow, { ...commits, providerId: slowProvider });
      const other = await delivered(quick, { ...commits, providerId: quickProvider });
      await untilHandled(other, "Processed");
      expect([(await stateOf(first))?.status, (await stateOf(backlog))?.status]).toEqual(["Processing", "Accepted"]);
      await holder.query("select pg_advisory_unlock(7001)");
      await untilHandled(backlog, "Processed");
    } finally {
      await holder.end();
      await fixture.rows("drop function integration.slow_delivery cascade");
    }
  });
});

describe("vendorEventType", () => {
  it("has an event type for every name in the table of vendors", () => {
    const names = Object.values(vendorEventNames).flatMap((table) => Object.values(table));
    expect(names.filter((name) => vendorEventType(name) === "VendorEventReceived")).toEqual([]);
  });

  it.each([
    ["PullRequestOpened", "PullRequestOpened"],
    ["PaymentFailed", "VendorPaymentFailed"],
    ["VendorPaymentFailed", "VendorPaymentFailed"],
    ["WidgetCreated", "VendorEventReceived"],
    ["TemplateRegistered", "VendorEventReceived"],
    ["VendorEventReceived", "VendorEventReceived"],
  ])("publishes %s as %s", (name, type) => {
    expect(vendorEventType(name)).toBe(type);
  });
});
