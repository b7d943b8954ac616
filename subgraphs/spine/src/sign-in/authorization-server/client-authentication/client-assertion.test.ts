import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  jwtVerify,
  SignJWT,
} from "jose";
import { type Json, principal, RunningSpine, testSettings, until } from "../../../running-spine.fixture.js";
import { startSpine } from "../../../subgraph.js";
import { clockToleranceSeconds, requireShortLifetime } from "./client-assertion.js";

let platform: RunningSpine;
let base: string;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  base = await platform.listen();
  tenantId = await platform.activeTenant("acme");
});

afterAll(() => platform?.stop());

const { issuer } = testSettings;
const owner = () => principal(tenantId, ["client.read", "client.manage", "templates.read"]);

interface TestKey {
  readonly jwk: Record<string, unknown>;
  readonly privateKey: CryptoKey;
  readonly header: JWTHeaderParameters;
}

async function aKey(kid: string, alg = "ES256"): Promise<TestKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { jwk: { ...(await exportJWK(publicKey)), kid }, privateKey, header: { alg, kid } };
}

async function created(input: Record<string, unknown>) {
  return platform.ask(
    owner(),
    `mutation ($input: CreateApiClientInput!) {
      createApiClient(input: $input) { clientId clientSecret keyIds public } }`,
    { input: { name: "CI", scopes: ["templates.read"], ...input } },
  );
}

async function aClient(...keys: TestKey[]): Promise<string> {
  const { data, errors } = await created({ jwks: { keys: keys.map(({ jwk }) => jwk) } });
  if (!data) throw new Error(JSON.stringify(errors));
  return data["createApiClient"].clientId;
}

const update = (clientId: string, input: Record<string, unknown>, caller = owner()) =>
  platform.ask(
    caller,
    "mutation ($clientId: ID!, $input: UpdateApiClientInput!) { updateApiClient(clientId: $clientId, input: $input) { keyIds } }",
    { clientId, input },
  );

const now = () => Math.floor(Date.now() / 1000);
let assertions = 0;

/** A good one but for the changes; undefined leaves a claim out. */
function assertion(clientId: string, key: TestKey, changes: Record<string, unknown> = {}, header: object = {}) {
  assertions += 1;
  const claims = { iss: clientId, sub: clientId, aud: issuer, jti: `jti-${assertions}`, iat: now(), exp: now() + 60 };
  return new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...key.header, ...header }).sign(key.privateKey);
}

async function post(form: Record<string, string>, headers: Record<string, string> = {}, path = "/connect/token") {
  const body = new URLSearchParams({ grant_type: "client_credentials", ...form });
  const response = await fetch(new URL(path, base), { method: "POST", body, headers });
  const text = await response.text();
  const answer: Record<string, Json> = text === "" ? {} : JSON.parse(text);
  const { traceId: _, ...answerBody } = answer;
  return { status: response.status, body: answerBody, challenge: response.headers.get("www-authenticate") };
}

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const proven = (token: string, form: Record<string, string> = {}, path?: string) =>
  post({ client_assertion: token, client_assertion_type: assertionType, ...form }, {}, path);

describe("a client with keys", () => {
  it.each(["ES256", "EdDSA", "Ed25519", "PS256", "RS256"])("gets a valid token with %s", async (alg) => {
    const key = await aKey("one", alg);
    const clientId = await aClient(key);
    const { status, body } = await proven(await assertion(clientId, key));
    expect([status, body["scope"]]).toEqual([200, "templates.read"]);
    const keys = createLocalJWKSet(await platform.spine.authorizationServer.jwks());
    const { payload } = await jwtVerify(body["access_token"], keys, { issuer, audience: issuer, typ: "at+jwt" });
    expect(payload).toMatchObject({ sub: clientId, client_id: clientId, tenantId });
  });

  it("has no secret, and shows the ids of its keys", async () => {
    const keys = [await aKey("one"), await aKey("two")];
    const { data } = await created({ jwks: { keys: keys.map(({ jwk }) => jwk) } });
    expect(data?.["createApiClient"]).toMatchObject({ clientSecret: null, keyIds: ["one", "two"], public: false });
    const { clientId } = data?.["createApiClient"] ?? {};
    const list = await platform.ask(owner(), "{ apiClients(first: 100) { items { clientId keyIds } } }");
    expect(list.data?.["apiClients"].items).toContainEqual({ clientId, keyIds: ["one", "two"] });
    const rotate = "mutation ($clientId: ID!) { rotateApiClientSecret(clientId: $clientId) { clientSecret } }";
    expect((await platform.ask(owner(), rotate, { clientId })).refusal).toMatchObject({ code: "CONFLICT" });
  });

  it("cannot be public and cannot be created with a private key", async () => {
    const key = await aKey("one");
    const publicSignIn = { grantTypes: ["authorization_code"], redirectUris: ["https://app.example/"], public: true };
    const { d } = await exportJWK(key.privateKey);
    for (const [pointer, input] of [
      ["/input/jwks", { jwks: { keys: [key.jwk] }, ...publicSignIn }],
      ["/input/jwks/keys/0/d", { jwks: { keys: [{ ...key.jwk, d }] } }],
      ["/input/jwks/keys", { jwks: { jwks_uri: "https://evil.example/jwks" } }],
    ] as const) {
      const { refusal } = await created(input);
      expect(refusal).toMatchObject({ code: "API_CLIENT_INVALID", status: 422, errors: [{ pointer }] });
      expect(JSON.stringify(refusal)).not.toContain(d);
    }
  });

  it("replaces its key without an interruption", async () => {
    const [old, next] = [await aKey("old"), await aKey("next")];
    const clientId = await aClient(old);
    const status = async (key: TestKey) => (await proven(await assertion(clientId, key))).status;
    expect([await status(old), await status(next)]).toEqual([200, 401]);
    await update(clientId, { jwks: { keys: [old.jwk, next.jwk] } });
    expect([await status(old), await status(next)]).toEqual([200, 200]);
    const { data } = await update(clientId, { jwks: { keys: [next.jwk] } });
    expect(data?.["updateApiClient"]).toEqual({ keyIds: ["next"] });
    expect([await status(old), await status(next)]).toEqual([401, 200]);
    expect((await platform.eventsOf(tenantId)).at(-1)).toMatchObject({
      type: "ApiClientUpdated",
      data: { clientId, keyIds: ["next"] },
    });
  });

  it("accepts only valid keys, from a caller that holds its scopes", async () => {
    const key = await aKey("one");
    const clientId = await aClient(key);
    const jwks = { keys: [key.jwk] };
    const { refusal } = await update(clientId, { jwks }, principal(tenantId, ["client.manage"]));
    expect(refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] });
    const empty = await update(clientId, { jwks: { keys: [] } });
    expect(empty.refusal).toMatchObject({ status: 422, errors: [{ pointer: "/input/jwks/keys" }] });
    const { data } = await created({});
    const withSecret = await update(data?.["createApiClient"].clientId, { jwks });
    expect(withSecret.refusal).toMatchObject({ code: "API_CLIENT_INVALID", errors: [{ pointer: "/input/jwks" }] });
  });
});

describe("an assertion", () => {
  let key: TestKey;
  let clientId: string;
  // one each, for the failures are counted
  beforeEach(async () => {
    key = await aKey("one");
    clientId = await aClient(key);
  });

  it("may have the token endpoint as audience, a list with one audience, and a client_id parameter", async () => {
    for (const aud of [`${issuer}/connect/token`, [issuer]]) {
      const { status } = await proven(await assertion(clientId, key, { aud }), { client_id: clientId });
      expect(status).toBe(200);
    }
  });

  it("may have no iat, and may come from a clock that is a little fast", async () => {
    expect((await proven(await assertion(clientId, key, { iat: undefined }))).status).toBe(200);
    const ahead = now() + 10;
    const early = await assertion(clientId, key, { iat: ahead, nbf: ahead, exp: ahead + 300 });
    expect((await proven(early)).status).toBe(200);
  });

  it("is also accepted for revocation and introspection", async () => {
    const { body } = await proven(await assertion(clientId, key));
    const token = String(body["access_token"]);
    const introspection = await proven(await assertion(clientId, key), { token }, "/connect/introspect");
    expect(introspection.body).toMatchObject({ active: true, client_id: clientId });
    expect((await proven(await assertion(clientId, key), { token }, "/connect/revocation")).status).toBe(200);
    const over = await proven(await assertion(clientId, key), { token }, "/connect/introspect");
    expect(over.body).toEqual({ active: false });
    for (const path of ["/connect/introspect", "/connect/revocation"])
      expect(
        (await proven(await assertion(clientId, key, { aud: "https://other.example" }), { token }, path)).status,
      ).toBe(401);
  });

  it("can be used once at all endpoints together, and each client has its own jti values", async () => {
    const once = await assertion(clientId, key, { jti: "shared" });
    expect((await proven(once)).status).toBe(200);
    expect((await proven(once)).status).toBe(401);
    expect((await proven(once, { token: "x" }, "/connect/introspect")).status).toBe(401);
    const other = await aClient(key);
    expect((await proven(await assertion(other, key, { jti: "shared" }))).status).toBe(200);
    const { rows } = await platform.admin.query("select * from oidc_artifacts where kind = 'ReplayDetection'");
    expect(JSON.stringify(rows)).not.toContain("shared");
    expect(new Date(rows[0].expires_at).getTime()).toBeLessThan(Date.now() + 400_000);
  });

  it("is stored until it expires, including the tolerance for the clock of the client", async () => {
    const endsAt = now() + 290;
    expect((await proven(await assertion(clientId, key, { jti: "long", exp: endsAt }))).status).toBe(200);
    const { rows } = await platform.admin.query(
      "select extract(epoch from expires_at)::int as until from oidc_artifacts where id_digest = $1",
      [hash("sha256", JSON.stringify([clientId, "long"]), "hex")],
    );
    expect(rows[0].until).toBeGreaterThanOrEqual(endsAt + clockToleranceSeconds);
    expect(rows[0].until).toBeLessThanOrEqual(endsAt + clockToleranceSeconds + 60);
  });

  it("stores no row when the client has reached its limit of tokens", async () => {
    const count = async () => {
      const { rows } = await platform.admin.query("select count(*)::int as kept from oidc_artifacts");
      return rows[0].kept as number;
    };
    // 30 tokens a minute, so that all requests in the test come within one minute
    const limitedSpine = await startSpine(platform.host, { ...testSettings, rateLimitFactor: 0.05 });
    const server = createServer((request, response) => limitedSpine.authorizationServer.handle(request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/connect/token`;
    const ask = async () => (await proven(await assertion(clientId, key), {}, url)).status;
    try {
      const statuses: number[] = [];
      for (let turn = 0; turn < 2; turn += 1)
        statuses.push(...(await Promise.all(Array.from({ length: 20 }, () => ask()))));
      expect(statuses.filter((status) => status === 200)).toHaveLength(30);
      const before = await count();
      expect(await ask()).toBe(429);
      expect(await count()).toBe(before);
    } finally {
      server.close();
      await limitedSpine.close();
    }
  });

  it("can be used once in twenty requests at the same time", async () => {
    const once = await assertion(clientId, key);
    const blocker = await platform.admin.connect();
    await blocker.query("begin");
    // all may look, and nobody stores before more than one has looked
    await blocker.query("lock table oidc_artifacts in exclusive mode");
    const answers = Array.from({ length: 20 }, () => proven(once));
    await until(async () => {
      const { rows } = await platform.admin.query("select count(*)::int as waiting from pg_locks where not granted");
      return rows[0].waiting > 1;
    });
    await blocker.query("commit");
    blocker.release();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401 || status === 429)).toHaveLength(19);
  });

  const hour = 3600;
  it.each<[string, (aside: { other: string; stranger: TestKey }) => Promise<string> | string]>([
    ["signed with another key", ({ stranger }) => assertion(clientId, stranger)],
    ["of another client with the client id of that client", ({ other }) => assertion(other, key)],
    ["of an unknown client", () => assertion("cli_nobody", key)],
    ["with an unknown key id", () => assertion(clientId, key, {}, { kid: "two" })],
    ["that has expired", () => assertion(clientId, key, { iat: now() - 400, exp: now() - 100 })],
    ["that is not valid yet", () => assertion(clientId, key, { nbf: now() + 100 })],
    ["from the future", () => assertion(clientId, key, { iat: now() + 100, exp: now() + 200 })],
    ["that is valid for one hour", () => assertion(clientId, key, { exp: now() + hour })],
    [
      "that was valid for one hour and has expired",
      () => assertion(clientId, key, { iat: now() - hour, exp: now() + 60 }),
    ],
    ["without end", () => assertion(clientId, key, { exp: undefined })],
    ["without jti", () => assertion(clientId, key, { jti: undefined })],
    ["with a jti that is not a string", () => assertion(clientId, key, { jti: 7 })],
    ["without audience", () => assertion(clientId, key, { aud: undefined })],
    ["for another audience", () => assertion(clientId, key, { aud: "https://other.example" })],
    ["for the URL of the request", () => assertion(clientId, key, { aud: `${base}/connect/token` })],
    ["for this server and others", () => assertion(clientId, key, { aud: [issuer, "https://other.example"] })],
    ["of another issuer", ({ other }) => assertion(clientId, key, { iss: other })],
    ["about another subject", ({ other }) => assertion(clientId, key, { sub: other })],
    ["without subject", () => assertion(clientId, key, { sub: undefined })],
    ["with a subject that is not a string", () => assertion(clientId, key, { sub: { a: 1 } })],
    ["without issuer", () => assertion(clientId, key, { iss: undefined })],
    ["that is not a JWT", () => "garbage"],
    ["without signature", async () => `${unsignedHeader("none")}.${(await assertion(clientId, key)).split(".")[1]}.`],
    ["signed with the public key as a secret", () => hmac(clientId, new TextEncoder().encode(JSON.stringify(key.jwk)))],
    ["with an unknown critical header", () => critical(clientId, key)],
  ])("is refused %s, with the same error as all others", async (_, makeAssertion) => {
    const aside = { other: await aClient(await aKey("one")), stranger: await aKey("one") };
    const { status, body, challenge } = await proven(await makeAssertion(aside));
    expect([status, body["error"], body["code"]]).toEqual([401, "invalid_client", "UNAUTHENTICATED"]);
    expect(challenge).toBe(`Basic realm="${issuer}", error="invalid_client"`);
    if (body["error_description"] !== "invalid client_assertion format")
      expect(body["error_description"]).toBe("client authentication failed");
    expect((await proven(await assertion(clientId, key))).status).toBe(200);
  });

  const unsignedHeader = (alg: string) => Buffer.from(JSON.stringify({ alg, kid: "one" })).toString("base64url");
  const hmac = (id: string, secret: Uint8Array) =>
    new SignJWT({ iss: id, sub: id, aud: issuer, jti: "h", iat: now(), exp: now() + 60 })
      .setProtectedHeader({ alg: "HS256", kid: "one" })
      .sign(secret);
  const critical = (id: string, { privateKey, header }: TestKey) =>
    new SignJWT({ iss: id, sub: id, aud: issuer, jti: "c", iat: now(), exp: now() + 60 })
      .setProtectedHeader({ ...header, crit: ["x"], x: 1 } as JWTHeaderParameters)
      .sign(privateKey, { crit: { x: true } });

  it("is refused with another client_id parameter, and without client_assertion_type", async () => {
    const other = await aClient(await aKey("one"));
    expect((await proven(await assertion(clientId, key), { client_id: other })).status).toBe(401);
    const bare = await post({ client_assertion: await assertion(clientId, key) });
    expect([bare.status, bare.body["error"]]).toEqual([400, "invalid_request"]);
  });

  it("is not accepted for a client with a secret, and a secret is not accepted for a client with keys", async () => {
    const { data } = await created({});
    const { clientId: withSecret, clientSecret } = data?.["createApiClient"] ?? {};
    expect((await proven(await assertion(withSecret, key))).status).toBe(401);
    expect((await proven(await hmac(withSecret, new TextEncoder().encode(clientSecret)))).status).toBe(401);
    expect((await post({ client_id: clientId, client_secret: clientSecret })).status).toBe(401);
    const { rows } = await platform.admin.query("select * from api_clients where client_id = $1", [clientId]);
    expect((await post({ client_id: clientId, client_secret: rows[0].secret_digest })).status).toBe(401);
    expect((await post({ client_id: clientId })).status).toBe(401);
    const both = await proven(await assertion(clientId, key), { client_secret: "x" });
    expect([both.status, both.body["error"]]).toEqual([400, "invalid_request"]);
  });

  it("of a disabled client is refused, and of a tenant that is not active", async () => {
    await platform.admin.query("update tenants set status = 'Suspended' where slug = 'acme'");
    const suspendedAnswer = await proven(await assertion(clientId, key));
    await platform.admin.query("update tenants set status = 'Active' where slug = 'acme'");
    expect([suspendedAnswer.status, suspendedAnswer.body["code"]]).toEqual([400, "TENANT_SUSPENDED"]);
    const disable = "mutation ($clientId: ID!) { disableApiClient(clientId: $clientId) { status } }";
    await platform.ask(owner(), disable, { clientId });
    expect((await proven(await assertion(clientId, key))).status).toBe(401);
  });

  it("that is refused counts like a wrong secret: after ten of one client a valid one is also refused, and other clients are served", async () => {
    const stranger = await aKey("one");
    for (let time = 0; time < 5; time += 1) {
      expect((await proven(await assertion(clientId, stranger))).status).toBe(401);
      expect((await post({ client_id: clientId, client_secret: "guess" })).status).toBe(401);
    }
    const { status, body } = await proven(await assertion(clientId, key));
    expect([status, body["code"]]).toEqual([429, "RATE_LIMITED"]);
    const other = await aClient(key);
    expect((await proven(await assertion(other, key))).status).toBe(200);
  });
});

describe("requireShortLifetime", () => {
  const start = 1_800_000_000;
  it.each([
    [{ iat: start, exp: start + 300 }, true],
    [{ exp: start + 315 }, true],
    [{ exp: start + 316 }, false],
    [{ iat: start + 15, exp: start + 315 }, true],
    [{ iat: start + 16, exp: start + 60 }, false],
    [{ iat: start - 300, exp: start + 15 }, true],
    [{ iat: start - 300, exp: start + 16 }, false],
    [{ exp: Number.POSITIVE_INFINITY }, false],
    [{ exp: start + 60, aud: ["a"] }, true],
    [{ exp: start + 60, aud: ["a", "a"] }, false],
  ])("of %j: %p", (claims, isAccepted) => {
    const check = () => requireShortLifetime(claims, start);
    if (isAccepted) expect(check).not.toThrow();
    else expect(check).toThrow();
  });
});
