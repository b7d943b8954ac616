import { createHash, randomBytes } from "node:crypto";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import * as oidc from "openid-client";
import { Browser, formToken, type Visit } from "../kit/browser.js";
import {
  aSignInClient,
  callback,
  redeem as redeemAt,
  returned,
  type SignInClient,
  signInAs,
  authorizeUrl as urlOf,
} from "../kit/code-flow.js";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aPerson, type Person } from "../kit/people.js";
import { platform } from "../kit/platform.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

const scopes = ["templates.read", "templates.write", "user.read"];

let tenant: TestTenant;
let person: Person;
let app: SignInClient;
let publicApp: SignInClient;
let platformTenantId: string;

const home = () => platform().publicUrl;

const aClient = (input: Record<string, unknown> = {}, tenantId = tenant.tenantId) =>
  aSignInClient(tenantId, { scopes, ...input });

beforeAll(async () => {
  tenant = await aTenant();
  platformTenantId = String(decodeJwt(await platformToken())["tenantId"]);
  person = await aPerson(tenant);
  app = await aClient({ firstParty: true });
  publicApp = await aClient({ name: "Notebook", public: true });
});

const authorizeUrl = (changes: Record<string, string | undefined> = {}, client = app) => urlOf(client, changes);

const signIn = (browser: Browser, page: Visit, who: Pick<Person, "email" | "password"> = person) =>
  signInAs(browser, page, who);

async function aCode(changes: Record<string, string | undefined> = {}, client = app): Promise<string> {
  const browser = new Browser(home());
  const { code } = returned(await signIn(browser, await browser.open(authorizeUrl(changes, client))));
  return String(code);
}

const redeem = (code: string, changes: Record<string, string> = {}, client = app) => redeemAt(client, code, changes);

describe("/connect/userinfo", () => {
  const ask = async (authorization?: string, method = "GET") => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await request(`${method} /connect/userinfo`, { headers });
    return [response.status, response.headers.get("www-authenticate")];
  };

  it("answers only for a sign-in with the scope openid, until the token is revoked", async () => {
    const token = String((await redeem(await aCode())).body["access_token"]);
    expect(await ask(`Bearer ${token}`)).toEqual([200, null]);
    expect(await ask(`Bearer ${token}`, "POST")).toEqual([200, null]);
    const narrow = String((await redeem(await aCode({ scope: "templates.read" }))).body["access_token"]);
    const insufficient = [403, 'Bearer error="insufficient_scope", scope="openid"'];
    expect(await ask(`Bearer ${narrow}`)).toEqual(insufficient);
    expect(await ask(`Bearer ${await tenant.tokenWith()}`)).toEqual(insufficient);
    // a refresh without the scope openid returns a token without it
    const { refresh_token: refresh } = (await redeem(await aCode())).body;
    const narrowAnswer = await redeem("", {
      grant_type: "refresh_token",
      refresh_token: String(refresh),
      scope: "templates.read",
    });
    expect(await ask(`Bearer ${String(narrowAnswer.body["access_token"])}`)).toEqual(insufficient);
    const form = { token, client_id: app.clientId, client_secret: app.clientSecret ?? "" };
    await fetch(`${home()}/connect/revocation`, { method: "POST", body: new URLSearchParams(form) });
    expect(await ask(`Bearer ${token}`)).toEqual([401, 'Bearer error="invalid_token"']);
  });

  it("refuses a malformed token as in RFC 6750", async () => {
    expect(await ask()).toEqual([401, "Bearer"]);
    expect(await ask("Basic eDp5")).toEqual([401, "Bearer"]);
    expect(await ask("Bearer garbage")).toEqual([401, 'Bearer error="invalid_token"']);
    expect((await ask(undefined, "DELETE"))[0]).toBe(405);
  });
});

describe("GET /connect/authorize", () => {
  it("returns a code to openid-client, which redeems it as a confidential client", async () => {
    const issuer = new URL(home());
    const configuration = await oidc.discovery(issuer, app.clientId, app.clientSecret ?? "", undefined, {
      execute: [oidc.allowInsecureRequests],
    });
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: "openid templates.read templates.write",
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    const browser = new Browser(home());
    const end = await signIn(browser, await browser.open(url.href));
    expect(returned(end)).toEqual({ code: expect.any(String), state, iss: home() });
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(end.url), {
      pkceCodeVerifier: codeVerifier,
      expectedState: state,
      expectedNonce: nonce,
    });
    expect(tokens).toMatchObject({ scope: "openid templates.read templates.write", expires_in: 900 });
    expect(tokens.claims()).toMatchObject({
      sub: person.userId,
      email: person.email,
      tenantId: tenant.tenantId,
      aud: app.clientId,
      nonce,
    });
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      sub: person.userId,
      principalType: "User",
      roles: ["Developer"],
      tenantId: tenant.tenantId,
      grantId: expect.any(String),
      scope: tokens.scope,
      auth_time: expect.any(Number),
      firstParty: true,
    });
    const { status } = await request("GET /v1/users", { token: tokens.access_token });
    expect(status).not.toBe(401);
    expect(await oidc.fetchUserInfo(configuration, tokens.access_token, person.userId)).toEqual({
      sub: person.userId,
      email: person.email,
      tenantId: tenant.tenantId,
      tenantSlug: expect.any(String),
    });
    const freshTokens = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? "");
    expect(freshTokens).toMatchObject({ scope: "openid templates.read templates.write" });
    const narrowTokens = await oidc.refreshTokenGrant(configuration, freshTokens.refresh_token ?? "", {
      scope: "templates.read",
    });
    expect([narrowTokens.scope, narrowTokens.id_token]).toEqual(["templates.read", undefined]);
    expect(freshTokens.refresh_token).not.toBe(tokens.refresh_token);
  });

  it("works with oauth4webapi as a public client, with consent, refresh and a remembered consent", async () => {
    const issuer = new URL(home());
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client: oauth.Client = { client_id: publicApp.clientId };
    const browser = new Browser(home());
    const flow = async (consents: boolean) => {
      const codeVerifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const url = authorizeUrl(
        { code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier), state, scope: "templates.read" },
        publicApp,
      );
      let page = await browser.open(url);
      if (page.text.includes("<h1>Sign in</h1>")) page = await signIn(browser, page);
      if (consents) {
        expect(page.text).toContain("See templates and their executions");
        expect(page.text).toContain("Notebook");
        page = await browser.submit(page, { action: "allow" });
      }
      const parameters = oauth.validateAuthResponse(server, client, new URL(page.url), state);
      const answer = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        parameters,
        callback,
        codeVerifier,
        insecure,
      );
      return oauth.processAuthorizationCodeResponse(server, client, answer);
    };
    const tokens = await flow(true);
    expect(tokens).toMatchObject({ scope: "templates.read", token_type: "bearer" });
    expect(tokens.id_token).toBeUndefined();
    const answer = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      tokens.refresh_token ?? "",
      insecure,
    );
    expect(await oauth.processRefreshTokenResponse(server, client, answer)).toMatchObject({ scope: "templates.read" });
    await flow(false);
  });

  it("asks for consent to new scopes, and to all scopes with prompt=consent", async () => {
    const client = await aClient();
    const browser = new Browser(home());
    const first = await signIn(browser, await browser.open(authorizeUrl({}, client)));
    returned(await browser.submit(first, { action: "allow" }));
    returned(await browser.open(authorizeUrl({}, client)));
    const more = await browser.open(authorizeUrl({ scope: "openid templates.read user.read" }, client));
    expect(more.text).toContain("See the people of your organization");
    const again = await browser.open(authorizeUrl({ prompt: "consent" }, client));
    expect(again.text).toContain("Allow access?");
  });

  it("returns an error to the client after a denial and after a canceled sign-in", async () => {
    const client = await aClient();
    const browser = new Browser(home());
    const consent = await signIn(browser, await browser.open(authorizeUrl({}, client)));
    expect(returned(await browser.submit(consent, { action: "deny" }))).toMatchObject({
      error: "access_denied",
      state: "st&te",
      iss: home(),
    });
    const other = new Browser(home());
    const end = await other.submit(await other.open(authorizeUrl({}, client)), { action: "cancel" });
    expect(returned(end)).toMatchObject({ error: "access_denied", state: "st&te" });
  });

  it("continues without a page while the user is signed in, and obeys prompt and max_age", async () => {
    const browser = new Browser(home());
    expect(returned(await browser.open(authorizeUrl({ prompt: "none" })))).toMatchObject({ error: "login_required" });
    returned(await signIn(browser, await browser.open(authorizeUrl())));
    expect(returned(await browser.open(authorizeUrl({ prompt: "none" })))).toHaveProperty("code");
    expect((await browser.open(authorizeUrl({ prompt: "login" }))).text).toContain("<h1>Sign in</h1>");
    expect(returned(await browser.open(authorizeUrl({ max_age: "1000" })))).toHaveProperty("code");
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await browser.open(authorizeUrl({ max_age: "0" }))).text).toContain("<h1>Sign in</h1>");
    const third = await aClient();
    expect(returned(await browser.open(authorizeUrl({ prompt: "none" }, third)))).toMatchObject({
      error: "consent_required",
    });
  });

  it("gives the session a new id at each sign-in, also as another user", async () => {
    const browser = new Browser(home());
    const session = () => browser.cookies.find(({ name }) => name === "factory-session")?.value;
    returned(await signIn(browser, await browser.open(authorizeUrl())));
    const first = session();
    const other = await aPerson(tenant);
    const end = await signIn(browser, await browser.open(authorizeUrl({ prompt: "login" })), other);
    const { body } = await redeem(String(returned(end)["code"]));
    expect(decodeJwt(body["access_token"]).sub).toBe(other.userId);
    expect(first).toEqual(expect.any(String));
    expect(session()).not.toBe(first);
  });

  it("requests every scope of the client when the request names none", async () => {
    const { body } = await redeem(await aCode({ scope: undefined }));
    expect(body["scope"]).toBe("templates.read templates.write user.read");
    expect(body).not.toHaveProperty("id_token");
  });

  it.each([
    ["a scope that the client does not hold", { scope: "templates.publish" }, "invalid_scope"],
    ["no PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["PKCE with the method plain", { code_challenge_method: "plain" }, "invalid_request"],
    ["another response type", { response_type: "none" }, "unsupported_response_type"],
    ["a request object", { request: "e30.e30." }, "request_not_supported"],
    ["another resource", { resource: "https://other.example" }, "invalid_target"],
  ])("redirects with an error for %s", async (_, changes, error) => {
    expect(returned(await new Browser(home()).open(authorizeUrl(changes)))).toMatchObject({
      error,
      state: "st&te",
      iss: home(),
    });
  });

  it.each([
    ["an unknown client", { client_id: "cli_nobody" }],
    ["no client", { client_id: undefined }],
    ["no address", { redirect_uri: undefined }],
    ["another address", { redirect_uri: "https://evil.example/callback" }],
    ["a redirect URI with a longer path", { redirect_uri: `${callback}/more` }],
    ["a redirect URI with an added query", { redirect_uri: `${callback}?a=b` }],
    ["a fragment", { redirect_uri: `${callback}#a` }],
    ["another case", { redirect_uri: "https://studio.example/Callback" }],
    ["a port", { redirect_uri: "https://studio.example:8443/callback" }],
    ["dots", { redirect_uri: "https://studio.example/x/../callback" }],
    ["credentials", { redirect_uri: "https://studio.example@evil.example/callback" }],
    ["a script", { redirect_uri: "javascript:alert(1)" }],
    ["plain http", { redirect_uri: "http://studio.example/callback" }],
    ["form_post", { response_mode: "form_post" }],
  ])("shows an error page for %s and does not redirect", async (_, changes) => {
    const { url, status, headers, text } = await new Browser(home()).open(authorizeUrl(changes));
    expect([status, url.startsWith(home())]).toEqual([400, true]);
    expect(text).toContain("<h1>This sign-in cannot go on</h1>");
    expect(text).not.toMatch(/\.js:\d|oidc-provider|node_modules/);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  it("redirects with an error when the roles of the user give none of the scopes, and when the tenant is suspended", async () => {
    const viewer = await aPerson(tenant, "Viewer");
    const browser = new Browser(home());
    const end = await signIn(browser, await browser.open(authorizeUrl({ scope: "openid templates.write" })), viewer);
    expect(returned(end)).toMatchObject({ error: "access_denied" });
    const other = await aTenant();
    const client = await aClient({}, other.tenantId);
    await graphql(`mutation { suspendTenant(tenantId: "${other.tenantId}") { status } }`, {
      token: await platformToken(),
    });
    expect(returned(await new Browser(home()).open(authorizeUrl({}, client)))).toMatchObject({
      error: "access_denied",
      state: "st&te",
    });
  });

  it("refuses a parameter that occurs twice or contains characters that cannot be stored", async () => {
    for (const twice of ["redirect_uri=https%3A%2F%2Fevil.example%2F", "client_id=cli_other", "state=other"]) {
      const { url, text } = await new Browser(home()).open(`${authorizeUrl()}&${twice}`);
      expect([new URL(home()).origin, "https://studio.example"]).toContain(new URL(url).origin);
      expect(text).not.toContain("<form");
    }
    for (const hint of ["a\0b", "\ud800", "x".repeat(3000)]) {
      const { status } = await new Browser(home()).open(authorizeUrl({ login_hint: hint }));
      expect(status).toBeLessThan(500);
    }
  });

  it("accepts any port of a loopback redirect URI, as native apps need it", async () => {
    const native = await aClient({ public: true, firstParty: true, redirectUris: ["http://127.0.0.1/callback"] });
    const redirectUri = "http://127.0.0.1:51999/callback";
    const browser = new Browser(home());
    const page = await signIn(browser, await browser.open(authorizeUrl({ redirect_uri: redirectUri }, native)));
    const { code } = returned(await browser.submit(page, { action: "allow" }), redirectUri);
    const { status } = await redeem(String(code), { redirect_uri: redirectUri }, native);
    expect(status).toBe(200);
  });

  it.each([
    ["a third-party client", false],
    ["the platform's own", true],
  ])(
    "asks each time before it sends a code to a public client on the device of the user: %s",
    async (_, firstParty) => {
      const redirectUris = ["http://127.0.0.1/callback", "http://localhost/callback", callback];
      const native = await aClient({ public: true, firstParty, redirectUris });
      const browser = new Browser(home());
      await signIn(browser, await browser.open(authorizeUrl()));
      const loopback = { redirect_uri: "http://localhost:4711/callback" };
      for (let time = 0; time < 2; time += 1) {
        const silent = await browser.open(authorizeUrl({ ...loopback, prompt: "none" }, native));
        expect(returned(silent, loopback.redirect_uri)).toMatchObject({ error: "consent_required", state: "st&te" });
        const page = await browser.open(authorizeUrl(loopback, native));
        expect(page.text).toContain("Either way you return to localhost:4711.");
        expect(returned(await browser.submit(page, { action: "allow" }), loopback.redirect_uri)).toHaveProperty("code");
      }
      // an https address belongs to its owner, so the consent for it is remembered
      expect(returned(await browser.open(authorizeUrl({}, native)))).toHaveProperty("code");
    },
  );

  it("also accepts its parameters in a form, with the session of the browser", async () => {
    const browser = new Browser(home());
    returned(await signIn(browser, await browser.open(authorizeUrl())));
    const [address = "", query = ""] = authorizeUrl({ state: "a&b=c" }).split("?");
    const end = await browser.post(address, new URLSearchParams(query));
    expect(returned(end)).toEqual({ code: expect.any(String), state: "a&b=c", iss: home() });
    for (const body of [new URLSearchParams({ state: "x".repeat(9000) }), "{}"])
      expect((await browser.post(address, body)).status).toBe(400);
  });

  it("is also served under /v1, by GET and POST", async () => {
    const page = await new Browser(home()).open(authorizeUrl().replace("/connect/", "/v1/connect/"));
    expect(page.text).toContain("<h1>Sign in</h1>");
    const { status, headers } = await request("PUT /connect/authorize");
    expect([status, headers.get("allow")]).toEqual([405, "GET, POST"]);
  });
});

describe("a code", () => {
  it("is bound to its verifier, its redirect URI and its client", async () => {
    const code = await aCode();
    const other = await aClient({ firstParty: true });
    for (const [changes, client] of [
      [{ code_verifier: randomBytes(32).toString("base64url") }, app],
      [{ code_verifier: "" }, app],
      [{ redirect_uri: "https://studio.example/" }, app],
      [{}, other],
    ] as const) {
      const { status, body } = await redeem(code, changes, client);
      expect([status, body["error"]]).toEqual([400, "invalid_grant"]);
    }
    expect((await redeem(code)).status).toBe(200);
  });

  it("works once: a second use revokes its tokens", async () => {
    const code = await aCode();
    const first = await redeem(code);
    expect(first.status).toBe(200);
    expect((await redeem(code)).body["error"]).toBe("invalid_grant");
    const refresh = { grant_type: "refresh_token", refresh_token: String(first.body["refresh_token"]) };
    expect((await redeem("", refresh)).body["error"]).toBe("invalid_grant");
    const token = String(first.body["access_token"]);
    await eventually("its access token is refused", async () => {
      const { status } = await request("GET /v1/templates/tpl_x", { token });
      return status === 401;
    });
  });

  it("gives tokens to one of 20 requests at the same time, and these tokens are revoked", async () => {
    const code = await aCode();
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(code)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won.length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ body }) => body["error"] === "invalid_grant")).toHaveLength(20 - won.length);
    const grants = await rows<{ count: number }>(
      "select count(*)::int as count from spine.oidc_artifacts where kind = 'RefreshToken' and grant_id = $1",
      [String(decodeJwt(String(won[0]?.body["access_token"]))["grantId"])],
    );
    expect([won.length, grants[0]?.count]).toEqual([1, 0]);
  });

  it("is stored in a form that cannot be redeemed, and expires after one minute", async () => {
    const code = await aCode();
    const storedRows = await rows<{ payload: unknown; left: number }>(
      "select payload, extract(epoch from expires_at - now())::int as left from spine.oidc_artifacts where kind = 'AuthorizationCode'",
    );
    expect(JSON.stringify(storedRows)).not.toContain(code);
    expect(Math.max(...storedRows.map(({ left }) => left))).toBeLessThanOrEqual(60);
  });
});

describe("/connect/interaction/{uid}", () => {
  it("shows the same message for a wrong password and for an unknown address", async () => {
    const texts = [];
    for (const email of [person.email, "nobody@example.com"]) {
      const browser = new Browser(home());
      const page = await browser.open(authorizeUrl());
      const answer = await signIn(browser, page, { email, password: "wrong" });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('role="alert"');
      expect(answer.text).not.toContain("wrong password");
      texts.push(answer.text.replaceAll(email, "").replaceAll(formToken(answer), ""));
    }
    expect(texts[0]).toBe(texts[1]);
  });

  it("names each empty field", async () => {
    const browser = new Browser(home());
    const answer = await browser.submit(await browser.open(authorizeUrl()), { action: "sign-in" });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('<a href="#username">Enter your e-mail address</a>');
    expect(answer.text).toContain('aria-describedby="password-wrong"');
  });

  it("refuses a user of another tenant and a disabled user", async () => {
    const elsewhere = await aPerson(await aTenant());
    const disabledPerson = await aPerson(tenant);
    await rows("update spine.users set status = 'Disabled' where email = $1", [disabledPerson.email]);
    for (const who of [elsewhere, disabledPerson]) {
      const browser = new Browser(home());
      const answer = await signIn(browser, await browser.open(authorizeUrl()), who);
      expect([answer.status, answer.text.includes("<h1>Sign in</h1>")]).toEqual([400, true]);
    }
  });

  it("asks a user to sign in whose account was disabled in the meantime", async () => {
    const leaver = await aPerson(tenant);
    const browser = new Browser(home());
    returned(await signIn(browser, await browser.open(authorizeUrl()), leaver));
    await rows("update spine.users set status = 'Disabled' where email = $1", [leaver.email]);
    expect((await browser.open(authorizeUrl())).text).toContain("<h1>Sign in</h1>");
  });

  it("asks a user to sign in who was disabled and enabled in the meantime", async () => {
    const returner = await aPerson(tenant);
    const browser = new Browser(home());
    returned(await signIn(browser, await browser.open(authorizeUrl()), returner));
    const token = await tenant.tokenWith();
    for (const move of ["disable", "enable"])
      expect((await request(`POST /v1/users/${returner.userId}/${move}`, { token })).status).toBe(200);
    expect((await browser.open(authorizeUrl())).text).toContain("<h1>Sign in</h1>");
  });

  it("serves users of every tenant at a first-party client of the platform, and asks for the organization", async () => {
    const studio = await aClient({ firstParty: true }, platformTenantId);
    const other = await aTenant();
    const email = `both-${randomBytes(4).toString("hex")}@example.com`;
    await aPerson(tenant, "Developer", email);
    const there = await aPerson(other, "Viewer", email);
    const browser = new Browser(home());
    const page = await browser.open(authorizeUrl({}, studio));
    expect(page.text).toContain("Organization");
    const several = await signIn(browser, page, there);
    expect(several.text).toContain("enter the short name of one of them");
    const fields = { username: email, password: there.password, action: "sign-in", tenant: other.slug };
    const { body } = await redeem(String(returned(await browser.submit(several, fields))["code"]), {}, studio);
    expect(decodeJwt(body["access_token"])).toMatchObject({ sub: there.userId, tenantId: other.tenantId });
    const hintPage = await browser.open(authorizeUrl({ tenant: tenant.slug }, studio));
    expect(hintPage.text).toContain(`value="${tenant.slug}"`);
  });

  it("refuses a form without its CSRF token, with a CSRF token of another form, from another origin or without its cookie", async () => {
    const fields = { username: person.email, password: person.password, action: "sign-in" };
    const browser = new Browser(home());
    const page = await browser.open(authorizeUrl());
    const foreign = formToken(await new Browser(home()).open(authorizeUrl()));
    for (const [change, headers] of [
      [{ formToken: "" }, {}],
      [{ formToken: foreign }, {}],
      [{}, { origin: "https://evil.example" }],
      [{}, { "sec-fetch-site": "cross-site" }],
      [{}, { "sec-fetch-site": "same-site" }],
      [{}, { "content-type": "text/plain" }],
    ] as const) {
      const answer = await browser.submit(page, { ...fields, ...change }, headers);
      expect([answer.status, answer.text.includes("This form cannot be used")]).toEqual([403, true]);
    }
    const bare = browser.copy();
    bare.forget("factory-interaction");
    expect((await bare.submit(page, fields)).status).toBe(400);
    const stranger = new Browser(home());
    await stranger.open(authorizeUrl());
    expect((await stranger.open(page.url)).text).toContain("This sign-in has ended");
    returned(await browser.submit(page, fields));
  });

  it("cannot be framed, runs no script, is not cached and sends no referrer", async () => {
    const browser = new Browser(home());
    const { headers, text } = await browser.open(authorizeUrl());
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    const [, hash] = /style-src 'sha256-([^']+)'/.exec(headers.get("content-security-policy") ?? "") ?? [];
    const [, style = ""] = /<style>(.*)<\/style>/s.exec(text) ?? [];
    expect(createHash("sha256").update(style).digest("base64")).toBe(hash);
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self' https://studio.example; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(text).not.toMatch(/<script|\son\w+=|style="|src=|<link/);
  });

  it("hides its cookies from scripts and other sites", async () => {
    const url = authorizeUrl();
    const response = await fetch(url, { redirect: "manual" });
    const cookies = response.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThanOrEqual(4);
    for (const cookie of cookies) expect(cookie.toLowerCase()).toMatch(/; samesite=lax; httponly/);
    expect(cookies.filter((cookie) => cookie.startsWith("factory-interaction"))).toEqual(
      expect.arrayContaining([expect.stringContaining("path=/connect/interaction/")]),
    );
  });

  it("shows the values of the form, but never as markup", async () => {
    const hostile = `"><img src=x onerror=alert(1)><script>alert('x')</script>`;
    const studio = await aClient({ name: hostile, firstParty: true }, platformTenantId);
    const browser = new Browser(home());
    const page = await browser.open(authorizeUrl({ login_hint: hostile, tenant: hostile, state: hostile }, studio));
    const again = await browser.submit(page, { username: hostile, password: "x", tenant: hostile, action: "sign-in" });
    const third = await aClient({ name: hostile });
    const consent = await signIn(browser, await browser.open(authorizeUrl({}, third)));
    const error = await browser.open(authorizeUrl({ client_id: hostile, redirect_uri: hostile, scope: hostile }));
    for (const { text } of [page, again, consent, error]) {
      expect(text).toContain("<h1>");
      expect(text).not.toMatch(/<img|<script/);
    }
    expect(page.text).toContain("&lt;script&gt;");
    expect(consent.text).toContain("&lt;script&gt;");
  });
});

describe("a client that is disabled", () => {
  it("cannot use its earlier codes and tokens, also when it is enabled again", async () => {
    const client = await aClient({ firstParty: true, public: true });
    const first = await redeem(await aCode({}, client), {}, client);
    const code = await aCode({}, client);
    const refresh = { grant_type: "refresh_token", refresh_token: String(first.body["refresh_token"]) };
    const token = await tenant.tokenWith("client.manage", "templates.read", "templates.write", "user.read");
    const move = (field: string) =>
      graphql(`mutation { ${field}(clientId: "${client.clientId}") { status } }`, { token });
    // codes and refresh tokens store their time in seconds
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await move("disableApiClient");
    expect((await redeem("", refresh, client)).status).toBe(401);
    const consentPage = await new Browser(home()).open(authorizeUrl({}, client));
    expect([consentPage.status, consentPage.url.startsWith(home())]).toEqual([400, true]);
    await move("enableApiClient");
    expect((await redeem("", refresh, client)).body["error"]).toBe("invalid_grant");
    expect((await redeem(code, {}, client)).body["error"]).toBe("invalid_grant");
    await new Promise((resolve) => setTimeout(resolve, 1300));
    expect((await redeem(await aCode({}, client), {}, client)).status).toBe(200);
  });
});

describe("/connect/logout", () => {
  it("ends the session after the confirmation of the user, and redirects only to a registered address", async () => {
    const browser = new Browser(home());
    returned(await signIn(browser, await browser.open(authorizeUrl())));
    const url = (changes: Record<string, string>) =>
      `${home()}/connect/logout?${new URLSearchParams({ client_id: app.clientId, state: "s", ...changes }).toString()}`;
    // a parameter without a value counts as left out
    expect((await browser.copy().open(url({ post_logout_redirect_uri: "" }))).status).toBe(200);
    const evil = await browser.open(url({ post_logout_redirect_uri: "https://evil.example/" }));
    expect([evil.status, evil.text.includes("cannot go on")]).toEqual([400, true]);
    const page = await browser.open(url({ post_logout_redirect_uri: callback }));
    expect(page.text).toContain(person.email);
    expect((await browser.submit(page, { formToken: "" })).status).toBe(403);
    expect((await browser.submit(page, {}, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect(returned(await browser.open(authorizeUrl()))).toHaveProperty("code");
    expect(returned(await browser.submit(page, {}))).toEqual({ state: "s" });
    expect((await browser.open(authorizeUrl())).text).toContain("<h1>Sign in</h1>");
    expect((await browser.open(`${home()}/connect/logout`)).text).toContain("You are signed out");
  });

  it("refuses a session that was ended", async () => {
    const browser = new Browser(home());
    returned(await signIn(browser, await browser.open(authorizeUrl())));
    const thief = browser.copy();
    await browser.submit(await browser.open(`${home()}/connect/logout`), {});
    expect((await thief.open(authorizeUrl())).text).toContain("<h1>Sign in</h1>");
  });
});
