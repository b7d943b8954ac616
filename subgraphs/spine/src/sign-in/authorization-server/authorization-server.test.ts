import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import { Retention } from "@factory/runtime/db/retention";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { platformScopes, tenantScopes } from "@factory/schema/scopes";
import { calculateJwkThumbprint, createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { revocationRetention } from "../../ground/revocations/revocation-retention.js";
import { tokenExchange } from "../../oauth-clients/grant-types.js";
import { aRoleOf } from "../../people/users/user.fixture.js";
import { type Json, platformAdmin, RunningSpine, testSettings } from "../../running-spine.fixture.js";
import { startSpine } from "../../subgraph.js";
import { artifactRetention } from "./provider/oidc-adapter.js";

let platform: RunningSpine;
let base: string;
let tenantId: string;
let client: { clientId: string; clientSecret: string };

beforeAll(async () => {
  platform = await RunningSpine.start();
  base = await platform.listen();
  tenantId = await platform.activeTenant("acme");
  client = await newClient(["templates.read", "templates.write"]);
});

afterAll(() => platform?.stop());

async function newClient(scopes: string[], principalType = "Service") {
  const { data } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    { tenantId, input: { name: "test", scopes, principalType } },
  );
  return data?.["createTenantApiClient"];
}

const basic = ({ clientId, clientSecret } = client) =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;

async function post(
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
  path = "/connect/token",
) {
  const body = new URLSearchParams(form);
  const response = await fetch(base + path, { method: "POST", body, headers });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, Json> };
}

const clientCredentials = { grant_type: "client_credentials" };

describe("POST /connect/token", () => {
  it("issues a valid access token to a service client", async () => {
    const { status, headers, body } = await post(clientCredentials, { authorization: basic() });
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("x-trace-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 900,
      scope: "templates.read templates.write",
    });
    const keys = await platform.spine.authorizationServer.jwks();
    const { payload, protectedHeader } = await jwtVerify(body["access_token"], createLocalJWKSet(keys), {
      issuer: testSettings.issuer,
      audience: testSettings.issuer,
      typ: "at+jwt",
    });
    const [key] = keys.keys;
    expect(protectedHeader).toEqual({ alg: "ES256", typ: "at+jwt", kid: key?.kid });
    expect(payload).toEqual({
      iss: testSettings.issuer,
      aud: testSettings.issuer,
      sub: client.clientId,
      client_id: client.clientId,
      iat: expect.any(Number),
      versions: { subject: 0, clients: { [client.clientId]: 0 }, tenant: 0 },
      nbf: payload.iat,
      exp: (payload.iat ?? 0) + 900,
      jti: expect.any(String),
      scope: "templates.read templates.write",
      tenantId,
      tenantSlug: "acme",
      editionCode: "Standard",
      principalType: "Service",
      roles: [],
      platformAdmin: false,
    });
    const { issuer } = testSettings;
    const verifier = new TokenVerifier({
      issuer,
      audience: issuer,
      keys: async () => keys,
      tenantExists: async () => true,
    });
    expect(await verifier.verify(body["access_token"])).toMatchObject({ tenantId, clientId: client.clientId });
  });

  it("reads the credentials from the form, also at /v1, and ignores the query", async () => {
    const form = { ...clientCredentials, client_id: client.clientId, client_secret: client.clientSecret };
    expect((await post(form, {}, "/v1/connect/token?grant_type=password")).status).toBe(200);
  });

  it("issues all scopes of the client when the request names none, and a client may hold all scopes of a tenant", async () => {
    const { body } = await post(clientCredentials, { authorization: basic(await newClient([...tenantScopes])) });
    expect(body["scope"]).toBe(tenantScopes.join(" "));
  });

  it("has one issuer and one audience for all tenants, and each token names its tenant", async () => {
    const globex = await platform.activeTenant("globex");
    const { data } = await platform.ask(
      platformAdmin(),
      `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
        createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
      { tenantId: globex, input: { name: "theirs", scopes: ["templates.read"] } },
    );
    const tokens = await Promise.all(
      [client, data?.["createTenantApiClient"]].map((of) => post(clientCredentials, { authorization: basic(of) })),
    );
    const claims = tokens.map(({ body }) => decodeJwt(body["access_token"]));
    expect(new Set(claims.flatMap(({ iss, aud }) => [iss, aud]))).toEqual(new Set([testSettings.issuer]));
    expect(claims.map((token) => token["tenantId"])).toEqual([tenantId, globex]);
  });

  it("stores only the digest of a client secret", async () => {
    expect((await post(clientCredentials, { authorization: basic() })).status).toBe(200);
    const { rows } = await platform.admin.query("select * from api_clients");
    expect(JSON.stringify(rows)).not.toContain(client.clientSecret);
  });

  it("runs on a release of Node that oidc-provider supports", () => {
    expect(process.release.lts).toEqual(expect.any(String));
  });

  it("issues only the requested scopes", async () => {
    const { body } = await post({ ...clientCredentials, scope: "templates.read" }, { authorization: basic() });
    expect(body["scope"]).toBe("templates.read");
  });

  it("issues tokens for ten minutes to agents", async () => {
    const agent = await newClient(["templates.read"], "Agent");
    const { body } = await post(clientCredentials, { authorization: basic(agent) });
    expect(body["expires_in"]).toBe(600);
  });

  it("includes the roles of a client in the token, but only the scopes of the client itself", async () => {
    const worker = await newClient(["templates.read"]);
    await aRoleOf(platform, tenantId, worker.clientId, ["libraries.write"]);
    const { body } = await post(clientCredentials, { authorization: basic(worker) });
    expect(decodeJwt(body["access_token"])).toMatchObject({
      roles: [expect.stringMatching(/^rol/)],
      scope: "templates.read",
    });
  });

  it("marks a token of the platform's own client", async () => {
    const { clientId, clientSecret = "" } = platform.spine.bootstrap;
    const { body } = await post(clientCredentials, { authorization: basic({ clientId, clientSecret }) });
    expect(body["scope"]).toBe(platformScopes.join(" "));
    const { payload } = await jwtVerify(
      body["access_token"],
      createLocalJWKSet(await platform.spine.authorizationServer.jwks()),
    );
    expect(payload).toMatchObject({
      platformAdmin: true,
      tenantId: platformTenantId,
      tenantSlug: "platform",
      roles: ["PlatformAdmin"],
    });
  });

  it("returns the same error for an unknown client and for a wrong secret", async () => {
    const answers = [];
    for (const [clientId, clientSecret] of [
      [client.clientId, "wrong"],
      ["cli_nobody", "wrong"],
      ["\u0000", "x"],
    ] as const) {
      const { status, headers, body } = await post({
        ...clientCredentials,
        client_id: clientId,
        client_secret: clientSecret,
      });
      const { traceId, ...rest } = body;
      expect(traceId).toBe(headers.get("x-trace-id"));
      answers.push({
        status,
        rest,
        authenticate: headers.get("www-authenticate"),
        cache: headers.get("cache-control"),
      });
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({
      status: 401,
      rest: { error: "invalid_client", error_description: "client authentication failed", code: "UNAUTHENTICATED" },
      authenticate: `Basic realm="${testSettings.issuer}", error="invalid_client"`,
      cache: "no-store",
    });
  });

  it.each([
    ["no client authentication", clientCredentials, false, 401, "invalid_client"],
    ["only a client id", { ...clientCredentials, client_id: "cli_x" }, false, 401, "invalid_client"],
    [
      "a scope that the client does not hold",
      { ...clientCredentials, scope: "templates.read tenant.manage" },
      true,
      400,
      "invalid_scope",
    ],
    ["an unknown scope", { ...clientCredentials, scope: "everything" }, true, 400, "invalid_scope"],
    ["the password grant", { grant_type: "password", username: "a", password: "b" }, true, 400, "unauthorized_client"],
    ["the refresh grant", { grant_type: "refresh_token", refresh_token: "a" }, true, 400, "unauthorized_client"],
    ["an unknown grant", { grant_type: "magic" }, true, 400, "unsupported_grant_type"],
    ["no grant", {}, true, 400, "invalid_request"],
    [
      "a repeated parameter",
      "grant_type=client_credentials&grant_type=client_credentials",
      true,
      400,
      "invalid_request",
    ],
    ["another resource", { ...clientCredentials, resource: "https://other.example" }, true, 400, "invalid_target"],
  ])("refuses %s", async (_, form, isAuthenticated, status, error) => {
    const answer = await post(form as Record<string, string>, isAuthenticated ? { authorization: basic() } : {});
    expect([answer.status, answer.body["error"]]).toEqual([status, error]);
    expect(answer.body).toMatchObject({ error_description: expect.any(String), code: expect.any(String) });
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("returns an error for a grant type that the client may not use", async () => {
    const limitedClient = await newClient(["templates.read"]);
    await platform.admin.query("update api_clients set grant_types = '{}' where client_id = $1", [
      limitedClient.clientId,
    ]);
    const { status, body } = await post(clientCredentials, { authorization: basic(limitedClient) });
    expect([status, body["error"]]).toEqual([400, "unauthorized_client"]);
  });

  it("refuses a disabled client and a client of a tenant that is not active", async () => {
    const disabledClient = await newClient(["templates.read"]);
    await platform.admin.query("update api_clients set status = 'Disabled' where client_id = $1", [
      disabledClient.clientId,
    ]);
    expect((await post(clientCredentials, { authorization: basic(disabledClient) })).status).toBe(401);
    await platform.admin.query("update tenants set status = 'Suspended' where slug = 'acme'");
    const { status, body } = await post(clientCredentials, { authorization: basic() });
    await platform.admin.query("update tenants set status = 'Active' where slug = 'acme'");
    expect([status, body["error"], body["code"]]).toEqual([400, "invalid_grant", "TENANT_SUSPENDED"]);
  });

  it("returns 429 after ten failures of one client, also for the correct secret, and serves other clients", async () => {
    const guessedClient = await newClient(["templates.read"]);
    for (let time = 0; time < 10; time += 1)
      expect(
        (await post(clientCredentials, { authorization: basic({ ...guessedClient, clientSecret: "no" }) })).status,
      ).toBe(401);
    const { status, headers, body } = await post(clientCredentials, { authorization: basic(guessedClient) });
    expect([status, body["code"]]).toEqual([429, "RATE_LIMITED"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(890);
    expect((await post(clientCredentials, { authorization: basic() })).status).toBe(200);
  });

  it.each([
    ["JSON", { "content-type": "application/json" }, JSON.stringify(clientCredentials), 400],
    ["a body over 1 MiB", { "content-type": "application/x-www-form-urlencoded" }, `a=${"x".repeat(1_048_577)}`, 413],
    ["a long body", { "content-type": "application/x-www-form-urlencoded" }, `a=${"x".repeat(100_000)}`, 400],
    ["broken Basic credentials", { authorization: "Basic !!!" }, "", 400],
    ["another scheme", { authorization: "Bearer abc" }, "", 400],
  ])("refuses %s", async (_, headers, body, status) => {
    const response = await fetch(`${base}/connect/token`, { method: "POST", headers: { ...headers }, body });
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ error: "invalid_request", code: expect.any(String), traceId: expect.any(String) }),
    ]);
  });

  it("sends no CORS headers to a page of another origin, but serves the request", async () => {
    const { status, headers } = await post(clientCredentials, {
      authorization: basic(),
      origin: "https://evil.example",
    });
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  it("sends CORS headers, also with errors, only to pages of a listed origin", async () => {
    const origin = "https://studio.example";
    for (const headers of [{ origin, authorization: basic() }, { origin }]) {
      const answer = await post(clientCredentials, headers);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(answer.headers.get("vary")).toContain("Origin");
    }
    const preflight = async (from: string) => {
      const headers = { origin: from, "access-control-request-method": "POST" };
      return fetch(`${base}/v1/connect/token`, { method: "OPTIONS", headers });
    };
    const allowedAnswer = await preflight(origin);
    expect([allowedAnswer.status, allowedAnswer.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET, POST",
    ]);
    const refusedAnswer = await preflight("https://evil.example");
    expect([refusedAnswer.status, refusedAnswer.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  });

  it("continues the trace of the caller", async () => {
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const { body } = await post({}, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    expect(body["traceId"]).toBe(traceId);
  });
});

describe("well-known documents", () => {
  it.each([
    "/.well-known/openid-configuration",
    "/v1/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
  ])("GET %s lists the endpoints, for any Host header", async (path) => {
    const outgoing = httpRequest(base + path, {
      headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
    });
    outgoing.end();
    const [response] = await once(outgoing, "response");
    const text = Buffer.concat(await response.toArray()).toString();
    expect(text).not.toContain("evil");
    expect(response.headers["cache-control"]).toBe("public, max-age=600");
    const discovery = JSON.parse(text);
    expect(discovery).toMatchObject({
      issuer: testSettings.issuer,
      token_endpoint: `${testSettings.issuer}/connect/token`,
      jwks_uri: `${testSettings.issuer}/.well-known/jwks`,
      grant_types_supported: ["client_credentials", "authorization_code", "password", "refresh_token", tokenExchange],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
      token_endpoint_auth_signing_alg_values_supported: ["ES256", "EdDSA", "Ed25519", "PS256", "RS256"],
      authorization_endpoint: `${testSettings.issuer}/connect/authorize`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    });
  });

  it("GET /.well-known/jwks shows public keys under their thumbprints", async () => {
    const response = await fetch(`${base}/.well-known/jwks`);
    const { keys } = (await response.json()) as { keys: Record<string, string>[] };
    expect(keys).toHaveLength(1);
    const [key = {}] = keys;
    expect(key).toEqual({
      kty: "EC",
      crv: "P-256",
      x: key["x"],
      y: key["y"],
      alg: "ES256",
      use: "sig",
      kid: key["kid"],
    });
    expect(key["kid"]).toBe(await calculateJwkThumbprint(key as never));
    expect(response.headers.get("cache-control")).toBe("public, max-age=600");
  });
});

describe("everything else", () => {
  it.each([
    ["GET", "/connect/token", 405, "POST"],
    ["PUT", "/v1/connect/token", 405, "POST"],
    ["POST", "/.well-known/jwks", 405, "GET, HEAD"],
    ["DELETE", "/connect/authorize", 405, "GET, POST"],
    ["PUT", "/v1/connect/interaction/abcdefghijklmnop", 405, "GET, POST"],
    ["GET", "/connect/interaction/a%2Fb", 404, null],
    ["GET", "/v1/v1/.well-known/jwks", 404, null],
    ["GET", "/__proto__", 404, null],
    ["GET", "/", 404, null],
  ])("%s %s is a problem %i", async (method, path, status, allow) => {
    const response = await fetch(base + path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get("allow")).toBe(allow);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({
      type: status === 405 ? "/problems/method-not-allowed" : "/problems/not-found",
      status,
      traceId: response.headers.get("x-trace-id"),
    });
  });
});

describe("a later start", () => {
  it("keeps the signing key and the platform client", async () => {
    const again = await startSpine(platform.host, testSettings);
    try {
      expect(await again.authorizationServer.jwks()).toEqual(await platform.spine.authorizationServer.jwks());
      expect(again.bootstrap).toEqual(platform.spine.bootstrap);
      await again.ready();
    } finally {
      await again.close();
    }
    const { rows } = await platform.admin.query("select count(*)::int as count from signing_keys");
    expect(rows).toEqual([{ count: 1 }]);
    expect((await platform.eventsOf(platformTenantId)).map(({ type }) => type)).toEqual([
      "TenantRegistered",
      "RoleCreated",
      "ApiClientCreated",
    ]);
  });

  it("with a client of the operator disables the generated one, and without it enables the generated one again", async () => {
    const generatedClient = platform.spine.bootstrap as { clientId: string; clientSecret: string };
    const givenClient = { id: "operator", secret: "chosen by the operator" };
    const status = async (clientId: string, clientSecret: string) =>
      (await post({ ...clientCredentials, client_id: clientId, client_secret: clientSecret })).status;
    const withGiven = await startSpine(platform.host, { ...testSettings, platformClient: givenClient });
    await withGiven.close();
    expect(withGiven.bootstrap).toEqual({ clientId: "operator" });
    expect(await status(givenClient.id, givenClient.secret)).toBe(200);
    expect(await status(generatedClient.clientId, generatedClient.clientSecret)).toBe(401);
    await (await startSpine(platform.host, testSettings)).close();
    expect(await status(givenClient.id, givenClient.secret)).toBe(401);
    expect(await status(generatedClient.clientId, generatedClient.clientSecret)).toBe(200);
  });

  it("gives the administrator client of an older release the new scopes", async () => {
    const { clientId } = platform.spine.bootstrap;
    const storedScopes = async () =>
      (await platform.admin.query("select scopes from api_clients where client_id = $1", [clientId])).rows[0].scopes;
    await platform.admin.query("update api_clients set scopes = '{tenant.read,tenant.manage}' where client_id = $1", [
      clientId,
    ]);
    await (await startSpine(platform.host, testSettings)).close();
    expect(await storedScopes()).toEqual([...platformScopes]);
    expect(platformScopes).toEqual(
      expect.arrayContaining(["webhooks.subscriptions.read", "webhooks.subscriptions.write"]),
    );
    expect((await platform.eventsOf(platformTenantId)).at(-1)).toMatchObject({
      type: "ApiClientUpdated",
      data: { clientId, scopes: [...platformScopes] },
    });
  });

  it("issues at most as many tokens a minute as the limit of the client", async () => {
    const limitedSpine = await startSpine(platform.host, { ...testSettings, rateLimitFactor: 0.01 });
    const port = createServer((request, response) => limitedSpine.authorizationServer.handle(request, response));
    port.listen(0, "127.0.0.1");
    await once(port, "listening");
    const url = `http://127.0.0.1:${(port.address() as AddressInfo).port}/connect/token`;
    const ask = () =>
      fetch(url, {
        method: "POST",
        body: new URLSearchParams(clientCredentials),
        headers: { authorization: basic() },
      });
    try {
      for (let request = 0; request < 6; request += 1) expect((await ask()).status).toBe(200);
      const refusal = await ask();
      expect([refusal.status, await refusal.json()]).toEqual([429, expect.objectContaining({ code: "RATE_LIMITED" })]);
      expect(Number(refusal.headers.get("retry-after"))).toBeGreaterThan(50);
    } finally {
      port.close();
      await limitedSpine.close();
    }
  });

  it("deletes only expired rows", async () => {
    const row = `select 'Session', $1, '{}', now() + $2::interval`;
    for (const [id, expires] of [
      ["over", "-1 second"],
      ["good", "1 hour"],
    ])
      await platform.admin.query(`insert into oidc_artifacts (kind, id_digest, payload, expires_at) ${row}`, [
        id,
        expires,
      ]);
    const retention = new Retention(platform.connections.worker, platform.host.logger, [
      artifactRetention,
      revocationRetention,
    ]);
    await retention.forget();
    await retention.stop();
    const { rows } = await platform.admin.query("select id_digest from oidc_artifacts where kind = 'Session'");
    expect(rows).toEqual([{ id_digest: "good" }]);
  });

  it("with another SECRETS_KEY does not start", async () => {
    const other = { ...testSettings, masterKeys: someMasterKeys(9) };
    await expect(startSpine(platform.host, other)).rejects.toThrow(/cannot be opened with the configured SECRETS_KEY/);
  });

  it("never stores the private key unencrypted", async () => {
    const { rows } = await platform.admin.query("select * from signing_keys");
    expect(JSON.stringify(rows)).not.toContain('"d"');
    const { keyId } = { keyId: rows[0].key_id };
    const { body } = await post(clientCredentials, { authorization: basic() });
    expect(decodeProtectedHeader(body["access_token"]).kid).toBe(keyId);
  });
});
