import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { createEvent, type Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { until } from "../../running-spine.fixture.js";
import { type PlanTenant, PlanTest } from "./plan-subscription.fixture.js";

const start = "2026-06-01T00:00:00.000Z";
let test: PlanTest;

beforeAll(async () => {
  test = await PlanTest.start(start);
});
afterAll(() => test.spine.stop());

type Connected = Pick<PlanTenant, "tenantId">;
const platform: Connected = { tenantId: platformTenantId };

/** As integration publishes it for a tenant's connection, so many minutes after the start. */
function failed(of: Connected, planSubscriptionId: string | null, minutes: number): Envelope {
  const error = { code: "VENDOR_REFUSED", detail: "Declined." };
  return report(of, "PaymentFailed", { minutes, planSubscriptionId, error });
}

function charged(of: Connected, planSubscriptionId: string | null, minutes: number): Envelope {
  return report(of, "PaymentCharged", { minutes, planSubscriptionId, amountMinor: 1999, currency: "CHF" });
}

function report(
  { tenantId }: Connected,
  type: "PaymentFailed" | "PaymentCharged",
  { minutes, ...facts }: { readonly minutes: number; readonly [fact: string]: unknown },
): Envelope {
  const data = { commandId: newId("cmd"), ...facts };
  const event = createEvent({ type, subject: "runs/1", data }, tenantId, {
    trace: continueTrace(undefined),
    actorId: newId("cli"),
  });
  return { ...event, time: new Date(Date.parse(start) + minutes * 60_000).toISOString() };
}

/** Publishes events, and waits until the consumer has taken them: they are followed by one for a separate tenant. */
async function published(...envelopes: Envelope[]): Promise<void> {
  const { bus } = test.spine.host;
  await bus.publish(envelopes);
  const last = await test.tenant(`last-${newId("evt").slice(4)}`);
  await last.activate();
  await bus.publish([failed(last, last.id, 1_000_000)]);
  await last.becomes("PastDue");
}

/** Delivers an event once more, as the bus does after a crash. */
async function again(envelope: Envelope): Promise<void> {
  await published({ ...envelope, id: newId("evt") });
}

async function anActive(slug: string): Promise<PlanTenant> {
  test.now = new Date(start);
  const tenant = await test.tenant(slug);
  await tenant.activate();
  return tenant;
}

describe("a failed payment", () => {
  it("makes the plan subscription that it names PastDue, once, with its cause", async () => {
    const tenant = await anActive("unpaid");
    const event = failed(tenant, tenant.id, 5);
    await published(event);
    await tenant.becomes("PastDue");
    await again(event);
    const events = await tenant.events();
    expect(events.filter(({ type }) => type === "SubscriptionLapsed")).toEqual([
      expect.objectContaining({
        ...{ causationid: event.id, correlationid: event.correlationid, traceid: event.traceid },
        data: expect.objectContaining({ reason: expect.stringContaining(String(event.data["commandId"])) }),
      }),
    ]);
  });

  it("changes nothing after a later payment, when it comes again", async () => {
    const tenant = await anActive("paid-late");
    const event = failed(tenant, tenant.id, 5);
    await published(event);
    await tenant.becomes("PastDue");
    test.now = new Date(Date.parse(start) + 10 * 60_000);
    await tenant.pay();
    await again(event);
    expect((await tenant.plan()).status).toBe("Active");
    await published(failed(tenant, tenant.id, 15));
    await until(async () => (await tenant.plan()).status === "PastDue");
  });

  it("changes nothing for another tenant, an unknown plan subscription, none, and one that is not Active", async () => {
    const tenant = await anActive("named-by-others");
    const other = await anActive("stranger");
    const cancelledTenant = await anActive("cancelled");
    await cancelledTenant.cancel({ atPeriodEnd: false });
    await published(
      failed(other, tenant.id, 5),
      failed(other, newId("sub"), 5),
      failed(other, "nonsense", 5),
      failed(other, null, 5),
      failed(cancelledTenant, cancelledTenant.id, 5),
    );
    expect((await tenant.plan()).status).toBe("Active");
    expect((await other.plan()).status).toBe("Active");
    expect((await cancelledTenant.plan()).status).toBe("Cancelled");
  });
});

describe("a payment that a connection reports as made", () => {
  async function aPastDue(slug: string): Promise<PlanTenant> {
    const tenant = await anActive(slug);
    await tenant.failPayment();
    expect((await tenant.plan()).status).toBe("PastDue");
    return tenant;
  }

  it("does not count from a connection of the tenant itself, nor of another tenant", async () => {
    const tenant = await aPastDue("pays-itself");
    const other = await anActive("pays-for-others");
    await published(charged(tenant, tenant.id, 5), charged(other, tenant.id, 6));
    expect((await tenant.plan()).status).toBe("PastDue");
    expect((await tenant.eventTypes()).at(-1)).toBe("SubscriptionLapsed");
  });

  it("counts from a connection of the platform, once, with its cause", async () => {
    const tenant = await aPastDue("billed");
    const event = charged(platform, tenant.id, 5);
    await published(event);
    expect(await tenant.plan()).toMatchObject({ status: "Active", pastDueSince: null });
    await again(event);
    const activationEvents = (await tenant.events()).filter(({ type }) => type === "SubscriptionActivated");
    expect(activationEvents.map(({ causationid, actorid }) => [causationid, actorid]).slice(1)).toEqual([
      [event.id, event.actorid],
    ]);
  });

  it("brings a Suspended plan subscription back", async () => {
    const tenant = await aPastDue("billed-late");
    await tenant.put("status = 'Suspended'");
    await published(charged(platform, tenant.id, 5));
    expect((await tenant.plan()).status).toBe("Active");
  });

  it("does not end a later failure when it comes again, and starts nothing that was cancelled or archived", async () => {
    const tenant = await aPastDue("fails-again");
    const event = charged(platform, tenant.id, 5);
    await published(event);
    test.now = new Date(Date.parse(start) + 10 * 60_000);
    await tenant.failPayment();
    await again(event);
    expect((await tenant.plan()).status).toBe("PastDue");
    const cancelledTenant = await aPastDue("cancelled-unpaid");
    await cancelledTenant.cancel({ atPeriodEnd: false });
    const archivedTenant = await aPastDue("archived-unpaid");
    await test.spine.admin.query("update tenants set status = 'Archived' where subscription_id = $1", [
      decodeId("sub", archivedTenant.id),
    ]);
    await published(
      ...[cancelledTenant.id, archivedTenant.id, newId("sub"), "nonsense", null].map((id) => charged(platform, id, 5)),
    );
    expect((await cancelledTenant.plan()).status).toBe("Cancelled");
    expect((await archivedTenant.eventTypes()).filter((type) => type === "SubscriptionActivated")).toHaveLength(1);
  });
});

describe("a payment that failed at a connection of the platform", () => {
  it("makes the plan subscription of the tenant PastDue that it names", async () => {
    const tenant = await anActive("billed-in-vain");
    const event = failed(platform, tenant.id, 5);
    await published(event);
    expect((await tenant.plan()).status).toBe("PastDue");
    expect((await tenant.events()).at(-1)).toMatchObject({ type: "SubscriptionLapsed", causationid: event.id });
  });
});
