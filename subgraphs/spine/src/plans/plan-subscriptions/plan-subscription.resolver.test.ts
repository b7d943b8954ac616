import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { type Answer, platformAdmin, principal, until } from "../../running-spine.fixture.js";
import { columnsInState, end, type PlanTenant, PlanTest, start } from "./plan-subscription.fixture.js";
import { type PlanSubscriptionState, planSubscriptionStates } from "./plan-subscription.states.js";

let test: PlanTest;
beforeAll(async () => {
  test = await PlanTest.start("2026-01-31T10:00:00.000Z");
});
afterAll(() => test?.spine.stop());

const states = Object.keys(planSubscriptionStates) as PlanSubscriptionState[];
let count = 0;
async function inState(state: PlanSubscriptionState): Promise<PlanTenant> {
  count += 1;
  const tenant = await test.tenant(`state-${count}`);
  await tenant.put(columnsInState[state]);
  return tenant;
}

type Trigger = "activate" | "cancel" | "cancelNow" | "failPayment" | "pay";

const triggers: Record<Trigger, (tenant: PlanTenant) => ReturnType<PlanTenant["activate"]>> = {
  activate: (tenant) => tenant.activate(),
  cancel: (tenant) => tenant.cancel(),
  cancelNow: (tenant) => tenant.cancel({ atPeriodEnd: false }),
  failPayment: (tenant) => tenant.failPayment(),
  pay: (tenant) => tenant.pay(),
};

/** The next state for each trigger and state, with its event; the same state without an event for no change; null for 409. */
const table: Record<Trigger, Record<PlanSubscriptionState, readonly [PlanSubscriptionState, string?] | null>> = {
  activate: {
    Pending: ["Active", "SubscriptionActivated"],
    Trialing: ["Active", "SubscriptionActivated"],
    Active: ["Active"],
    PastDue: ["Active", "SubscriptionActivated"],
    Suspended: ["Active", "SubscriptionActivated"],
    Cancelled: ["Active", "SubscriptionActivated"],
    Expired: ["Active", "SubscriptionActivated"],
  },
  cancel: {
    Pending: ["Cancelled", "SubscriptionCancelled"],
    Trialing: ["Trialing"],
    Active: ["Active"],
    PastDue: ["PastDue"],
    Suspended: ["Suspended"],
    Cancelled: null,
    Expired: null,
  },
  cancelNow: {
    Pending: ["Cancelled", "SubscriptionCancelled"],
    Trialing: ["Cancelled", "SubscriptionCancelled"],
    Active: ["Cancelled", "SubscriptionCancelled"],
    PastDue: ["Cancelled", "SubscriptionCancelled"],
    Suspended: ["Cancelled", "SubscriptionCancelled"],
    Cancelled: null,
    Expired: null,
  },
  failPayment: {
    Pending: null,
    Trialing: null,
    Active: ["PastDue", "SubscriptionLapsed"],
    PastDue: ["PastDue"],
    Suspended: null,
    Cancelled: null,
    Expired: null,
  },
  pay: {
    Pending: null,
    Trialing: null,
    Active: ["Active"],
    PastDue: ["Active", "SubscriptionActivated"],
    Suspended: ["Active", "SubscriptionActivated"],
    Cancelled: null,
    Expired: null,
  },
};

const cases = (Object.keys(table) as Trigger[]).flatMap((trigger) => states.map((state) => [trigger, state] as const));

/** The first answer other than 503. On a slow machine some simultaneous requests get no connection in time. */
async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.refusal?.["code"] !== "UNAVAILABLE") return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe("a plan subscription", () => {
  it.each(cases)("by %s in the state %s", async (trigger, state) => {
    const tenant = await inState(state);
    const version = await tenant.tenantVersion();
    const { data, refusal } = await triggers[trigger](tenant);
    const transition = table[trigger][state];
    const events = (await tenant.events()).slice(1);
    if (transition === null) {
      expect(refusal).toMatchObject({ code: "INVALID_STATE", status: 409, currentState: state });
      expect([events, (await tenant.plan()).status]).toEqual([[], state]);
      return;
    }
    const [to, event] = transition;
    expect([refusal, data?.["plan"].status]).toEqual([undefined, to]);
    expect(events.map(({ type }) => type)).toEqual(event === undefined ? [] : [event]);
    expect(await tenant.plan()).toEqual(data?.["plan"]);
    if (event === undefined) return;
    expect(events[0]?.data).toMatchObject({
      ...{ tenantId: tenant.tenantId, status: to, effectiveAt: start.toISOString() },
      ...(event === "SubscriptionActivated" ? { entitlements: { "users.max": { kind: "limit", limit: 200 } } } : {}),
    });
    expect(await tenant.tenantVersion()).toBeGreaterThan(version);
    if (to !== state) expect(planSubscriptionStates[state].next).toContain(to);
  });
});

describe("an activation", () => {
  it("begins a period of the asked cycle and edition now, and gives the tenant the edition", async () => {
    const tenant = await inState("Pending");
    const { data } = await tenant.activate({ editionCode: "Enterprise", billingCycle: "Annual" });
    expect(data?.["plan"]).toMatchObject({
      ...{ editionCode: "Enterprise", billingCycle: "Annual", status: "Active", cancelAt: null, version: 2 },
      ...{ currentPeriodStart: "2026-01-31T10:00:00.000Z", currentPeriodEnd: "2027-01-31T10:00:00.000Z" },
    });
    const { data: tenantData } = await tenant.test.spine.ask(
      principal(tenant.tenantId, ["subscription.read"]),
      `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Tenant { editionCode planSubscription { status } } } }`,
      { of: [{ __typename: "Tenant", tenantId: tenant.tenantId }] },
    );
    expect(tenantData?.["_entities"]).toEqual([{ editionCode: "Enterprise", planSubscription: { status: "Active" } }]);
  });

  it("of another edition keeps the period, and of another cycle begins a new one", async () => {
    const tenant = await inState("Active");
    expect((await tenant.activate({ editionCode: "Free" })).data?.["plan"]).toMatchObject({
      ...{ editionCode: "Free", billingCycle: "Monthly", currentPeriodEnd: end },
    });
    expect((await tenant.activate({ billingCycle: "Annual" })).data?.["plan"]).toMatchObject({
      ...{ editionCode: "Free", billingCycle: "Annual", currentPeriodEnd: "2027-01-31T10:00:00.000Z" },
    });
    expect(await tenant.eventTypes()).toEqual([
      ...["SubscriptionCreated", "SubscriptionActivated", "SubscriptionActivated"],
    ]);
  });

  it("that is sent twenty times at once happens once", async () => {
    const tenant = await inState("Pending");
    const input = { editionCode: "Free", billingCycle: "Monthly" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => answered(() => tenant.activate(input))));
    const plans = answers.map(({ data, refusal }) => [refusal, data?.["plan"]]);
    expect(plans).toEqual(plans.map(() => [undefined, expect.objectContaining({ status: "Active", version: 2 })]));
    expect(await tenant.eventTypes()).toEqual(["SubscriptionCreated", "SubscriptionActivated"]);
  });

  it("takes back a cancellation that has not taken effect", async () => {
    const tenant = await inState("Active");
    expect((await tenant.cancel()).data?.["plan"]).toMatchObject({ status: "Active", cancelAt: end });
    expect((await tenant.cancel()).data?.["plan"]).toMatchObject({ cancelAt: end, version: 2 });
    expect((await tenant.activate()).data?.["plan"]).toMatchObject({ cancelAt: null, currentPeriodEnd: end });
  });

  it("names an edition that exists, and no retired edition but its own", async () => {
    const tenant = await inState("Active");
    expect((await tenant.activate({ editionCode: "Gold" })).refusal).toMatchObject({
      code: "REFERENCE_NOT_FOUND",
      errors: [{ pointer: "/input/editionCode", code: "UNKNOWN_VALUE" }],
    });
    await test.edition("Brief", {});
    await tenant.activate({ editionCode: "Brief" });
    await test.spine.ask(platformAdmin(), 'mutation { retireEdition(code: "Brief") { active } }');
    const other = await inState("Active");
    expect((await other.activate({ editionCode: "Brief" })).refusal).toMatchObject({ code: "REFERENCE_NOT_FOUND" });
    expect((await tenant.activate({ editionCode: "Brief", billingCycle: "Annual" })).refusal).toBeUndefined();
  });

  it("is answered again for a repeated Idempotency-Key, also after a cancellation", async () => {
    const tenant = await inState("Pending");
    const first = await tenant.activate({}, "once");
    await tenant.cancel({ atPeriodEnd: false });
    const again = await tenant.activate({}, "once");
    expect([again.replayed, again.data]).toEqual([true, first.data]);
    expect((await tenant.plan()).status).toBe("Cancelled");
  });
});

describe("a payment that failed", () => {
  it("keeps its grace period when it is reported again, and its day of renewal when it is paid late", async () => {
    const tenant = await inState("Active");
    const { data } = await tenant.failPayment({ reason: "No funds." });
    expect(data?.["plan"]).toMatchObject({
      pastDueSince: start.toISOString(),
      graceEndsAt: "2026-02-07T10:00:00.000Z",
    });
    expect((await tenant.events()).at(-1)?.data).toMatchObject({ reason: "No funds." });
    await tenant.failPayment();
    expect((await tenant.plan()).graceEndsAt).toBe("2026-02-07T10:00:00.000Z");
    await tenant.put(
      "status = 'Suspended', current_period_end = '2025-11-30T10:00:00Z', anchor_at = '2025-08-31T10:00:00Z'",
    );
    expect((await tenant.pay()).data?.["plan"]).toMatchObject({
      ...{ status: "Active", pastDueSince: null, graceEndsAt: null },
      ...{ currentPeriodStart: "2026-01-31T10:00:00.000Z", currentPeriodEnd: end },
    });
  });
});

describe("a plan subscription of another tenant", () => {
  const documents = [
    "query ($id: ID!) { planSubscription(planSubscriptionId: $id) { status } }",
    ...["activatePlanSubscription", "cancelPlanSubscription"].map(
      (field) => `mutation ($id: ID!) { ${field}(planSubscriptionId: $id) { status } }`,
    ),
  ];

  it("is unknown, like a malformed id", async () => {
    const [tenant, other] = [await inState("Active"), await inState("Active")];
    const before = await other.plan();
    for (const document of documents)
      for (const id of [other.id, newId("sub"), newId("whs"), "sub_x", ""])
        expect((await tenant.ask(document, { id })).refusal).toMatchObject({ code: "NOT_FOUND", status: 404 });
    const entity = "query ($of: [_Any!]!) { _entities(representations: $of) { ... on PlanSubscription { status } } }";
    const of = [other.id, tenant.id].map((subscriptionId) => ({ __typename: "PlanSubscription", subscriptionId }));
    expect((await tenant.ask(entity, { of })).data?.["_entities"]).toEqual([null, { status: "Active" }]);
    expect(await other.plan()).toEqual(before);
  });

  it("is not confused with that of the tenant that a platform administrator names", async () => {
    const [tenant, other] = [await inState("Active"), await inState("Active")];
    const before = await other.plan();
    for (const field of ["activateTenantPlanSubscription", "reportPaymentFailure", "reportPayment"]) {
      const document = `mutation ($tenantId: ID!, $id: ID!) { ${field}(tenantId: $tenantId, planSubscriptionId: $id) { status } }`;
      for (const id of [other.id, newId("sub"), "sub_x", ""])
        expect((await tenant.askPlatform(document, { id })).refusal).toMatchObject({ code: "NOT_FOUND", status: 404 });
      for (const tenantId of [newId("ten"), "ten_x", ""])
        expect((await tenant.askPlatform(document, { tenantId })).refusal).toMatchObject({ code: "NOT_FOUND" });
    }
    expect(await other.plan()).toEqual(before);
  });

  it("is not reached through the tenant", async () => {
    const other = await inState("Active");
    const document = "query ($tenantId: ID!) { tenant(tenantId: $tenantId) { planSubscription { status } } }";
    const administrator = platformAdmin({ scopes: new Set(["tenant.read", "subscription.read"]) });
    const { data } = await test.spine.ask(administrator, document, { tenantId: other.tenantId });
    expect(data?.["tenant"]).toEqual({ planSubscription: null });
  });
});

describe("the job of a due plan subscription", () => {
  it("cancels the plan subscription of an archived tenant instead of renewing it", async () => {
    const tenant = await inState("Active");
    await test.spine.admin.query("update tenants set status = 'Archived' where tenant_id = $1", [
      decodeId("ten", tenant.tenantId),
    ]);
    await tenant.put(`current_period_end = '${start.toISOString()}', next_change_at = '${start.toISOString()}'`);
    await until(async () => (await tenant.eventTypes()).includes("SubscriptionCancelled"));
    expect((await tenant.events()).at(-1)?.data).toMatchObject({
      status: "Cancelled",
      reason: "The tenant is archived.",
    });
  });

  it("is sent for the other rows when one row fails", async () => {
    const [brokenTenant, wholeTenant] = [await inState("Active"), await inState("Active")];
    // the first tenant's row cannot be changed
    await brokenTenant.put("billing_cycle = null, anchor_at = null");
    for (const tenant of [brokenTenant, wholeTenant])
      await tenant.put(`current_period_end = '${start.toISOString()}', next_change_at = '${start.toISOString()}'`);
    await until(async () => (await wholeTenant.eventTypes()).includes("SubscriptionRenewed"));
    expect(await brokenTenant.eventTypes()).toEqual(["SubscriptionCreated"]);
  });

  it("is sent again when it was lost", async () => {
    const tenant = await inState("Active");
    const due = start.toISOString();
    await tenant.put(`current_period_end = '${due}', next_change_at = '${due}', change_sent_at = now()`);
    await test.spine.spine.jobs.sweep();
    await until(async () => (await tenant.eventTypes()).includes("SubscriptionRenewed"));
    expect(test.spine.spine.jobs.repaired()["plan-subscriptions"]).toBeGreaterThan(0);
  });
});
