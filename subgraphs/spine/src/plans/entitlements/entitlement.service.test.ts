import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { type Json, platformAdmin, principal, RunningSpine, testSettings, until } from "../../running-spine.fixture.js";
import { type Spine, startSpine } from "../../subgraph.js";
import { type CheckOrder, checkedOrder } from "./check-order.js";
import { EntitlementService } from "./entitlement.service.js";

const features = {
  "exports.monthly": { kind: "metered", limit: 100, period: "month", soft: false },
  "mails.daily": { kind: "metered", limit: 3, period: "day", soft: true },
  "calls.unlimited": { kind: "metered", limit: null, period: "day", soft: false },
  "projects.max": { kind: "limit", limit: 2 },
  "users.max": { kind: "limit", limit: 5 },
  "webhooks.max": { kind: "limit", limit: 3 },
  "sso.enabled": { kind: "boolean", enabled: true },
  "audit.enabled": { kind: "boolean", enabled: false },
  "theme.colors": { kind: "config", value: { primary: "#123456" } },
};

let platform: RunningSpine;
let second: Spine;
let now = new Date("2026-01-31T23:59:59.500Z");
const clock = () => now;

beforeAll(async () => {
  platform = await RunningSpine.start({ clock });
  second = await startSpine(platform.host, { ...testSettings, clock });
  for (const [code, list] of Object.entries({
    Metered: features,
    Other: { "other.enabled": features["sso.enabled"] },
  })) {
    const { errors } = await platform.ask(
      platformAdmin(),
      "mutation ($input: CreateEditionInput!) { createEdition(input: $input) { code } }",
      { input: { code, name: code, features: list } },
    );
    expect(errors).toEqual([]);
  }
});
afterAll(async () => {
  await second?.close();
  await platform?.stop();
});

let count = 0;

async function subscribed(status = "Active", editionCode = "Metered"): Promise<string> {
  const tenantId = await platform.activeTenant(`entitled-${(count += 1)}`);
  await platform.admin.query("update plan_subscriptions set status = $2, edition_code = $3 where tenant_id = $1", [
    ...[decodeId("ten", tenantId), status, editionCode],
  ]);
  return tenantId;
}

const askAs = (
  consumer: "product" | "platform",
  tenantId: string,
  order: Partial<CheckOrder> & { featureKey: string },
  spine: Spine = platform.spine,
) => {
  const cause = { trace: continueTrace(undefined), actorId: "cli_test" };
  const checkOrder = checkedOrder({ subjectId: "", consume: false, idempotencyKey: "", ...order });
  return spine.get(EntitlementService).check({ tenant: tenantWithId(tenantId), cause, consumer }, checkOrder);
};
const ask = (tenantId: string, order: Partial<CheckOrder> & { featureKey: string }, spine?: Spine) =>
  askAs("product", tenantId, order, spine);

const reachedEvents = async (tenantId: string) =>
  (await platform.eventsOf(tenantId)).filter(({ type }) => type === "EntitlementLimitReached");

describe("EntitlementService.check", () => {
  it("answers each kind of feature", async () => {
    const tenantId = await subscribed();
    const on = { allowed: true, reason: "Entitled", editionCode: "Metered", softLimit: false };
    const off = { ...on, allowed: false };
    expect(await ask(tenantId, { featureKey: "sso.enabled" })).toEqual({ ...on, featureKey: "sso.enabled" });
    expect(await ask(tenantId, { featureKey: "theme.colors" })).toMatchObject({
      ...on,
      config: { primary: "#123456" },
    });
    expect(await ask(tenantId, { featureKey: "audit.enabled" })).toMatchObject({ reason: "FeatureNotInEdition" });
    expect(await ask(tenantId, { featureKey: "other.enabled" })).toMatchObject({ reason: "FeatureNotInEdition" });
    for (const featureKey of ["nothing", "constructor", "__proto__"])
      expect(await ask(tenantId, { featureKey })).toEqual({ ...off, reason: "FeatureUnknown", featureKey });
    expect(await ask(tenantId, { featureKey: "calls.unlimited" })).toMatchObject({ ...on, currentUsage: 0 });
    expect(await ask(tenantId, { featureKey: "exports.monthly", requestedUsage: 100 })).toEqual({
      ...{ ...on, featureKey: "exports.monthly", limit: 100, currentUsage: 0, remaining: 100 },
      resetAt: new Date("2026-02-01T00:00:00Z"),
    });
    expect(await ask(tenantId, { featureKey: "exports.monthly", requestedUsage: 101 })).toMatchObject({
      allowed: false,
      reason: "LimitReached",
    });
    expect(await ask(tenantId, { featureKey: "webhooks.max" })).toEqual({
      ...on,
      featureKey: "webhooks.max",
      limit: 3,
    });
  });

  it("entitles products in three states of the plan subscription, and the platform also before it is activated", async () => {
    const answers: Record<string, boolean[]> = {};
    for (const status of ["Pending", "Trialing", "Active", "PastDue", "Suspended", "Cancelled", "Expired"]) {
      const tenantId = await subscribed(status);
      const both = [askAs("product", tenantId, { featureKey: "sso.enabled" })];
      both.push(askAs("platform", tenantId, { featureKey: "sso.enabled" }));
      answers[status] = (await Promise.all(both)).map(({ allowed }) => allowed);
    }
    expect(answers).toEqual({
      ...{ Pending: [false, true], Trialing: [true, true], Active: [true, true], PastDue: [true, true] },
      ...{ Suspended: [false, false], Cancelled: [false, false], Expired: [false, false] },
    });
  });

  it("refuses unknown tenants, and arguments out of their limits", async () => {
    const nobody = ask("ten_01m7yggj8ve1br8wyj6k2wjn4d", { featureKey: "exports.monthly", consume: true });
    await expect(nobody).rejects.toMatchObject({ code: "TENANT_UNKNOWN" });
    for (const wrong of [
      { featureKey: "" },
      { featureKey: "x".repeat(101) },
      { featureKey: "a", requestedUsage: 0 },
      { featureKey: "a", requestedUsage: -1 },
      { featureKey: "a", requestedUsage: 1_000_000_001 },
      { featureKey: "a", idempotencyKey: "a b" },
      { featureKey: "a", subjectId: "\0" },
    ])
      expect(() => ask("ten_", wrong)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  });
});

describe("Query.entitlements", () => {
  const query = `query ($first: Int, $after: String) { entitlements(first: $first, after: $after) {
    items { featureKey kind allowed reason editionCode limit usage remaining resetAt softLimit value } nextCursor } }`;
  const reader = (tenantId: string) => principal(tenantId, ["subscription.read"]);

  it("lists the features of the edition with their usage, page by page", async () => {
    const tenantId = await subscribed();
    await ask(tenantId, { featureKey: "exports.monthly", consume: true, requestedUsage: 30 });
    const items: Json[] = [];
    let after: string | null = null;
    do {
      const { data } = await platform.ask(reader(tenantId), query, { first: 4, after });
      items.push(...data?.["entitlements"].items);
      after = data?.["entitlements"].nextCursor;
    } while (after !== null);
    expect(items.map(({ featureKey }) => featureKey)).toEqual(Object.keys(features).sort());
    const of = (key: string) => items.find(({ featureKey }) => featureKey === key);
    const allowedAnswer = { allowed: true, reason: "Entitled", editionCode: "Metered", softLimit: false, value: null };
    const noUsage = { limit: null, usage: null, remaining: null, resetAt: null };
    expect(of("exports.monthly")).toEqual({
      ...{ ...allowedAnswer, featureKey: "exports.monthly", kind: "metered", limit: 100, usage: 30, remaining: 70 },
      resetAt: "2026-02-01T00:00:00.000Z",
    });
    expect(of("theme.colors")).toMatchObject({ ...allowedAnswer, ...noUsage, value: { primary: "#123456" } });
    expect(of("audit.enabled")).toMatchObject({ ...noUsage, allowed: false, reason: "FeatureNotInEdition" });
    expect(of("webhooks.max")).toMatchObject({ ...allowedAnswer, limit: 3, usage: null, remaining: null });
  });

  it("needs a cursor of this tenant", async () => {
    const [firstTenant, secondTenant] = [await subscribed(), await subscribed()];
    const { data } = await platform.ask(reader(firstTenant), query, { first: 1 });
    const after = data?.["entitlements"].nextCursor;
    expect((await platform.ask(reader(secondTenant), query, { after })).refusal).toMatchObject({
      code: "INVALID_CURSOR",
    });
  });
});

describe("consumption", () => {
  it("is never above a hard limit: 200 parallel consumers of a limit of 100", async () => {
    const tenantId = await subscribed();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        ask(tenantId, { featureKey: "exports.monthly", consume: true }, at % 2 === 0 ? platform.spine : second),
      ),
    );
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(100);
    const usages = answers.filter(({ allowed }) => allowed).map(({ currentUsage }) => currentUsage ?? 0);
    expect(usages.sort((first, second) => first - second)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
    expect(answers.find(({ allowed }) => !allowed)).toMatchObject({
      reason: "LimitReached",
      currentUsage: 100,
      remaining: 0,
    });
    const events = await reachedEvents(tenantId);
    expect(events.map(({ data }) => data)).toEqual([
      {
        ...{
          tenantId,
          featureKey: "exports.monthly",
          editionCode: "Metered",
          limit: 100,
          usage: 100,
          softLimit: false,
        },
        ...{ periodStart: "2026-01-01T00:00:00.000Z", resetAt: "2026-02-01T00:00:00.000Z" },
      },
    ]);
  });

  it("of one key is counted once, and every repetition has the same answer", async () => {
    const tenantId = await subscribed();
    const order = { featureKey: "exports.monthly", consume: true, requestedUsage: 60, idempotencyKey: "order-1" };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => ask(tenantId, order, at % 2 === 0 ? platform.spine : second)),
    );
    const firstAnswer = { allowed: true, reason: "Entitled", limit: 100, currentUsage: 60, remaining: 40 };
    for (const answer of answers) expect(answer).toMatchObject(firstAnswer);
    await ask(tenantId, { ...order, requestedUsage: 5, idempotencyKey: "order-2" });
    expect(await ask(tenantId, order)).toMatchObject(firstAnswer);
    await expect(ask(tenantId, { ...order, requestedUsage: 61 })).rejects.toMatchObject({
      code: "IDEMPOTENCY_KEY_REUSED",
    });
    await expect(ask(tenantId, { ...order, subjectId: "x" })).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    expect(await ask(tenantId, { featureKey: "exports.monthly" })).toMatchObject({ currentUsage: 65 });
  });

  it("of a key counts again after 24 hours, also before the old key was deleted", async () => {
    const tenantId = await subscribed();
    const order = { featureKey: "exports.monthly", consume: true, idempotencyKey: "daily" };
    await ask(tenantId, order);
    await platform.admin.query("update usage_consumptions set expires_at = now() where tenant_id = $1", [
      decodeId("ten", tenantId),
    ]);
    expect(await ask(tenantId, order)).toMatchObject({ currentUsage: 2 });
    expect(await ask(tenantId, order)).toMatchObject({ currentUsage: 2 });
  });

  it("starts from zero with each month and day in UTC", async () => {
    const tenantId = await subscribed();
    for (const featureKey of ["exports.monthly", "mails.daily"])
      await ask(tenantId, { featureKey, consume: true, requestedUsage: 2 });
    const before = now;
    now = new Date("2026-02-01T00:00:00Z");
    try {
      expect(await ask(tenantId, { featureKey: "exports.monthly" })).toMatchObject({
        ...{ currentUsage: 0, resetAt: new Date("2026-03-01T00:00:00Z") },
      });
      expect(await ask(tenantId, { featureKey: "mails.daily", consume: true })).toMatchObject({
        ...{ currentUsage: 1, resetAt: new Date("2026-02-02T00:00:00Z") },
      });
    } finally {
      now = before;
    }
  });

  it("may exceed a soft limit, which is told once in a period", async () => {
    const tenantId = await subscribed();
    const order = { featureKey: "mails.daily", consume: true, requestedUsage: 2 };
    expect(await ask(tenantId, order)).toMatchObject({
      allowed: true,
      reason: "Entitled",
      softLimit: true,
      remaining: 1,
    });
    expect(await ask(tenantId, { ...order, consume: false })).toMatchObject({
      reason: "SoftLimitExceeded",
      currentUsage: 2,
    });
    for (const currentUsage of [4, 6])
      expect(await ask(tenantId, order)).toMatchObject({
        ...{ allowed: true, reason: "SoftLimitExceeded", currentUsage, remaining: 0 },
      });
    expect(await reachedEvents(tenantId)).toHaveLength(1);
  });

  it("tells once that many parallel consumers have reached a soft limit", async () => {
    const tenantId = await subscribed();
    const order = { featureKey: "mails.daily", consume: true };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => ask(tenantId, order, at % 2 === 0 ? platform.spine : second)),
    );
    expect(answers.filter(({ reason }) => reason === "Entitled")).toHaveLength(3);
    expect(await reachedEvents(tenantId)).toHaveLength(1);
  });

  it("of a limit needs a key, and is given back under it once", async () => {
    const tenantId = await subscribed();
    const order = { featureKey: "projects.max", consume: true };
    await expect(ask(tenantId, order)).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    for (const idempotencyKey of ["a", "b"]) await ask(tenantId, { ...order, idempotencyKey });
    expect(await ask(tenantId, { ...order, idempotencyKey: "c" })).toMatchObject({
      reason: "LimitReached",
      remaining: 0,
    });
    const releasedOrder = checkedOrder({ ...order, idempotencyKey: "a", subjectId: "" });
    const question = {
      tenant: tenantWithId(tenantId),
      cause: { trace: continueTrace(undefined) },
      consumer: "product",
    } as const;
    for (const _ of [1, 2]) await platform.spine.get(EntitlementService).release(question, releasedOrder);
    expect(await ask(tenantId, { ...order, idempotencyKey: "c" })).toMatchObject({ allowed: true, currentUsage: 2 });
    expect(await ask(tenantId, { ...order, idempotencyKey: "d" })).toMatchObject({ allowed: false });
    expect(await reachedEvents(tenantId)).toHaveLength(1);
  });

  it("is refused for features that the platform counts itself", async () => {
    const tenantId = await subscribed();
    const order = { featureKey: "webhooks.max", consume: true, idempotencyKey: "a" };
    await expect(ask(tenantId, order)).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  });

  it("obeys a lowered limit, and tells once that it is reached", async () => {
    const tenantId = await subscribed();
    await ask(tenantId, { featureKey: "exports.monthly", consume: true, requestedUsage: 50 });
    const loweredFeatures = { ...features, "exports.monthly": { ...features["exports.monthly"], limit: 40 } };
    const update = 'mutation ($input: UpdateEditionInput!) { updateEdition(code: "Metered", input: $input) { code } }';
    await platform.ask(platformAdmin(), update, { input: { features: loweredFeatures } });
    await until(async () => (await ask(tenantId, { featureKey: "exports.monthly" })).limit === 40);
    for (const _ of [1, 2])
      expect(await ask(tenantId, { featureKey: "exports.monthly", consume: true })).toMatchObject({
        ...{ allowed: false, reason: "LimitReached", limit: 40, currentUsage: 50, remaining: 0 },
      });
    expect(await reachedEvents(tenantId)).toHaveLength(1);
    await platform.ask(platformAdmin(), update, { input: { features } });
  });
});
