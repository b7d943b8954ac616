import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { Database } from "@factory/runtime/unit-of-work/database";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { integrationTables } from "../../tables.js";
import { VendorCallCounts } from "./call-counts.js";
import type { VendorTarget } from "./exchange/vendor-call.js";
import { TokenEndpoint } from "./token-endpoint.js";
import { TokenStore } from "./token-store.js";
import { aVendorServer, type VendorServer } from "./vendor.fixture.js";
import { VendorCalls } from "./vendor-calls.js";
import { aVendorTarget, refusalOf } from "./vendor-connection.fixture.js";
import { VendorProbe } from "./vendor-probe.js";

const minute = 60_000;
let skippedMs = 0;
let fixture: IntegrationFixture;
let database: Database;
let vendor: VendorServer;
let principal: Principal;
/** The form in each request to the token endpoint. */
let tokenRequests: URLSearchParams[];
/** The client secrets that the token endpoint accepts. */
let acceptedSecrets: string[];
let tokenStatus: number | undefined;

beforeAll(async () => {
  const clock = () => new Date(Date.now() + skippedMs);
  [fixture, vendor] = await Promise.all([startIntegrationFixture({ clock }), aVendorServer()]);
  const { connections } = fixture;
  database = await Database.open({ connections, ...integrationTables }, createLogger("test", "silent"));
});

beforeEach(() => {
  principal = aPrincipal();
  vendor.requests.length = 0;
  [tokenRequests, acceptedSecrets, skippedMs, tokenStatus] = [[], ["old", "new"], 0, undefined];
  vendor.answer = ({ path, body }) => {
    if (!path.startsWith("/token")) return {};
    const form = new URLSearchParams(body);
    tokenRequests.push(form);
    if (tokenStatus !== undefined) return { status: tokenStatus, headers: { "retry-after": "40" } };
    const secret = form.get("client_secret") ?? "";
    if (!acceptedSecrets.includes(secret)) return { status: 401, body: '{"error":"invalid_client"}' };
    const refresh =
      form.get("grant_type") === "client_credentials" ? {} : { refresh_token: `r${tokenRequests.length}` };
    const token = { access_token: `${path} ${secret} ${tokenRequests.length}`, token_type: "Bearer", ...refresh };
    return { body: JSON.stringify({ ...token, expires_in: 3600 }) };
  };
});

afterAll(async () => {
  await database.close();
  await fixture.close();
  await vendor.close();
});

const target = ({ secret = "old", authMode = "OAuth2ClientCredentials", configuration = {} } = {}) =>
  aVendorTarget(fixture, principal, {
    ...{ authMode, configuration, baseUrl: `${vendor.origin}/v1`, kind: "Custom" },
    secret: { clientId: "client", clientSecret: secret },
    driver: {
      oauth2: {
        tokenUrl: `${vendor.origin}/token`,
        authorizationUrl: `${vendor.origin}/authorize`,
        clientAuthentication: "client_secret_post",
      },
    },
  });

/** A connection that a person has authorized. */
async function authorized(): Promise<VendorTarget> {
  const to = await target({ authMode: "OAuth2AuthorizationCode" });
  const tokens = await integration()
    .get(TokenEndpoint)
    .exchange(to, { grant_type: "authorization_code", code: "code" });
  await database.transaction(to.tenant, to.cause, (transaction) =>
    integration().get(TokenStore).store(transaction, to.connection.connectionId, tokens),
  );
  return to;
}

const integration = () => fixture.integration;
const call = (to: VendorTarget) =>
  integration().get(VendorCalls).call(to, { purpose: "command", method: "GET", path: "/me", retry: "never" });
const probe = (to: VendorTarget) => integration().get(VendorProbe).probe(to);
const withConnection = (to: VendorTarget, change: Partial<VendorTarget["connection"]>): VendorTarget => ({
  ...to,
  connection: { ...to.connection, ...change },
});
/** The secrets and numbers in the tokens that calls have shown. */
const shownTokens = () =>
  vendor.requests.flatMap(({ path, headers }) =>
    path === "/v1/me" ? [headers["authorization"]?.replace("Bearer ", "")] : [],
  );
const grants = () => tokenRequests.map((form) => form.get("grant_type"));
const tokenEvents = async () =>
  (
    await fixture.rows<{ type: string }>(
      "select type from integration.outbox where tenant_id = $1 and type like 'Token%' order by seq",
      decodeId("ten", principal.tenantId ?? ""),
    )
  ).map(({ type }) => type);

async function mutate(source: string, variables: Record<string, unknown>): Promise<void> {
  const { errors } = await fixture.run(principal, source, variables);
  expect(errors).toBeUndefined();
}

/** Rotates the client secret, and waits until the new one is the current one. */
async function rotated({ connection: { credentialId } }: VendorTarget, graceSeconds: number): Promise<void> {
  const secret = { clientId: "client", clientSecret: "new" };
  await mutate("mutation ($input: RotateCredentialInput!) { rotateCredential(input: $input) { status } }", {
    input: { credentialId, secret, graceSeconds },
  });
  await eventually(async () => {
    const { data } = await fixture.run(
      principal,
      "query ($id: ID!) { credential(credentialId: $id) { status currentVersionRef } }",
      { id: credentialId },
    );
    const { status, currentVersionRef } = data.credential;
    return status === "Active" && currentVersionRef.endsWith("#v2") ? true : undefined;
  });
}

describe("a probe where only tokens show whether the credential works", () => {
  it("gets a new token each time, which calls use and no event tells", async () => {
    const to = await target();
    await call(to);
    for (let times = 0; times < 3; times += 1) {
      skippedMs += minute;
      expect(await probe(to)).toMatchObject({ outcome: "ok" });
    }
    await call(to);
    expect([tokenRequests.length, shownTokens()]).toEqual([4, ["/token old 1", "/token old 4"]]);
    expect(await tokenEvents()).toEqual(["TokenRefreshed"]);
  });

  it("finds a credential that the vendor has ended, while calls use the good token that is left", async () => {
    const to = await target();
    await call(to);
    acceptedSecrets = [];
    expect(await probe(to)).toMatchObject({ outcome: "rejected" });
    expect(await call(to)).toMatchObject({ status: 200 });
    expect(tokenRequests).toHaveLength(2);
    expect(await tokenEvents()).toEqual(["TokenRefreshed", "TokenRefreshFailed"]);
  });

  it("renews the token of a person only when it is due, and says when nobody was asked", async () => {
    const to = await authorized();
    expect(await probe(to)).toMatchObject({ outcome: "ok" });
    skippedMs = 10 * minute;
    expect(await probe(to)).toMatchObject({ outcome: "unchecked", status: undefined });
    skippedMs = 58 * minute;
    expect(await probe(to)).toMatchObject({ outcome: "ok" });
    expect(grants()).toEqual(["authorization_code", "refresh_token"]);
  });
});

describe("a stored token", () => {
  it("of another credential is not used, nor its failure", async () => {
    const to = await target();
    const other = (await target({ secret: "wrong" })).connection.credentialId;
    await call(to);
    const changedTarget = withConnection(to, { credentialId: other });
    for (const work of [
      probe(changedTarget).then(({ outcome }) => outcome),
      refusalOf(call(changedTarget)).then(({ code }) => code),
    ])
      expect(["rejected", "CREDENTIAL_REJECTED"]).toContain(await work);
    expect(await call(to)).toMatchObject({ status: 200 });
    expect(shownTokens()).toEqual(["/token old 1", "/token old 1"]);
    const third = (await target({ secret: "new" })).connection.credentialId;
    expect(await probe(withConnection(to, { credentialId: third }))).toMatchObject({ outcome: "ok" });
    await call(withConnection(to, { credentialId: third }));
    expect(shownTokens().at(-1)).toMatch(/^\/token new /);
  });

  it("of other settings is not used where the token endpoint names them", async () => {
    const to = await target({ configuration: { account: "one", region: "eu" } });
    // as a preset may
    await fixture.rows(
      `update integration.providers set driver = jsonb_set(driver::jsonb, '{oauth2,tokenUrl}', to_jsonb($2::text)) where provider_id = $1`,
      decodeId("prv", to.connection.providerId),
      `${vendor.origin}/token/{account}`,
    );
    await call(to);
    await call(withConnection(to, { configuration: { account: "one", region: "us" } }));
    await call(withConnection(to, { configuration: { account: "two", region: "eu" } }));
    expect(shownTokens()).toEqual(["/token/one old 1", "/token/one old 1", "/token/two old 2"]);
  });

  it("and its refresh token are not used with another credential than the one that a person has authorized", async () => {
    const to = await authorized();
    const other = (await target({ secret: "new" })).connection.credentialId;
    const refusal = await refusalOf(call(withConnection(to, { credentialId: other })));
    expect(refusal).toMatchObject({ code: "AUTHORIZATION_REQUIRED" });
    expect(refusal.message).toContain("another credential");
    expect([grants(), shownTokens()]).toEqual([["authorization_code"], []]);
  });

  it("that was got with the former secret is used until the grace period ends", async () => {
    const to = await target();
    await call(to);
    await rotated(to, 600);
    acceptedSecrets = ["new"];
    await call(to);
    expect(shownTokens()).toEqual(["/token old 1", "/token old 1"]);
    skippedMs = 11 * minute;
    await call(to);
    expect(shownTokens().at(-1)).toMatch(/^\/token new /);
  });

  it("is renewed at once when the former secret may be known to others, by the refresh token of the person", async () => {
    const to = await authorized();
    await rotated(to, 0);
    await call(to);
    expect(grants()).toEqual(["authorization_code", "refresh_token"]);
    expect(shownTokens()).toEqual(["/token new 2"]);
  });

  it.each([
    ["client credentials", () => target()],
    ["a person", authorized],
  ])("of %s is destroyed when its credential is revoked", async (_, make) => {
    const to = await make();
    await call(to);
    const { connectionId, credentialId } = to.connection;
    await mutate("mutation ($id: ID!) { revokeCredential(credentialId: $id) { status } }", { id: credentialId });
    expect(await refusalOf(call(to))).toMatchObject({ code: "INVALID_STATE", facts: { currentState: "Revoked" } });
    expect(await refusalOf(probe(to))).toMatchObject({ code: "INVALID_STATE" });
    expect([shownTokens().length, tokenRequests.length]).toEqual([1, 1]);
    const tokenRows = await fixture.rows(
      "select from integration.connection_tokens where connection_id = $1 and ciphertext is not null",
      decodeId("con", connectionId),
    );
    expect(tokenRows).toEqual([]);
  });

  it("is not used when its credential has expired", async () => {
    const to = await target();
    await call(to);
    await fixture.rows(
      "update integration.credentials set status = 'Expired' where credential_id = $1",
      decodeId("crd", to.connection.credentialId ?? ""),
    );
    expect(await refusalOf(call(to))).toMatchObject({ code: "INVALID_STATE", facts: { currentState: "Expired" } });
    expect(shownTokens()).toHaveLength(1);
  });
});

describe("a request to a token endpoint", () => {
  const countOf = (outcome: string) =>
    integration()
      .get(VendorCallCounts)
      .all.find(({ purpose, outcome: other }) => purpose === "token" && other === outcome)?.count ?? 0;

  it("is counted and traced, also with the former secret", async () => {
    const to = await target();
    await rotated(to, 600);
    const before = { answered: countOf("answered"), rejected: countOf("rejected") };
    const { fallbacks } = integration().get(VendorCallCounts);
    acceptedSecrets = ["old"];
    await call(to);
    expect([countOf("answered") - before.answered, countOf("rejected") - before.rejected]).toEqual([1, 1]);
    expect(integration().get(VendorCallCounts).fallbacks).toBe(fallbacks + 1);
    const [first] = vendor.requests;
    expect(first?.path).toBe("/token");
    expect(first?.headers["traceparent"]).toContain(to.cause.trace.traceId);
  });

  it("keeps the pause that the vendor asks for, as calls do", async () => {
    const to = await target();
    const before = countOf("limited");
    tokenStatus = 429;
    expect(await refusalOf(call(to))).toMatchObject({ code: "RATE_LIMITED", facts: { retryAfterSeconds: 40 } });
    tokenStatus = undefined;
    expect(await refusalOf(probe(to))).toMatchObject({ code: "RATE_LIMITED" });
    expect([tokenRequests.length, countOf("limited") - before]).toEqual([1, 2]);
    expect(await tokenEvents()).toEqual([]);
  });

  it("is not made for a provider that is disabled", async () => {
    const to = await target();
    const disable = "mutation ($id: ID!) { disableProvider(providerId: $id) { status } }";
    await mutate(disable, { id: to.connection.providerId });
    const grant = { grant_type: "authorization_code", code: "code" };
    for (const work of [probe(to), integration().get(TokenEndpoint).exchange(to, grant)])
      expect(await refusalOf(work)).toMatchObject({ code: "INVALID_STATE", facts: { currentState: "Disabled" } });
    expect(tokenRequests).toHaveLength(0);
  });
});

it.each(["Suspended", "Disabled"])("a connection that is %s is probed and not called", async (status) => {
  const to = withConnection(await target(), { status });
  expect(await refusalOf(call(to))).toMatchObject({ code: "INVALID_STATE", facts: { currentState: status } });
  expect(vendor.requests).toHaveLength(0);
  expect(await probe(to)).toMatchObject({ outcome: "ok" });
});
