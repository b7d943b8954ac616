import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { StartedSubgraph } from "@factory/runtime/subgraph/start-subgraph";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { Database } from "@factory/runtime/unit-of-work/database";
import { decodeJwt } from "jose";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { startIntegration } from "../../subgraph.js";
import { integrationTables } from "../../tables.js";
import type { VendorTarget } from "./exchange/vendor-call.js";
import type { VendorTokens } from "./token-answer.js";
import { aTokenServer, type TokenServer } from "./token-server.fixture.js";
import { TokenStore } from "./token-store.js";
import { aVendorServer, type VendorServer } from "./vendor.fixture.js";
import { VendorCalls } from "./vendor-calls.js";
import { aVendorTarget, refusalOf } from "./vendor-connection.fixture.js";
import { VendorProbe } from "./vendor-probe.js";

const masterKeys = new MasterKeys(Buffer.alloc(32, 7));
const minute = 60_000;
let skippedMs = 0;
const clock = () => new Date(Date.now() + skippedMs);
let fixture: IntegrationFixture;
let other: StartedSubgraph;
let database: Database;
let vendor: VendorServer;
let server: TokenServer;
let principal: Principal;

beforeAll(async () => {
  vendor = await aVendorServer();
  [fixture, server] = await Promise.all([startIntegrationFixture({ masterKeys, clock }), aTokenServer(vendor)]);
  const { connections, bus } = fixture;
  const logger = createLogger("test", "silent");
  database = await Database.open({ connections, ...integrationTables }, logger);
  other = await startIntegration({ connections, bus, logger }, { masterKeys, clock, allowLoopback: true });
});

beforeEach(() => {
  principal = aPrincipal();
  vendor.requests.length = 0;
  skippedMs = 0;
  (server.grants as Map<string, number>).clear();
  vendor.answer = ({ headers }) => (isAccepted(headers["authorization"]) ? {} : { status: 401 });
});

afterAll(async () => {
  await database.close();
  await other.close();
  await fixture.close();
  await vendor.close();
});

let revokedToken: string | undefined;
const isAccepted = (authorization: string | undefined) =>
  authorization !== undefined && authorization !== `Bearer ${revokedToken ?? ""}`;

function target(
  options: { authMode?: string; secret?: object; clientAuthentication?: string; tokenUrl?: string } = {},
) {
  const { authMode = "OAuth2ClientCredentials", clientAuthentication = "client_secret_basic" } = options;
  const { secret = { clientId: "basic", clientSecret: server.clientSecret }, tokenUrl = server.tokenUrl } = options;
  return aVendorTarget(fixture, principal, {
    ...{ authMode, baseUrl: `${vendor.origin}/v1`, kind: "Custom", secret },
    driver: { oauth2: { tokenUrl, clientAuthentication, scopes: ["api"] } },
  });
}

const call = (to: VendorTarget, by: StartedSubgraph = fixture.integration) =>
  by.get(VendorCalls).call(to, { purpose: "command", method: "GET", path: "/me", timeoutMs: 60_000 });
const tokensSent = () =>
  new Set(vendor.requests.map(({ headers }) => headers["authorization"]?.replace("Bearer ", "")));
const grants = () => Object.fromEntries(server.grants);

/** A connection as after an authorization at the vendor. */
async function authorized(refreshToken: string, accessToken = "first"): Promise<VendorTarget> {
  const to = await target({ authMode: "OAuth2AuthorizationCode" });
  await authorize(to, { accessToken, refreshToken, expiresIn: 600, scope: "api" });
  return to;
}

async function authorize(to: VendorTarget, tokens: Omit<VendorTokens, "client">): Promise<void> {
  const { connectionId, credentialId } = to.connection;
  const client = { credentialId: credentialId ?? "", version: 1, settings: "" };
  const store = fixture.integration.get(TokenStore);
  await database.transaction(to.tenant, to.cause, (transaction) =>
    store.store(transaction, connectionId, { ...tokens, client }),
  );
}

async function events(): Promise<{ type: string; data: unknown }[]> {
  const rows = await fixture.rows<{ envelope: { type: string; data: unknown } }>(
    "select envelope from integration.outbox where tenant_id = $1 and type like 'Token%' order by seq",
    decodeId("ten", principal.tenantId ?? ""),
  );
  return rows.map(({ envelope: { type, data } }) => ({ type, data }));
}

describe("the token of client credentials", () => {
  it("is got once and used by all calls until shortly before its end", async () => {
    const to = await target();
    for (let times = 0; times < 3; times += 1) expect(await call(to)).toMatchObject({ status: 200 });
    const [token = ""] = tokensSent();
    expect([tokensSent().size, await server.isValid(token ?? "")]).toEqual([1, true]);
    skippedMs = 8 * minute;
    await call(to);
    expect(tokensSent().size).toBe(1);
    skippedMs = 9.5 * minute;
    await call(to);
    expect([tokensSent().size, grants()]).toEqual([2, { client_credentials: 2 }]);
    expect(await events()).toEqual([
      ...Array.from({ length: 2 }, () => ({
        type: "TokenRefreshed",
        data: {
          ...{ connectionId: to.connection.connectionId, providerId: to.connection.providerId, scope: "api" },
          expiresAt: expect.stringMatching(/^2\d{3}-.*Z$/),
        },
      })),
    ]);
  });

  it.each([
    ["client_secret_post", () => ({ clientId: "post", clientSecret: server.clientSecret })],
    [
      "private_key_jwt",
      () => ({ clientId: "keyed", privateKey: server.privateKey, audience: `${vendor.origin}/oauth` }),
    ],
  ])("is got by a client that authenticates with %s", async (clientAuthentication, secret) => {
    expect(await call(await target({ clientAuthentication, secret: secret() }))).toMatchObject({ status: 200 });
    expect(grants()).toEqual({ client_credentials: 1 });
  });

  it("is got anew once when the vendor refuses it", async () => {
    const to = await target();
    await call(to);
    [revokedToken] = tokensSent();
    expect(await call(to)).toMatchObject({ status: 200, credentialRejected: false });
    vendor.answer = () => ({ status: 401 });
    expect(await call(to)).toMatchObject({ status: 401, credentialRejected: true });
    expect(grants()).toEqual({ client_credentials: 3 });
  });

  it("is sent only to the hosts that the credential names", async () => {
    const { host } = new URL(vendor.origin);
    const secret = { clientId: "basic", clientSecret: server.clientSecret, hosts: [host] };
    expect(await call(await target({ secret }))).toMatchObject({ status: 200 });
    const elsewhere = await aVendorTarget(fixture, principal, {
      ...{ authMode: "OAuth2ClientCredentials", baseUrl: "http://localhost:9/v1", kind: "Custom", secret },
      driver: { oauth2: { tokenUrl: server.tokenUrl, clientAuthentication: "client_secret_basic", scopes: ["api"] } },
    });
    expect(await refusalOf(call(elsewhere))).toMatchObject({ code: "CREDENTIAL_UNUSABLE" });
  });

  it("is stored sealed", async () => {
    await call(await target());
    const [token = ""] = tokensSent();
    const rows = await fixture.rows<object>("select row_to_json(t)::text as row from integration.connection_tokens t");
    const outbox = await fixture.rows<object>("select row_to_json(t)::text as row from integration.outbox t");
    const hex = Buffer.from(token ?? "").toString("hex");
    for (const text of [token ?? "", hex]) expect(JSON.stringify([rows, outbox])).not.toContain(text);
  });
});

describe("a thousand users of one expired token", () => {
  it("cause one renewal in one process", async () => {
    const to = await authorized(await server.refreshToken());
    skippedMs = 11 * minute;
    vendor.answer = () => ({});
    const probe = fixture.integration.get(VendorProbe);
    await Promise.all(Array.from({ length: 1000 }, () => probe.probe(to)));
    expect(grants()).toEqual({ refresh_token: 1 });
  });

  it("cause one renewal in two processes over one database", async () => {
    const to = await authorized(await server.refreshToken());
    skippedMs = 11 * minute;
    const probes = [fixture.integration, other].map((by) => by.get(VendorProbe));
    await Promise.all(probes.flatMap((probe) => Array.from({ length: 500 }, () => probe.probe(to))));
    expect(grants()).toEqual({ refresh_token: 1 });
    await Promise.all([call(to), call(to, other)]);
    expect([tokensSent().size, grants()]).toEqual([1, { refresh_token: 1 }]);
  });
});

describe("the refresh token of an authorization", () => {
  it("is replaced by each renewal", async () => {
    const to = await authorized(await server.refreshToken());
    for (let times = 1; times <= 3; times += 1) {
      skippedMs = times * 11 * minute;
      expect(await call(to)).toMatchObject({ status: 200 });
    }
    expect(grants()).toEqual({ refresh_token: 3 });
  });

  it("that the vendor refuses ends as a rejected credential, with one event and a pause", async () => {
    const to = await authorized("revoked");
    skippedMs = 11 * minute;
    const { probe } = { probe: () => fixture.integration.get(VendorProbe).probe(to) };
    for (let times = 0; times < 3; times += 1) expect(await probe()).toMatchObject({ outcome: "rejected" });
    expect(grants()).toEqual({ "refresh_token refused": 1 });
    skippedMs += minute;
    expect(await refusalOf(call(to))).toMatchObject({ code: "CREDENTIAL_REJECTED" });
    expect(grants()).toEqual({ "refresh_token refused": 2 });
    const { connectionId, providerId } = to.connection;
    expect(await events()).toEqual([
      { type: "TokenRefreshFailed", data: { connectionId, providerId, reason: "CREDENTIAL_REJECTED" } },
    ]);
    await authorize(to, { accessToken: "new", refreshToken: undefined, expiresIn: undefined, scope: undefined });
    expect(await call(to)).toMatchObject({ status: 200 });
    expect(tokensSent()).toEqual(new Set(["new"]));
  });

  it("is not asked for while the access token is good and the vendor's token endpoint fails", async () => {
    vendor.answer = ({ path }) => ({ status: path === "/token" ? 500 : 200 });
    const tokenUrl = `${vendor.origin}/token`;
    const to = await target({ authMode: "OAuth2AuthorizationCode", tokenUrl });
    await authorize(to, { accessToken: "good", refreshToken: "r", expiresIn: 600, scope: undefined });
    skippedMs = 9.5 * minute;
    for (let times = 0; times < 3; times += 1) expect(await call(to)).toMatchObject({ status: 200 });
    expect(vendor.requests.map(({ path }) => path)).toEqual(["/token", "/v1/me", "/v1/me", "/v1/me"]);
  });
});

describe("a credential that is rotated", () => {
  const rotation = "mutation ($input: RotateCredentialInput!) { rotateCredential(input: $input) { status } }";

  it("is shown in its former version while the vendor does not know the new one", async () => {
    vendor.answer = ({ headers }) => ({ status: headers["authorization"] === "Bearer old" ? 200 : 401 });
    const to = await aVendorTarget(fixture, principal, {
      ...{ authMode: "ApiKey", baseUrl: vendor.origin, kind: "ApiKey", secret: { apiKey: "old" } },
    });
    const { credentialId } = to.connection;
    const input = { credentialId, secret: { apiKey: "new" }, graceSeconds: 60 };
    const { errors } = await fixture.run(principal, rotation, { input });
    expect(errors).toBeUndefined();
    await eventually(async () => {
      await call(to);
      return vendor.requests.at(-2)?.headers["authorization"] === "Bearer new" ? true : undefined;
    });
    expect(await call(to)).toMatchObject({ status: 200, credentialRejected: false });
    expect(vendor.requests.slice(-2).map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer new",
      "Bearer old",
    ]);
    expect(await call({ ...to, credentialVersion: 2 })).toMatchObject({ status: 401, credentialRejected: true });
    skippedMs = 2 * minute;
    expect(await call(to)).toMatchObject({ status: 401, credentialRejected: true });
  });

  it("of an OAuth 2 client is verified by its own token, which no call uses", async () => {
    const to = await target();
    await call(to);
    const wrong = { clientId: "basic", clientSecret: "wrong" };
    const input = { credentialId: to.connection.credentialId, secret: wrong, graceSeconds: 60 };
    await fixture.run(principal, rotation, { input });
    const probe = (credentialVersion: number) =>
      fixture.integration.get(VendorProbe).probe({ ...to, credentialVersion });
    expect(await probe(1)).toMatchObject({ outcome: "ok" });
    expect(await probe(2)).toMatchObject({ outcome: "rejected" });
    expect(await call(to)).toMatchObject({ status: 200 });
    expect(tokensSent().size).toBe(1);
  });

  it("is verified with the refresh token, and a wrong one changes nothing for the calls", async () => {
    const to = await authorized(await server.refreshToken());
    const wrong = { clientId: "basic", clientSecret: "wrong" };
    const input = { credentialId: to.connection.credentialId, secret: wrong, graceSeconds: 60 };
    await fixture.run(principal, rotation, { input });
    const probe = fixture.integration.get(VendorProbe);
    expect(await probe.probe({ ...to, credentialVersion: 2 })).toMatchObject({ outcome: "rejected" });
    expect(await call(to)).toMatchObject({ status: 200 });
    expect(tokensSent()).toEqual(new Set(["first"]));
    expect(await events()).toEqual([]);
  });
});

describe("an assertion as a grant", () => {
  it("is exchanged for a token (RFC 7523)", async () => {
    const form: URLSearchParams[] = [];
    vendor.answer = ({ path, body }) => {
      if (path !== "/token") return {};
      form.push(new URLSearchParams(body));
      return { body: JSON.stringify({ access_token: "granted", token_type: "Bearer", expires_in: 60 }) };
    };
    const tokenUrl = `${vendor.origin}/token`;
    const secret = { issuer: "app-1", privateKey: server.privateKey };
    expect(await call(await target({ authMode: "JwtBearer", tokenUrl, secret }))).toMatchObject({ status: 200 });
    const [sentForm] = form;
    expect(sentForm?.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    expect(decodeJwt(sentForm?.get("assertion") ?? "")).toMatchObject({ iss: "app-1", sub: "app-1", aud: tokenUrl });
    expect(vendor.requests.at(-1)?.headers["authorization"]).toBe("Bearer granted");
  });
});
