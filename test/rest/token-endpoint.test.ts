import { type ClientCredentials, createTenantClient } from "@factory/platform/client/platform-api";
import { tenantScopes } from "@factory/schema/scopes";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import * as oidc from "openid-client";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { aPerson, type Person } from "../kit/people.js";
import { platform } from "../kit/platform.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aPasswordClient, refreshed, signedIn } from "../kit/sign-ins.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

let tenant: TestTenant;
let client: ClientCredentials;
let service: ClientCredentials;
let person: Person;

beforeAll(async () => {
  tenant = await aTenant();
  client = await aPasswordClient(tenant.tenantId);
  service = await createTenantClient(platform(), await platformToken(), tenant.tenantId, {
    name: "service",
    scopes: tenantScopes,
  });
  person = await aPerson(tenant);
});

const issuer = () => platform().publicUrl;
const readTemplate = (token: string) => request("GET /v1/templates/tpl_01jz3b0q8xk0n8v3m1w6y5t2r7", { token });

async function verified(token: string) {
  const keys = createRemoteJWKSet(new URL(`${issuer()}/.well-known/jwks`));
  return (await jwtVerify(token, keys, { issuer: issuer(), audience: issuer(), typ: "at+jwt" })).payload;
}

describe("openid-client", () => {
  let config: oidc.Configuration;

  beforeAll(async () => {
    config = await oidc.discovery(
      new URL(issuer()),
      client.clientId,
      client.clientSecret,
      oidc.ClientSecretPost(client.clientSecret),
      { execute: [oidc.allowInsecureRequests] },
    );
  });

  const password = () =>
    oidc.genericGrantRequest(config, "password", { username: person.email, password: person.password });

  it("gets the token of a service with only the requested scopes", async () => {
    const secret = oidc.ClientSecretBasic(service.clientSecret);
    const ownConfiguration = await oidc.discovery(new URL(issuer()), service.clientId, undefined, secret, {
      execute: [oidc.allowInsecureRequests],
    });
    const tokens = await oidc.clientCredentialsGrant(ownConfiguration, { scope: "templates.read" });
    expect(tokens).toMatchObject({ scope: "templates.read", expires_in: 900 });
    expect(tokens.refresh_token).toBeUndefined();
    expect(await verified(tokens.access_token)).toMatchObject({ sub: service.clientId, client_id: service.clientId });
  });

  it("gets the token of a user by password, and the token works at the REST API", async () => {
    const tokens = await password();
    expect(await verified(tokens.access_token)).toMatchObject({ sub: person.userId, tenantId: tenant.tenantId });
    expect(refusal(await readTemplate(tokens.access_token))).toBe("404 TEMPLATE_NOT_FOUND");
  });

  it("refreshes, and gets the same successor again until it is used", async () => {
    const first = await password();
    const second = await oidc.refreshTokenGrant(config, String(first.refresh_token));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const again = await oidc.refreshTokenGrant(config, String(first.refresh_token));
    expect(again.refresh_token).toBe(second.refresh_token);
    const third = await oidc.refreshTokenGrant(config, String(second.refresh_token));
    for (const { refresh_token: usedToken } of [first, third])
      await expect(oidc.refreshTokenGrant(config, String(usedToken))).rejects.toMatchObject({ error: "invalid_grant" });
  });

  it("introspects and revokes", async () => {
    const { access_token: token, refresh_token: refreshToken } = await password();
    expect(await oidc.tokenIntrospection(config, token)).toMatchObject({ active: true, sub: person.userId });
    await oidc.tokenRevocation(config, token);
    expect(await oidc.tokenIntrospection(config, token)).toEqual({ active: false });
    await eventually("it is refused at REST", async () => refusal(await readTemplate(token)) === "401 TOKEN_INVALID");
    expect(await oidc.tokenIntrospection(config, String(refreshToken))).toMatchObject({ active: true });
    await oidc.tokenRevocation(config, String(refreshToken), { token_type_hint: "refresh_token" });
    expect(await oidc.tokenIntrospection(config, String(refreshToken))).toEqual({ active: false });
  });

  it("gets an error for a wrong password", async () => {
    const wrong = { username: person.email, password: "wrong horse battery" };
    await expect(oidc.genericGrantRequest(config, "password", wrong)).rejects.toMatchObject({ error: "invalid_grant" });
  });
});

describe("oauth4webapi", () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  let server: oauth.AuthorizationServer;
  let me: oauth.Client;
  let proof: oauth.ClientAuth;

  beforeAll(async () => {
    const url = new URL(issuer());
    const response = await oauth.discoveryRequest(url, { algorithm: "oauth2", ...insecure });
    server = await oauth.processDiscoveryResponse(url, response);
    me = { client_id: client.clientId };
    proof = oauth.ClientSecretBasic(client.clientSecret);
  });

  it("finds every endpoint in the metadata, and each of them answers", async () => {
    const { token_endpoint, revocation_endpoint, introspection_endpoint } = server;
    for (const url of [token_endpoint, revocation_endpoint, introspection_endpoint]) {
      expect(url?.startsWith(`${issuer()}/connect/`)).toBe(true);
      expect((await fetch(url ?? "", { method: "DELETE" })).status).toBe(405);
    }
  });

  it("gets the token of a service", async () => {
    const secret = oauth.ClientSecretBasic(service.clientSecret);
    const as = { client_id: service.clientId };
    const scope = new URLSearchParams({ scope: "templates.read" });
    const grantResponse = await oauth.clientCredentialsGrantRequest(server, as, secret, scope, insecure);
    const { access_token: token } = await oauth.processClientCredentialsResponse(server, as, grantResponse);
    expect(await verified(token)).toMatchObject({ principalType: "Service", scope: "templates.read" });
  });

  it("gets, refreshes, introspects and revokes the token of a user", async () => {
    const parameters = { username: person.email, password: person.password, scope: "templates.read" };
    const grantResponse = await oauth.genericTokenEndpointRequest(server, me, proof, "password", parameters, insecure);
    const tokens = await oauth.processGenericTokenEndpointResponse(server, me, grantResponse);
    expect(tokens).toMatchObject({ scope: "templates.read", expires_in: 900 });
    const again = await oauth.refreshTokenGrantRequest(server, me, proof, String(tokens.refresh_token), insecure);
    const newTokens = await oauth.processRefreshTokenResponse(server, me, again);
    const introspection = await oauth.introspectionRequest(server, me, proof, newTokens.access_token, insecure);
    expect(await oauth.processIntrospectionResponse(server, me, introspection)).toMatchObject({ active: true });
    const revocation = await oauth.revocationRequest(server, me, proof, String(newTokens.refresh_token), insecure);
    await oauth.processRevocationResponse(revocation);
    const over = await oauth.introspectionRequest(server, me, proof, newTokens.access_token, insecure);
    expect(await oauth.processIntrospectionResponse(server, me, over)).toEqual({ active: false });
  });
});

describe("twenty uses of one refresh token at the same time", () => {
  it("give one successor, and a use after that successor ends all tokens and emits an event", async () => {
    const feed = await aFeed<{ events: { type: string; data: Record<string, unknown> } }>({
      query: "subscription { events { type data } }",
      token: await tenant.tokenWith(),
    });
    const first = await signedIn(client, person);
    const { grantId } = decodeJwt(first.access_token);
    const answers = await Promise.all(Array.from({ length: 20 }, () => refreshed(client, first.refresh_token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const [successor = "", ...others] = new Set(answers.map(({ refresh_token }) => refresh_token));
    expect(others).toEqual([]);
    const next = await refreshed(client, successor);
    expect(next.status).toBe(200);
    expect((await refreshed(client, first.refresh_token)).error).toBe("invalid_grant");
    for (const token of [first.access_token, ...answers.map(({ access_token }) => access_token), next.access_token])
      await eventually(
        "the access token is refused",
        async () => refusal(await readTemplate(token)) === "401 TOKEN_INVALID",
      );
    expect((await refreshed(client, next.refresh_token)).error).toBe("invalid_grant");
    const reuseEvents = () => feed.events.filter(({ events }) => events.type === "RefreshTokenReuseDetected");
    await eventually("the event arrives", () => reuseEvents().length > 0);
    expect(reuseEvents().map(({ events }) => events.data)).toEqual([
      { tenantId: tenant.tenantId, clientId: client.clientId, userId: person.userId, grantId },
    ]);
    await feed.stop();
  });
});
