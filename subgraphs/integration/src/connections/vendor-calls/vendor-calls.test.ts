import { createHmac } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { VendorCallCounts } from "./call-counts.js";
import { type CallOutcome, VendorCallOutcomes } from "./call-outcomes.js";
import type { VendorRequest, VendorTarget } from "./exchange/vendor-call.js";
import { aVendorServer, type VendorServer } from "./vendor.fixture.js";
import { VendorCalls } from "./vendor-calls.js";
import { aVendorTarget, refusalOf } from "./vendor-connection.fixture.js";
import { VendorProbe } from "./vendor-probe.js";

let fixture: IntegrationFixture;
let vendor: VendorServer;
let principal: Principal;

beforeAll(async () => {
  [fixture, vendor] = await Promise.all([startIntegrationFixture(), aVendorServer()]);
});

beforeEach(() => {
  principal = aPrincipal();
  vendor.requests.length = 0;
  vendor.answer = () => ({});
});

afterAll(async () => {
  await fixture.close();
  await vendor.close();
});

const target = (options: Partial<Parameters<typeof aVendorTarget>[2]> = {}): Promise<VendorTarget> =>
  aVendorTarget(fixture, principal, {
    ...{ authMode: "ApiKey", baseUrl: `${vendor.origin}/v1`, secret: { apiKey: "the-key" }, kind: "ApiKey" },
    ...options,
  });

const get: VendorRequest = { purpose: "command", method: "GET", path: "/me" };
const call = (to: VendorTarget, request: Partial<VendorRequest> = {}) =>
  fixture.integration.get(VendorCalls).call(to, { ...get, ...request });
const lastRequest = () => vendor.requests.at(-1);

describe("the authentication of a vendor call", () => {
  it("sends an API key as a bearer token, with the trace of the cause", async () => {
    const to = await target();
    expect(await call(to)).toMatchObject({ status: 200, credentialRejected: false, attempts: 1 });
    expect(lastRequest()).toMatchObject({
      method: "GET",
      path: "/v1/me",
      headers: { authorization: "Bearer the-key" },
    });
    expect(lastRequest()?.headers["traceparent"]).toContain(to.cause.trace.traceId);
  });

  it.each([
    [{ in: "header", name: "X-Api-Key" }, { "x-api-key": "the-key" }, "/v1/me?a=b+c"],
    [{ in: "query", name: "key" }, {}, "/v1/me?a=b+c&key=the-key"],
  ])("sends an API key as the driver says: %j", async (apiKey, headers, path) => {
    await call(await target({ driver: { apiKey } }), { query: { a: "b c" } });
    expect(lastRequest()).toMatchObject({ path, headers });
  });

  it.each([
    ["Basic", "Basic", { username: "ann", password: "pä:ss" }, `Basic ${Buffer.from("ann:pä:ss").toString("base64")}`],
    ["BearerToken", "BearerToken", { token: "abc" }, "Bearer abc"],
  ])("sends %s", async (authMode, kind, secret, authorization) => {
    await call(await target({ authMode, kind, secret }));
    expect(lastRequest()?.headers["authorization"]).toBe(authorization);
  });

  it("signs method, path, time and body with HMAC", async () => {
    const hmac = {
      algorithm: "sha512",
      header: "X-Sign",
      encoding: "base64",
      prefix: "v1=",
      timestampHeader: "X-Time",
    };
    const secret = { secret: "shared", keyId: "k1" };
    const to = await target({ authMode: "HmacSignature", kind: "HmacSignature", secret, driver: { hmac } });
    await call(to, { method: "POST", body: "héllo", query: { a: "1" } });
    const { "x-time": time = "", "x-sign": sign, "x-key-id": keyId } = lastRequest()?.headers ?? {};
    const expectedSignature = createHmac("sha512", "shared")
      .update(`POST\n/v1/me?a=1\n${String(time)}\nhéllo`)
      .digest("base64");
    expect([sign, keyId]).toEqual([`v1=${expectedSignature}`, "k1"]);
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60);
  });

  it("signs a JWT as a bearer token when the provider has no token endpoint", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    const secret = { issuer: "app-1", privateKey: await exportPKCS8(privateKey), keyId: "k1" };
    await call(await target({ authMode: "JwtBearer", kind: "JwtBearer", secret }));
    const token = lastRequest()?.headers["authorization"]?.replace("Bearer ", "") ?? "";
    const verifiedToken = await jwtVerify(token, publicKey, {
      issuer: "app-1",
      subject: "app-1",
      audience: vendor.origin,
    });
    expect(verifiedToken.protectedHeader).toMatchObject({ alg: "ES256", kid: "k1" });
  });

  it.each(["OAuth1", "TwoStep", "AwsSigV4", "Custom"])("refuses the mode %s", async (authMode) => {
    const to = await target({ authMode });
    expect(await refusalOf(call(to))).toMatchObject({ code: "AUTH_MODE_NOT_SUPPORTED" });
    expect(await refusalOf(fixture.integration.get(VendorProbe).probe(to))).toMatchObject({
      code: "AUTH_MODE_NOT_SUPPORTED",
    });
    expect(vendor.requests).toHaveLength(0);
  });
});

describe("the place that a secret is sent to", () => {
  it("is one of the hosts that the credential names", async () => {
    const hostName = new URL(vendor.origin).host;
    expect(await call(await target({ secret: { apiKey: "k", hosts: [hostName] } }))).toMatchObject({ status: 200 });
    const elsewhere = await target({ secret: { apiKey: "k", hosts: ["api.example"] } });
    expect(await refusalOf(call(elsewhere))).toMatchObject({ code: "CREDENTIAL_UNUSABLE" });
    expect(vendor.requests).toHaveLength(1);
  });

  it("is never the target of a redirect", async () => {
    vendor.answer = () => ({ status: 302, headers: { location: "http://127.0.0.2:9/" } });
    expect(await call(await target())).toMatchObject({ status: 302 });
    expect(vendor.requests).toHaveLength(1);
  });

  it("is the host of the base URL, whatever the configuration says", async () => {
    const to = await target({ configuration: { account: "../../a/b?c#d", dots: ".." } });
    await call(to, { path: "/accounts/{account}/me" });
    expect(lastRequest()?.path).toBe("/v1/accounts/..%2F..%2Fa%2Fb%3Fc%23d/me");
    for (const path of ["/{dots}/x", "/../x", "/a/%2e%2E/x", "/\\evil.example/x"])
      expect(await refusalOf(call(to, { path }))).toMatchObject({ code: "VALIDATION_FAILED" });
    const missing = await refusalOf(call(to, { path: "/{region}" }));
    expect(missing.facts.detail).toContain('"region"');
  });

  it("appears in no refusal", async () => {
    const to = await target({ baseUrl: "http://127.0.0.1:1/v1", driver: { apiKey: { in: "query", name: "key" } } });
    const refusal = await refusalOf(call(to, { retry: "never" }));
    expect(refusal).toMatchObject({ code: "UPSTREAM_FAILED", facts: { detail: "The vendor cannot be connected to." } });
    expect(JSON.stringify([refusal.message, refusal.stack, refusal.facts])).not.toContain("the-key");
  });
});

describe("a vendor that fails", () => {
  it("is asked again for safe methods, and for others with an idempotency key only", async () => {
    const driver = { idempotencyHeader: "Idempotency-Key" };
    const to = await target({ driver });
    const statuses = () => {
      const remainingStatuses = [503, 502];
      vendor.requests.length = 0;
      vendor.answer = () => ({ status: remainingStatuses.shift() ?? 200 });
    };
    statuses();
    expect(await call(to)).toMatchObject({ status: 200, attempts: 3 });
    statuses();
    expect(await call(to, { method: "POST" })).toMatchObject({ status: 503, attempts: 1 });
    statuses();
    expect(await call(to, { method: "POST", idempotencyKey: "key-1" })).toMatchObject({ status: 200, attempts: 3 });
    expect(vendor.requests.map(({ headers }) => headers["idempotency-key"])).toEqual(["key-1", "key-1", "key-1"]);
  });

  it("that asks for a pause gets no call until it is over, also not from another process", async () => {
    vendor.answer = () => ({ status: 429, headers: { "retry-after": "600" } });
    const to = await target();
    expect(await refusalOf(call(to))).toMatchObject({ code: "RATE_LIMITED", facts: { retryAfterSeconds: 600 } });
    await fixture.restart();
    expect(await refusalOf(call(to))).toMatchObject({ code: "RATE_LIMITED" });
    expect(vendor.requests).toHaveLength(1);
  });

  it("that is silent ends the call in time, and opens a breaker for its tenant only", async () => {
    vendor.answer = () => "never";
    let [to, path, timeoutMs] = [await target(), "", 250];
    const requests = () => vendor.requests.filter((request) => request.path === `/v1${path}`);
    // a slow machine needs more time to ask the vendor
    do {
      timeoutMs *= 2;
      path = `/silent/${timeoutMs}`;
      principal = aPrincipal();
      to = await target();
      for (let times = 0; times < 5; times += 1)
        expect(await refusalOf(call(to, { path, timeoutMs }))).toMatchObject({ code: "UPSTREAM_TIMEOUT" });
    } while (requests().length < 5);
    expect(await refusalOf(call(to, { path }))).toMatchObject({ code: "UNAVAILABLE" });
    expect(requests()).toHaveLength(5);
    vendor.answer = () => ({});
    principal = aPrincipal();
    expect(await call(await target())).toMatchObject({ status: 200 });
  });

  it("holds slots of its connection and tenant, while other tenants are served", async () => {
    vendor.answer = () => "never";
    const abortController = new AbortController();
    const hanging = await Promise.all(Array.from({ length: 5 }, () => target()));
    const calls = hanging.flatMap((to) =>
      Array.from({ length: 20 }, () => call({ ...to, signal: abortController.signal }, { timeoutMs: 30_000 })),
    );
    for (const pendingCall of calls) pendingCall.catch(() => undefined);
    await eventually(() => (vendor.requests.length >= 32 ? true : undefined));
    principal = aPrincipal();
    vendor.answer = () => ({});
    expect(await call(await target())).toMatchObject({ status: 200 });
    expect(vendor.requests).toHaveLength(33);
    abortController.abort(new Error("the test is over"));
    const ends = await Promise.allSettled(calls);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  });
});

describe("the rate limit of a vendor", () => {
  it("is kept for each connection", async () => {
    const to = await target({ driver: { rateLimit: { requests: 4, perSeconds: 600 } } });
    expect(await call(to)).toMatchObject({ status: 200 });
    const refusal = await refusalOf(call(to));
    expect(refusal.code).toBe("RATE_LIMITED");
    // one call comes back every 150 s, and some seconds have passed
    expect(refusal.facts["retryAfterSeconds"]).toBeGreaterThan(100);
    expect(refusal.facts["retryAfterSeconds"]).toBeLessThanOrEqual(150);
  });

  it("delays calls that can wait", async () => {
    const to = await target({ driver: { rateLimit: { requests: 8, perSeconds: 2 } } });
    const startTime = performance.now();
    await Promise.all([1, 2, 3, 4].map(() => call(to)));
    expect(performance.now() - startTime).toBeGreaterThan(500);
    expect(vendor.requests).toHaveLength(4);
  });
});

describe("what a call reports", () => {
  it("is its outcome, by the name of the preset and never by the key of a tenant", async () => {
    const outcomes: CallOutcome[] = [];
    fixture.integration.get(VendorCallOutcomes).listen((outcome) => outcomes.push(outcome));
    const to = await target();
    const counts = fixture.integration.get(VendorCallCounts);
    const before = counts.all.find(({ outcome }) => outcome === "rejected")?.count ?? 0;
    vendor.answer = () => ({ status: 403 });
    expect(await call({ ...to, runId: "run" })).toMatchObject({ status: 403, credentialRejected: true });
    expect(outcomes).toEqual([
      {
        ...{ tenantId: principal.tenantId, connectionId: to.connection.connectionId, ok: false, status: 403 },
        ...{ purpose: "command", credentialRejected: true, rateLimited: false, runId: "run" },
      },
    ]);
    expect(counts.all).toContainEqual({
      provider: "other",
      purpose: "command",
      outcome: "rejected",
      count: before + 1,
    });
  });
});

describe("a probe", () => {
  const probe = (to: VendorTarget) => fixture.integration.get(VendorProbe).probe(to);

  it("sends the request of the driver and judges its status", async () => {
    const driver = { probe: { method: "GET", path: "/user", okStatuses: [204] } };
    const to = await target({ driver });
    expect(await probe(to)).toMatchObject({ outcome: "failed", status: 200 });
    vendor.answer = () => ({ status: 204 });
    expect(await probe(to)).toMatchObject({ outcome: "ok", status: 204 });
    vendor.answer = () => ({ status: 401 });
    expect(await probe(to)).toMatchObject({ outcome: "rejected", status: 401 });
    expect(lastRequest()?.path).toBe("/v1/user");
  });

  it("reads 64 KiB of an answer, in which an expected value must stand", async () => {
    const plain = await target({ driver: { probe: { method: "GET", path: "/me" } } });
    const probeRequest = { method: "GET", path: "/me", expect: { value: "body:/ok", equals: "true" } };
    const strict = await target({ driver: { probe: probeRequest } });
    vendor.answer = () => ({ body: JSON.stringify({ ok: true, padding: "x".repeat(60_000) }) });
    for (const to of [plain, strict]) expect(await probe(to)).toMatchObject({ outcome: "ok" });
    vendor.answer = () => ({ body: `{"ok":true}${" ".repeat(70_000)}` });
    expect(await probe(plain)).toMatchObject({ outcome: "ok", status: 200 });
    expect(await probe(strict)).toMatchObject({
      outcome: "failed",
      detail: "The vendor's answer to the probe is longer than 64 KiB.",
    });
    expect(await call(plain)).toMatchObject({ truncated: false, body: { byteLength: 70_011 } });
  });

  it("checks nothing where the provider has none", async () => {
    expect(await probe(await target())).toMatchObject({ outcome: "unchecked" });
    expect(vendor.requests).toHaveLength(0);
  });
});
