import { createHash } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Scope } from "@factory/schema/scopes";
import { DeliveryRecords } from "../../deliveries/inbound-deliveries/delivery-records.js";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";

let fixture: IntegrationFixture;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ maxChainEvents: 550 });
});
afterAll(() => fixture.close());

const query = /* GraphQL */ `
  query ($eventId: ID!) {
    causalChain(eventId: $eventId) {
      correlationId truncated complete
      members {
        kind type time readable id status causationId subjectPath traceId
        subject { __typename ... on Run { operation } ... on WebhookDelivery { eventName } }
      }
    }
  }`;

interface Member {
  kind: string;
  type: string | null;
  readable: boolean;
  id: string | null;
  causationId: string | null;
  traceId: string | null;
  subject: Record<string, string> | null;
}

async function chainOf(principal: Principal, eventId: string) {
  const { data, errors } = await fixture.run(principal, query, { eventId });
  if (errors) throw errors[0];
  return data.causalChain as { correlationId: string; truncated: boolean; complete: boolean; members: Member[] };
}

async function published(...envelopes: Envelope[]): Promise<void> {
  await fixture.bus.publish(envelopes);
  for (const { id } of envelopes)
    await eventually(
      async () =>
        (await fixture.rows("select 1 from integration.event_log where event_id = $1", decodeId("evt", id)))[0],
    );
}

const kinds = (members: readonly Member[]) => members.map(({ kind, type }) => `${kind} ${type}`);

describe("the chain of an event", () => {
  it("goes from a delivery of a vendor to the webhook that tells of it", async () => {
    const principal = aPrincipal();
    const input = {
      eventType: "PullRequestOpened",
      endpointUrl: "http://127.0.0.1:9/",
      signingSecretRef: "secret://one",
    };
    await fixture.run(
      principal,
      "mutation ($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { subscriptionId } }",
      { input },
    );
    const payload = "{}";
    const tenant = tenantWithId(principal.tenantId ?? "");
    const trace = continueTrace(undefined);
    await fixture.integration.get(DeliveryRecords).write(tenant, [
      {
        match: {
          ...{ tenant, providerId: newId("prv"), providerKey: "vendor", preset: null },
          ...{ subscriptionId: null, connectionId: null, subscriptionProject: null, provedBy: "Secret" },
          driver: {
            webhook: { scheme: { kind: "standard-webhooks" }, deliveryId: [], eventName: [], revokedEvents: [] },
          },
        },
        ...{ providerDeliveryId: "one", eventName: "pull_request", normalizedEventType: "PullRequestOpened" },
        ...{ account: undefined, payload, bodySha256: createHash("sha256").update(payload).digest(), trace },
      },
    ]);
    const event = await eventually(
      async () =>
        (
          await fixture.rows<{ id: string }>(
            `select log.envelope->>'id' as id from integration.event_log log join integration.webhook_messages using (tenant_id, event_id)
             where tenant_id = $1`,
            tenant.uuid,
          )
        )[0],
    );
    const { correlationId, members, complete, truncated } = await chainOf(principal, event.id);
    expect({ correlationId, complete, truncated }).toEqual({
      correlationId: trace.traceId,
      complete: true,
      truncated: false,
    });
    expect(kinds(members).sort()).toEqual([
      "Delivery PullRequestOpened",
      "Event PullRequestOpened",
      "Event WebhookDeliveryProcessed",
      "Event WebhookDeliveryReceived",
      "Run ProcessDelivery",
      "Webhook PullRequestOpened",
    ]);
    const ofKind = (kind: string) => members.find((member) => member.kind === kind);
    expect(new Set(members.filter(({ kind }) => kind !== "Webhook").map(({ traceId }) => traceId))).toEqual(
      new Set([trace.traceId]),
    );
    expect(ofKind("Run")?.subject).toEqual({ __typename: "Run", operation: "ProcessDelivery" });
    expect(ofKind("Delivery")?.subject).toEqual({ __typename: "WebhookDelivery", eventName: "pull_request" });
    expect(ofKind("Webhook")).toMatchObject({ causationId: event.id, subject: { __typename: "WebhookSubscription" } });
  });

  it("shows type and time only of what the token may not read", async () => {
    const principal = aPrincipal();
    const correlationid = newId("exe");
    const ours = { ...anEvent(principal), correlationid };
    const command = newId("cmd");
    const theirs = {
      ...anEvent(principal, { type: "LibraryRegistered", subject: "libraries/one", data: { libraryId: "one" } }),
      ...{ correlationid, causationid: command },
    };
    await published(ours, theirs, anEvent(principal));
    const scopes: Scope[] = ["templates.read"];
    const { correlationId, members } = await chainOf(
      aPrincipal({ scopes, ...(principal.tenantId && { tenantId: principal.tenantId }) }),
      ours.id,
    );
    expect(correlationId).toBe(correlationid);
    const hidden = { readable: false, id: null, status: null, causationId: null, subjectPath: null, traceId: null };
    const [event, other, askedEvent] = ["LibraryRegistered", null, "TemplateRegistered"].map((type) =>
      members.find((member) => member.type === type),
    );
    expect(members).toHaveLength(3);
    expect(event).toEqual({ kind: "Event", type: "LibraryRegistered", time: theirs.time, subject: null, ...hidden });
    expect(other).toEqual({ kind: "Command", type: null, time: expect.any(String), subject: null, ...hidden });
    expect(askedEvent).toMatchObject({ readable: true, id: ours.id, subject: { __typename: "Template" } });
    const chain = await chainOf(principal, theirs.id);
    expect(chain.members.find(({ kind }) => kind === "Command")).toMatchObject({ id: command, readable: true });
  });

  it("does not exist for another tenant, for an unknown event, and for an event of more than 7 days ago", async () => {
    const principal = aPrincipal();
    const [event, old] = [anEvent(principal), anEvent(principal)];
    await published(event, old);
    await fixture.rows(
      "update integration.event_log set recorded_at = now() - interval '8 days' where event_id = $1",
      decodeId("evt", old.id),
    );
    const notFound = expect.objectContaining({ extensions: expect.objectContaining({ code: "NOT_FOUND" }) });
    await expect(chainOf(aPrincipal(), event.id)).rejects.toEqual(notFound);
    for (const id of [newId("evt"), newId("run"), "nonsense", old.id])
      await expect(chainOf(principal, id)).rejects.toEqual(notFound);
  });

  it("has at most 500 members, the earliest ones", async () => {
    const principal = aPrincipal();
    const correlationid = "a-long-chain";
    const events = Array.from({ length: 501 }, () => ({ ...anEvent(principal), correlationid }));
    await published(...events);
    const { members, truncated } = await chainOf(principal, events[200]?.id ?? "");
    expect([members.length, truncated]).toEqual([500, true]);
    expect(members.map(({ id }) => id)).not.toContain(events[500]?.id);
  });

  it("says so when the tenant has more events than a chain looks at", async () => {
    const principal = aPrincipal();
    const correlationid = "a-chain-with-a-gap";
    const [first, last] = [anEvent(principal), anEvent(principal)].map((event) => ({ ...event, correlationid }));
    if (!first || !last) throw new Error("no events");
    await published(first);
    await published(...Array.from({ length: 551 }, () => anEvent(principal)));
    await published(last);
    const { members, complete } = await chainOf(principal, last.id);
    expect([members.map(({ id }) => id), complete]).toEqual([[last.id], false]);
  });
});
