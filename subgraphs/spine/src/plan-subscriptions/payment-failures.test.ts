import { newId } from "@factory/runtime/identifiers/wire-id";
import { createEvent, type Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { until } from "../running-spine.fixture.js";
import { type PlanTenant, PlanTest } from "./plan-subscription.fixture.js";

const start = "2026-06-01T00:00:00.000Z";
let test: PlanTest;

beforeAll(async () => {
  test = await PlanTest.start(start);
});
afterAll(() => test.spine.stop());

/** As integration publishes it, so many minutes after the start. */
function failed({ tenantId }: PlanTenant, planSubscriptionId: string | null, minutes: number): Envelope {
  const data = { commandId: newId("cmd"), planSubscriptionId, error: { code: "VENDOR_REFUSED", detail: "Declined." } };
  const event = createEvent({ type: "PaymentFailed", subject: "runs/1", data }, tenantId, {
    trace: continueTrace(undefined),
    actorId: newId("cli"),
  });
  return { ...event, time: new Date(Date.parse(start) + minutes * 60_000).toISOString() };
}

/** Publishes events, and waits until the consumer has taken them: they are followed by one for a tenant of its own. */
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
    const cancelled = await anActive("cancelled");
    await cancelled.cancel({ atPeriodEnd: false });
    await published(
      failed(other, tenant.id, 5),
      failed(other, newId("sub"), 5),
      failed(other, "nonsense", 5),
      failed(other, null, 5),
      failed(cancelled, cancelled.id, 5),
    );
    expect((await tenant.plan()).status).toBe("Active");
    expect((await other.plan()).status).toBe("Active");
    expect((await cancelled.plan()).status).toBe("Cancelled");
  });
});
