import { createRemoteJWKSet, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import * as oidc from "openid-client";
import { platform } from "../kit/platform.js";
import { refusal } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aSigningClient, aSigningKey, type SigningKey, sendAssertion } from "../kit/signing-clients.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

// failures are counted for the address that all suites share, so each wrong assertion is sent only once
let tenant: TestTenant;
let key: SigningKey;
let clientId: string;

beforeAll(async () => {
  tenant = await aTenant();
  key = await aSigningKey("one");
  clientId = await aSigningClient(tenant.tenantId, [key]);
});

const issuer = () => platform().publicUrl;

async function verified(token: string) {
  const keys = createRemoteJWKSet(new URL(`${issuer()}/.well-known/jwks`));
  return (await jwtVerify(token, keys, { issuer: issuer(), audience: issuer(), typ: "at+jwt" })).payload;
}

async function changed(mutation: string, variables: Record<string, unknown>): Promise<void> {
  const { body } = await graphql(mutation, { token: await tenant.tokenWith(), variables });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
}

const replaceKeys = (of: string, ...keys: SigningKey[]) =>
  changed(
    "mutation ($of: ID!, $input: UpdateApiClientInput!) { updateApiClient(clientId: $of, input: $input) { keyIds } }",
    { of, input: { jwks: { keys: keys.map(({ jwk }) => jwk) } } },
  );

/** The authorization server's error. For a 401 the library reports the challenge (RFC 9110 section 15.5.2). */
async function refused(grant: Promise<unknown>): Promise<string> {
  const failure = await grant.then(
    () => "granted",
    (error: unknown) => error,
  );
  if (!(failure instanceof oidc.WWWAuthenticateChallengeError)) return String(failure);
  const { error } = (await failure.response.json()) as { error?: string };
  return `${failure.status} ${error}`;
}

type Change = (header: Record<string, unknown>, claims: Record<string, unknown>) => void;

describe("openid-client", () => {
  const discover = (as: string, { key: privateKey, kid }: SigningKey, change: Change = () => undefined) =>
    oidc.discovery(
      new URL(issuer()),
      as,
      undefined,
      oidc.PrivateKeyJwt({ key: privateKey, kid }, { [oidc.modifyAssertion]: change }),
      { execute: [oidc.allowInsecureRequests] },
    );
  const grantFor = async (...parameters: Parameters<typeof discover>) =>
    oidc.clientCredentialsGrant(await discover(...parameters), { scope: "templates.read" });

  it.each(["ES256", "Ed25519", "PS256", "RS256"])(
    "gets the token of a service by %s, and the token works at the REST API",
    async (alg) => {
      const ownKey = await aSigningKey("own", alg);
      const service = await aSigningClient(tenant.tenantId, [ownKey]);
      const { access_token: token } = await grantFor(service, ownKey);
      expect(await verified(token)).toMatchObject({ sub: service, client_id: service, tenantId: tenant.tenantId });
      const answer = await request("GET /v1/templates/tpl_01jz3b0q8xk0n8v3m1w6y5t2r7", { token });
      expect(refusal(answer)).toBe("404 TEMPLATE_NOT_FOUND");
    },
  );

  it("introspects and revokes with a new assertion each time", async () => {
    const config = await discover(clientId, key);
    const { access_token: token } = await oidc.clientCredentialsGrant(config);
    expect(await oidc.tokenIntrospection(config, token)).toMatchObject({ active: true, client_id: clientId });
    await oidc.tokenRevocation(config, token);
    expect(await oidc.tokenIntrospection(config, token)).toEqual({ active: false });
  });

  const hour = 3600;
  it.each<[string, Change]>([
    [
      "that has expired",
      (_, claims) => Object.assign(claims, { exp: Number(claims["exp"]) - hour, iat: Number(claims["iat"]) - hour }),
    ],
    ["that is valid for one hour", (_, claims) => Object.assign(claims, { exp: Number(claims["iat"]) + hour })],
    ["for another server", (_, claims) => Object.assign(claims, { aud: "https://other.example" })],
    ["of another issuer", (_, claims) => Object.assign(claims, { iss: "cli_other" })],
    ["about another subject", (_, claims) => Object.assign(claims, { sub: "cli_other" })],
  ])("is refused with an assertion %s", async (_, change) => {
    expect(await refused(grantFor(clientId, key, change))).toBe("401 invalid_client");
  });

  it("is refused with the key of another client, with a removed key, and after the client was disabled", async () => {
    const [old, next] = [await aSigningKey("one"), await aSigningKey("two")];
    const service = await aSigningClient(tenant.tenantId, [old, next]);
    const invalid = "401 invalid_client";
    expect(await refused(grantFor(clientId, old))).toBe(invalid);
    expect(await refused(grantFor(service, key))).toBe(invalid);
    await grantFor(service, old);
    await replaceKeys(service, next);
    expect(await refused(grantFor(service, old))).toBe(invalid);
    await grantFor(service, next);
    await changed("mutation ($of: ID!) { disableApiClient(clientId: $of) { status } }", { of: service });
    expect(await refused(grantFor(service, next))).toBe(invalid);
  });
});

describe("oauth4webapi", () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  let server: oauth.AuthorizationServer;

  beforeAll(async () => {
    const url = new URL(issuer());
    const response = await oauth.discoveryRequest(url, { algorithm: "oauth2", ...insecure });
    server = await oauth.processDiscoveryResponse(url, response);
  });

  it("finds the authentication method and its algorithms in the metadata", () => {
    for (const endpoint of ["token", "revocation", "introspection"] as const) {
      expect(server[`${endpoint}_endpoint_auth_methods_supported`]).toContain("private_key_jwt");
      const algorithms = server[`${endpoint}_endpoint_auth_signing_alg_values_supported`];
      expect(algorithms).toEqual(["ES256", "EdDSA", "Ed25519", "PS256", "RS256"]);
    }
  });

  it("gets the token of a service, also when the audience of the assertion is the token endpoint", async () => {
    const me = { client_id: clientId };
    for (const change of [
      () => undefined,
      (_: unknown, claims: object) => Object.assign(claims, { aud: server.token_endpoint }),
    ]) {
      const proof = oauth.PrivateKeyJwt({ key: key.key, kid: key.kid }, { [oauth.modifyAssertion]: change });
      const response = await oauth.clientCredentialsGrantRequest(server, me, proof, new URLSearchParams(), insecure);
      const { access_token: token } = await oauth.processClientCredentialsResponse(server, me, response);
      expect(await verified(token)).toMatchObject({ sub: clientId, scope: "templates.read" });
    }
  });

  it("can use one assertion only once, also in twenty requests at the same time", async () => {
    const forms = [];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const form = new URLSearchParams();
      await oauth.PrivateKeyJwt({ key: key.key, kid: key.kid })(server, { client_id: clientId }, form, new Headers());
      forms.push(String(form.get("client_assertion")));
    }
    const [first = "", second = ""] = forms;
    const statuses = [(await sendAssertion(first)).status, (await sendAssertion(first)).status];
    expect(statuses).toEqual([200, 401]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendAssertion(second)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const others = answers.filter((answer) => !won.includes(answer));
    expect(others.every(({ status }) => status === 401 || status === 429)).toBe(true);
  });
});
