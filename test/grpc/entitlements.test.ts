import { EntitlementsDefinition as UnpackagedDefinition } from "@factory/schema/proto/generated/factory/entitlements";
import {
  type CheckRequest,
  type DeepPartial,
  EntitlementsDefinition,
  Reason,
} from "@factory/schema/proto/generated/factory/spine/v1/entitlements";
import { UsageDefinition } from "@factory/schema/proto/generated/factory/spine/v1/usage";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { anEdition } from "../kit/editions.js";
import { eventually } from "../kit/eventually.js";
import { forgedTokens } from "../kit/forged-tokens.js";
import { GrpcChannels } from "../kit/grpc-channels.js";
import { opensslClient } from "../kit/openssl-clients.js";
import { activated, aPlanSubscriptionId } from "../kit/plan-subscriptions.js";
import { realKey } from "../kit/real-key.js";
import { request } from "../kit/request.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

const features = {
  "exports.monthly": { kind: "metered", limit: 100, period: "month", soft: false },
  "sso.enabled": { kind: "boolean", enabled: true },
  "theme.colors": { kind: "config", value: { primary: "#123456" } },
  "executions.monthly": { kind: "metered", limit: 3, period: "month", soft: false },
  "users.max": { kind: "limit", limit: 5 },
  "seats.max": { kind: "limit", limit: 2 },
};

describe("spine.v1.Entitlements", () => {
  const channels = new GrpcChannels();
  const certificate = opensslClient({ names: "DNS:product.factory.internal" });
  let product: Awaited<ReturnType<typeof clientAs>>;
  let edition: string;
  let tenant: TestTenant;
  let token: string;

  const clientAs = async (...parameters: Parameters<GrpcChannels["as"]>) =>
    (await channels.as(...parameters)).client(EntitlementsDefinition);
  const check = async (request: DeepPartial<CheckRequest>, authorization: string | undefined = token) => {
    const headers = authorization === undefined ? {} : { authorization: `Bearer ${authorization}` };
    return product.check(request, { headers });
  };
  const aSubscriber = async () => {
    const subscriber = await aTenant();
    const all = await subscriber.tokenWith();
    await activated(all, edition);
    return { tenant: subscriber, token: all };
  };

  beforeAll(async () => {
    product = await clientAs(certificate);
    edition = (await anEdition(await platformToken(), { features })).code;
    ({ tenant, token } = await aSubscriber());
  });
  afterAll(() => channels.close());

  it("answers clients that openssl made, under both paths", async () => {
    const answer = await check({ tenantId: tenant.tenantId, featureKey: "exports.monthly" });
    expect(answer).toMatchObject({
      ...{ allowed: true, reason: Reason.REASON_ENTITLED, limit: 100, currentUsage: 0, remaining: 100 },
      ...{ softLimit: false, editionCode: edition, ttlSeconds: 30, configJson: "", featureKey: "exports.monthly" },
      resetAt: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/),
    });
    const unpackagedClient = (await channels.as(certificate)).client(UnpackagedDefinition);
    const headers = { authorization: `Bearer ${token}` };
    expect(await unpackagedClient.check({ featureKey: "exports.monthly" }, { headers })).toEqual(answer);
    const checks = ["sso.enabled", "theme.colors", "nothing"].map((featureKey) => ({ featureKey }));
    const { results } = await unpackagedClient.checkMany({ checks }, { headers });
    expect(results.map(({ featureKey, reason, configJson }) => [featureKey, Reason[reason], configJson])).toEqual([
      ["sso.enabled", "REASON_ENTITLED", ""],
      ["theme.colors", "REASON_ENTITLED", '{"primary":"#123456"}'],
      ["nothing", "REASON_FEATURE_UNKNOWN", ""],
    ]);
  });

  // mutual-tls.test.ts covers clients without any certificate
  it("refuses clients without the right certificate", async () => {
    const headers = { authorization: `Bearer ${token}` };
    const strange = opensslClient({ names: "DNS:product.factory.internal", ownAuthority: true });
    await expect((await clientAs(strange)).check({}, { headers })).rejects.toMatchObject({ code: "UNAVAILABLE" });
    for (const names of ["DNS:other.factory.internal", "DNS:product.factory.internal,DNS:catalog.factory.internal"]) {
      const wrong = opensslClient({ names });
      await expect((await clientAs(wrong)).check({}, { headers })).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    }
  });

  it("refuses calls without a valid token of the tenant with its scope", async () => {
    const request = { featureKey: "sso.enabled" };
    await expect(product.check(request)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    for (const forgery of Object.values(await forgedTokens(token)))
      await expect(check(request, forgery)).rejects.toMatchObject({ code: expect.stringMatching(/^TOKEN_/) });
    const [hourAgo, key] = [Math.floor(Date.now() / 1000) - 3600, await realKey(token)];
    const past = { ...decodeJwt(token), iat: hourAgo, nbf: hourAgo, exp: hourAgo + 900 };
    const expiredToken = key.token(decodeProtectedHeader(token), past);
    await expect(check(request, expiredToken)).rejects.toMatchObject({ code: "TOKEN_EXPIRED" });
    const other = await aTenant();
    await expect(check({ ...request, tenantId: other.tenantId })).rejects.toMatchObject({ code: "TENANT_MISMATCH" });
    const unscopedToken = await tenant.tokenWith("subscription.read");
    await expect(check(request, unscopedToken)).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
  });

  it("refuses arguments out of their limits", async () => {
    for (const wrong of [
      { featureKey: "" },
      { featureKey: "exports.monthly", requestedUsage: 0 },
      { featureKey: "exports.monthly", requestedUsage: 1_000_000_001, consume: true },
      { featureKey: "exports.monthly", requestedUsage: (2n ** 53n + 1n) as never, consume: true },
      { featureKey: "exports.monthly", idempotencyKey: "x".repeat(256), consume: true },
      { featureKey: "users.max", consume: true, idempotencyKey: "a" },
    ])
      await expect(check(wrong)).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    const checks = Array.from({ length: 101 }, () => ({ featureKey: "sso.enabled" }));
    const many = product.checkMany({ checks }, { headers: { authorization: `Bearer ${token}` } });
    await expect(many).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  });

  it("allows exactly 100 of 200 parallel consumers, and one key counts once", async () => {
    const consumer = await aSubscriber();
    const request = { featureKey: "exports.monthly", consume: true };
    const answers = await Promise.all(Array.from({ length: 200 }, () => check(request, consumer.token)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(100);
    const [refusal] = answers.filter(({ allowed }) => !allowed);
    expect(refusal).toMatchObject({ reason: Reason.REASON_LIMIT_REACHED, remaining: 0, currentUsage: 100 });
    const keyedSubscriber = await aSubscriber();
    const once = { ...request, requestedUsage: 7, idempotencyKey: "order-1", subjectId: "orders/1" };
    const repeats = await Promise.all(Array.from({ length: 50 }, () => check(once, keyedSubscriber.token)));
    expect(new Set(repeats.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(repeats[0]).toMatchObject({ allowed: true, currentUsage: 7, remaining: 93 });
  });

  it("gives a consumed limit back once, under its key, and nothing else", async () => {
    const subscriber = await aSubscriber();
    const headers = { authorization: `Bearer ${subscriber.token}` };
    const seats = { featureKey: "seats.max" };
    const take = (idempotencyKey: string) => check({ ...seats, consume: true, idempotencyKey }, subscriber.token);
    for (const key of ["a", "b"]) expect((await take(key)).allowed).toBe(true);
    expect((await take("c")).allowed).toBe(false);
    const release = (request: object, by = headers) => product.release({ ...seats, ...request }, { headers: by });
    expect(await release({ idempotencyKey: "a", tenantId: subscriber.tenant.tenantId })).toEqual({ released: true });
    expect(await release({ idempotencyKey: "a" })).toEqual({ released: false });
    expect((await take("c")).currentUsage).toBe(2);
    const other = await aSubscriber();
    expect(await release({ idempotencyKey: "b" }, { authorization: `Bearer ${other.token}` })).toEqual({
      released: false,
    });
    await expect(release({ idempotencyKey: "b", tenantId: other.tenant.tenantId })).rejects.toMatchObject({
      code: "TENANT_MISMATCH",
    });
    for (const wrong of [
      {},
      { idempotencyKey: "a b" },
      { featureKey: "users.max", idempotencyKey: "b" },
      { featureKey: "executions.monthly", idempotencyKey: "b" },
      { featureKey: "exports.monthly", idempotencyKey: "b" },
    ])
      await expect(release(wrong)).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    const unscopedToken = await subscriber.tenant.tokenWith("subscription.read");
    await expect(release({ idempotencyKey: "b" }, { authorization: `Bearer ${unscopedToken}` })).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
  });

  it("acts by another edition, and by the end of the plan, with the same token", async () => {
    const subscriber = await aSubscriber();
    const { code } = await anEdition(await platformToken(), {
      features: { "exports.monthly": { ...features["exports.monthly"], limit: 2 } },
    });
    await check({ featureKey: "exports.monthly", consume: true, requestedUsage: 3 }, subscriber.token);
    await activated(subscriber.token, code);
    const checkLimit = async () => check({ featureKey: "exports.monthly" }, subscriber.token);
    await eventually("the new limit acts", async () => (await checkLimit()).limit === 2);
    expect(await checkLimit()).toMatchObject({
      allowed: false,
      reason: Reason.REASON_LIMIT_REACHED,
      editionCode: code,
    });
    const cancel = `POST /v1/subscriptions/${await aPlanSubscriptionId(subscriber.token)}/cancel`;
    const cancellation = await request(cancel, { token: subscriber.token, body: { atPeriodEnd: false } });
    expect(cancellation.status).toBe(200);
    await eventually(
      "the plan is over",
      async () => (await checkLimit()).reason === Reason.REASON_SUBSCRIPTION_INACTIVE,
    );
  });
});

describe("spine.v1.Usage", () => {
  const channels = new GrpcChannels();
  afterAll(() => channels.close());

  it("is for the subgraphs, keeps the members of a refusal, and gives back what was consumed", async () => {
    const edition = await anEdition(await platformToken(), { features });
    const tenant = await aTenant();
    const { tenantId } = tenant;
    await activated(await tenant.tokenWith(), edition.code);
    const use = { tenantId, featureKey: "executions.monthly", amount: 1 };
    for (const stranger of ["product", "gateway"] as const) {
      const client = (await channels.as(stranger)).client(UsageDefinition);
      const call = client.consume({ ...use, idempotencyKey: "a" });
      await expect(call).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    }
    const catalog = (await channels.as("catalog")).client(UsageDefinition);
    for (const idempotencyKey of ["a", "b", "c", "c"]) await catalog.consume({ ...use, idempotencyKey });
    const consumption = catalog.consume({ ...use, idempotencyKey: "d" });
    await expect(consumption).rejects.toMatchObject({
      code: "QUOTA_EXCEEDED",
      facts: {
        ...{ featureKey: "executions.monthly", limit: 3, editionCode: edition.code },
        ...{ resetAt: expect.stringMatching(/Z$/), retryAfterSeconds: expect.any(Number) },
      },
    });
    for (const _ of [1, 2]) await catalog.release({ ...use, idempotencyKey: "a" });
    await catalog.consume({ ...use, idempotencyKey: "d" });
    await expect(catalog.consume({ ...use, idempotencyKey: "e" })).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    const unknownFeature = catalog.consume({ ...use, featureKey: "nothing", idempotencyKey: "a" });
    await expect(unknownFeature).rejects.toMatchObject({
      code: "ENTITLEMENT_DENIED",
      facts: { featureKey: "nothing" },
    });
    await expect(catalog.consume({ ...use, tenantId: "ten_" })).rejects.toMatchObject({ code: "TENANT_UNKNOWN" });
  });
});
