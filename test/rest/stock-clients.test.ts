import { readFileSync } from "node:fs";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import * as oidc from "openid-client";
import { Browser } from "../kit/browser.js";
import {
  aSignInClient,
  authorizeUrl,
  callback,
  redeem,
  returned,
  type SignInClient,
  signInAs,
} from "../kit/code-flow.js";
import { allowed, anIdentityClient, anIdentityToken, tokensOf } from "../kit/identity-sign-ins.js";
import { aPerson, type Person } from "../kit/people.js";
import { platform } from "../kit/platform.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

/** Loaded without its types, which would bring a browser's types into every file. */
const authCore: string = "@auth/core";

interface AuthCore {
  readonly Auth: (request: Request, config: object) => Promise<Response>;
}

const home = () => platform().publicUrl;
const identity = ["openid", "profile", "email"];

let tenant: TestTenant;
let person: Person;
let app: SignInClient;

beforeAll(async () => {
  tenant = await aTenant();
  person = await aPerson(tenant);
  app = await anIdentityClient(tenant);
});

const tokensFor = (changes: Record<string, string | undefined>, client = app) => tokensOf(client, person, changes);

const userinfo = async (token: string) => (await request("GET /connect/userinfo", { token })).body;

/** The claims about the person with `openid`, `profile` and `email`. */
const fullClaims = () => ({
  sub: person.userId,
  email: person.email,
  email_verified: true,
  tenantId: tenant.tenantId,
  tenantSlug: tenant.slug,
});

describe("a stock client in its default configuration", () => {
  it("signs in with openid-client, scope openid profile email", async () => {
    const configuration = await oidc.discovery(new URL(home()), app.clientId, app.clientSecret ?? "", undefined, {
      execute: [oidc.allowInsecureRequests],
    });
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: "openid profile email",
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
    });
    const end = await allowed(url.href, person);
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(end.url), {
      pkceCodeVerifier: codeVerifier,
    });
    expect(tokens.scope).toBe("openid profile email");
    expect(tokens.claims()).toMatchObject({ ...fullClaims(), aud: app.clientId });
    expect(await oidc.fetchUserInfo(configuration, tokens.access_token, person.userId)).toEqual(fullClaims());
    const freshTokens = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? "");
    expect([freshTokens.scope, freshTokens.claims()?.sub]).toEqual(["openid profile email", person.userId]);
  });

  it("signs in with openid-client, scope openid offline_access and prompt=consent", async () => {
    const configuration = await oidc.discovery(new URL(home()), app.clientId, app.clientSecret ?? "", undefined, {
      execute: [oidc.allowInsecureRequests],
    });
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: "openid offline_access",
      prompt: "consent",
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
    });
    const browser = new Browser(home());
    const page = await signInAs(browser, await browser.open(url.href), person);
    expect(page.text).toContain("Keep its access while you are away");
    const end = await browser.submit(page, { action: "allow" });
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(end.url), {
      pkceCodeVerifier: codeVerifier,
    });
    expect(tokens.scope).toBe("openid offline_access");
    const freshTokens = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? "");
    expect(freshTokens.scope).toBe("openid offline_access");
  });

  it("signs in with oauth4webapi, and reads the userinfo endpoint", async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(home());
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    expect(server.scopes_supported).toEqual(expect.arrayContaining([...identity, "offline_access"]));
    expect(server.claims_supported).toEqual(expect.arrayContaining(["email", "email_verified", "name"]));
    const client: oauth.Client = { client_id: app.clientId };
    const codeVerifier = oauth.generateRandomCodeVerifier();
    const nonce = oauth.generateRandomNonce();
    const url = new URL(server.authorization_endpoint ?? "");
    for (const [name, value] of Object.entries({
      client_id: app.clientId,
      redirect_uri: callback,
      response_type: "code",
      scope: "openid email",
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
      nonce,
    }))
      url.searchParams.set(name, value);
    const end = await allowed(url.href, person);
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(app.clientSecret ?? ""),
      oauth.validateAuthResponse(server, client, new URL(end.url)),
      callback,
      codeVerifier,
      insecure,
    );
    const requirements = { expectedNonce: nonce, requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, requirements);
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ email: person.email, email_verified: true });
    const userInfoResponse = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
    expect(await oauth.processUserInfoResponse(server, client, person.userId, userInfoResponse)).toMatchObject(
      fullClaims(),
    );
  });

  it("signs in with @auth/core, the core of next-auth", async () => {
    const site = "https://shop.example/auth";
    const client = await anIdentityClient(tenant, {
      scopes: identity,
      grantTypes: ["authorization_code"],
      redirectUris: [`${site}/callback/factory`],
    });
    const { clientId, clientSecret } = client;
    const { Auth } = (await import(authCore)) as AuthCore;
    const config = {
      secret: "a secret of the shop for its own cookies",
      trustHost: true,
      basePath: "/auth",
      providers: [
        { id: "factory", name: "Factory", type: "oidc", issuer: home(), clientId, clientSecret: clientSecret ?? "" },
      ],
    };
    const cookies = new Map<string, string>();
    const visit = async (path: string, form?: Record<string, string>) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const body = form && { method: "POST", body: new URLSearchParams(form) };
      const response = await Auth(new Request(path, { headers: { cookie }, ...body }), config);
      for (const line of response.headers.getSetCookie()) {
        const [name = "", value = ""] = (line.split(";", 1)[0] ?? "").split(/=(.*)/s);
        cookies.set(name, value);
      }
      return response;
    };
    const { csrfToken } = (await (await visit(`${site}/csrf`)).json()) as { csrfToken: string };
    const signInStart = await visit(`${site}/signin/factory`, { csrfToken, callbackUrl: "https://shop.example/" });
    const url = new URL(signInStart.headers.get("location") ?? "");
    expect(url.searchParams.get("scope")).toBe("openid profile email");
    const end = await allowed(url.href, person);
    const signInEnd = await visit(end.url);
    expect(signInEnd.headers.get("location")).toBe("https://shop.example/");
    const session = (await (await visit(`${site}/session`)).json()) as { user?: { email?: string } };
    expect(session.user?.email).toBe(person.email);
  });
});

describe("the scope of a sign-in", () => {
  it.each([
    ["phone and address are ignored", "openid phone address", "openid"],
    ["an unknown word is ignored", "openid groups", "openid"],
    ["offline_access without prompt=consent is ignored", "openid offline_access", "openid"],
    ["every other scope is kept", "openid phone email profile", "openid profile email"],
  ])("%s", async (_, scope, expectedScope) => {
    const { scope: grantedScope, access_token: token } = await tokensFor({ scope });
    expect([grantedScope, decodeJwt(String(token))["scope"]]).toEqual([expectedScope, expectedScope]);
  });

  it.each([
    ["a scope with a dot that does not exist", "openid templates.destroy"],
    ["a scope of the API that the client does not have", "openid templates.read"],
    ["a scope that is an address", "openid https://api.example/read"],
    ["an unknown word without openid", "groups"],
    ["profile without openid", "profile"],
    ["email beside an ignored word, without openid", "email phone"],
  ])("%s stays invalid_scope", async (_, scope) => {
    const page = await new Browser(home()).open(authorizeUrl(app, { scope }));
    expect(returned(page)).toMatchObject({ error: "invalid_scope", state: "st&te" });
  });

  it("without a value is what the client was made for", async () => {
    expect((await tokensFor({ scope: undefined }))["scope"]).toBe("openid profile email");
    const offline = await tokensFor({ scope: undefined, prompt: "consent" });
    expect(offline["scope"]).toBe("openid profile email offline_access");
  });

  it("openid alone gives the claims of today, and no email_verified", async () => {
    const { id_token: idToken, access_token: token } = await tokensFor({ scope: "openid" });
    const { email_verified: _, ...claims } = fullClaims();
    expect(await userinfo(String(token))).toEqual(claims);
    expect(decodeJwt(String(idToken))).toMatchObject(claims);
    expect(decodeJwt(String(idToken))).not.toHaveProperty("email_verified");
  });

  it("may be asked for in part by a refresh", async () => {
    const { refresh_token: refresh } = await tokensFor({ scope: "openid profile email" });
    const form = { grant_type: "refresh_token", scope: "openid email" };
    const narrowAnswer = await redeem(app, "", { ...form, refresh_token: String(refresh) });
    expect(narrowAnswer).toMatchObject({ status: 200, body: { scope: "openid email" } });
    expect(await userinfo(String(narrowAnswer.body["access_token"]))).toEqual(fullClaims());
    const next = { ...form, refresh_token: String(narrowAnswer.body["refresh_token"]) };
    const { body } = await redeem(app, "", { ...next, scope: "email" });
    expect(body["error"]).toBe("invalid_scope");
  });

  it("may have offline_access at a client that gets no refresh tokens, where it is ignored", async () => {
    const input = { scopes: ["templates.read"], grantTypes: ["authorization_code"] };
    const client = await aSignInClient(tenant.tenantId, input);
    const tokens = await tokensFor({ scope: "openid offline_access", prompt: "consent" }, client);
    expect([tokens["scope"], tokens["refresh_token"]]).toEqual(["openid", undefined]);
  });

  it("is asked for beside scopes of the API by a client that was made before", async () => {
    const client = await aSignInClient(tenant.tenantId, { scopes: ["templates.read"] });
    const scope = "openid profile email templates.read";
    const { access_token: token, refresh_token: refresh, scope: grantedScope } = await tokensFor({ scope }, client);
    expect(grantedScope).toBe(scope);
    expect(refresh).toEqual(expect.any(String));
    expect((await request("GET /v1/templates/tpl_x", { token: String(token) })).status).toBe(404);
    expect((await request("GET /v1/users", { token: String(token) })).status).toBe(403);
  });
});

describe("a token with identity scopes alone", () => {
  const endpoints = JSON.parse(readFileSync(new URL("../../schema/endpoints.json", import.meta.url), "utf8")) as {
    readonly endpoint: string;
    readonly operation: string | null;
    readonly scopes: readonly string[];
  }[];

  // test/rest/endpoints.test.ts and test/graphql/root-fields.test.ts try the others
  it("opens no endpoint that runs no operation", async () => {
    const token = await anIdentityToken(tenant);
    const guardedEndpoints = endpoints.filter(({ operation, scopes }) => operation === null && scopes.length > 0);
    expect(guardedEndpoints.length).toBeGreaterThan(3);
    for (const { endpoint } of guardedEndpoints) {
      const { status, body } = await request(endpoint.replaceAll(/\{\w+\}/g, "run_x"), { token });
      expect([endpoint, status, body["code"] ?? body["errorCode"]]).toEqual([endpoint, 403, expect.anything()]);
    }
  });

  it("lists no users, and an agent gets no token for it", async () => {
    const token = await anIdentityToken(tenant);
    const users = await graphql("{ users(first: 1) { items { userId } } }", { token });
    expect(users.body.errors?.map(({ extensions }) => extensions.code)).toEqual(["INSUFFICIENT_SCOPE"]);
    const maker = await tenant.tokenWith("client.manage", "templates.read");
    const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
    const clientAnswer = await graphql<{ createApiClient: SignInClient }>(
      `mutation { createApiClient(input: { name: "Agent", principalType: "Agent", scopes: ["templates.read"],
        grantTypes: ["${exchange}"] }) { clientId clientSecret } }`,
      { token: maker },
    );
    const { body } = await redeem(clientAnswer.body.data.createApiClient, "", {
      grant_type: exchange,
      subject_token: token,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      agent_task_id: "task",
    });
    expect(body["error"]).toBe("invalid_scope");
  });
});
