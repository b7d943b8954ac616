import { decodeJwt } from "jose";
import * as oidc from "openid-client";
import { aPendingApproval } from "../kit/agents.js";
import { Browser, type Visit } from "../kit/browser.js";
import { aSignInClient, callback, returned, signInAs } from "../kit/code-flow.js";
import { confirmAuthenticator, ownSecurityPage, resetToken, storeWrongCodes, totpCode } from "../kit/own-security.js";
import { anOwnersToken } from "../kit/own-sessions.js";
import { aPerson, type Person } from "../kit/people.js";
import { platform } from "../kit/platform.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import { invitationToken } from "../kit/users.js";

const level = "urn:factory:acr:second-factor";
const scope = "openid governance.approve templates.publish";
const newPassword = "a quite different password";

let tenant: TestTenant;
let configuration: oidc.Configuration;

interface OwnSession {
  readonly sessionId: string;
  readonly kind: string;
  readonly isCurrent: boolean;
}

const home = () => platform().publicUrl;

beforeAll(async () => {
  tenant = await aTenant();
  const { clientId, clientSecret } = await aSignInClient(tenant.tenantId, {
    firstParty: true,
    scopes: ["governance.approve", "templates.publish"],
    grantTypes: ["authorization_code", "refresh_token", "password"],
  });
  configuration = await oidc.discovery(new URL(home()), clientId, clientSecret ?? "", undefined, {
    execute: [oidc.allowInsecureRequests],
  });
});

/** openid-client's authorization request, and how it redeems the code when the sign-in ends. */
async function begin(parameters: Record<string, string> = {}) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: callback,
    scope,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    ...parameters,
  });
  const maxAge = parameters["max_age"] === undefined ? {} : { maxAge: Number(parameters["max_age"]) };
  const redeem = (end: Visit) => {
    returned(end);
    return oidc.authorizationCodeGrant(configuration, new URL(end.url), { pkceCodeVerifier, ...maxAge });
  };
  return { url: url.href, redeem };
}

/** A new sign-in as far as the password leads. */
async function withPassword(person: Person, parameters: Record<string, string> = {}) {
  const { url, redeem } = await begin(parameters);
  const browser = new Browser(home());
  return { browser, redeem, page: await signInAs(browser, await browser.open(url), person) };
}

/** A person who has set up an authenticator app, because the application asked for a second factor. */
async function anOwner() {
  const person = await aPerson(tenant, "TenantOwner");
  const { browser, page, redeem } = await withPassword(person, { acr_values: level });
  const { shown, key, codes } = await confirmAuthenticator(browser, page);
  return { person, key, codes, browser, tokens: await redeem(await browser.submit(shown, { action: "continue" })) };
}

const approve = (approvalId: string, token: string) =>
  oidc.fetchProtectedResource(
    configuration,
    token,
    new URL(`${home()}/v1/approvals/${approvalId}/approve`),
    "POST",
    "{}",
    new Headers({ "content-type": "application/json" }),
  );

/** The resource's demands on the next sign-in, as openid-client reads them. */
async function challengeOf(answer: Promise<unknown>): Promise<Record<string, string | undefined>> {
  const error = await answer.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof oidc.WWWAuthenticateChallengeError)) throw error;
  return { status: String(error.status), ...error.cause[0]?.parameters };
}

/** A token's claims `acr` and `amr`. */
const proofIn = (token: string) => {
  const { acr, amr } = decodeJwt<{ acr: string; amr: string[] }>(token);
  return { acr, amr };
};

const refreshes = (token: string | undefined) =>
  oidc.refreshTokenGrant(configuration, token ?? "").then(
    () => "refreshed",
    (error: unknown) => (error instanceof oidc.ResponseBodyError ? error.error : error),
  );

it("the discovery document names the levels of a sign-in", () => {
  expect(configuration.serverMetadata()).toMatchObject({
    acr_values_supported: ["urn:factory:acr:password", level, "urn:factory:acr:phishing-resistant"],
    claims_supported: expect.arrayContaining(["acr", "amr", "auth_time"]),
  });
});

it("the pages offer no passkeys on an IP address, where browsers have none", async () => {
  expect(new URL(home()).hostname).toBe("127.0.0.1");
  const { browser, page } = await ownSecurityPage(await aPerson(tenant));
  const signIn = await new Browser(home()).open(`${home()}/connect/security`);
  const direct = await browser.open(`${home()}/connect/security?add=Passkey`);
  for (const { text, headers } of [page, signIn, direct]) {
    expect(text).not.toMatch(/passkey|<script/i);
    expect(headers.get("content-security-policy")).not.toContain("script-src");
  }
});

describe("a decision that asks for a second factor", () => {
  it("challenges the application, whose next sign-in sets one up, and then it is made (RFC 9470)", async () => {
    const body = { value: level };
    await request("PUT /v1/config/governance.approve.acr", { token: await tenant.tokenWith(), body });
    const approvalId = await aPendingApproval(tenant.tenantId);
    const person = await aPerson(tenant, "TenantOwner");
    const first = await withPassword(person);
    const weak = await first.redeem(first.page);
    expect(proofIn(weak.access_token)).toEqual({ acr: "urn:factory:acr:password", amr: ["pwd"] });
    const challenge = await challengeOf(approve(approvalId, weak.access_token));
    expect(challenge).toMatchObject({
      ...{ status: "401", error: "insufficient_user_authentication", acr_values: level, max_age: "900" },
    });
    const { acr_values = "", max_age = "" } = challenge;
    const { url, redeem } = await begin({ acr_values, max_age });
    // the same browser is signed in, but not strongly enough
    const page = await signInAs(first.browser, await first.browser.open(url), person);
    expect(page.text).toContain("<h1>Set up an authenticator app</h1>");
    const { shown } = await confirmAuthenticator(first.browser, page);
    const strong = await redeem(await first.browser.submit(shown, { action: "continue" }));
    const both = { acr: level, amr: ["pwd", "otp", "mfa"] };
    expect(strong.claims()).toMatchObject(both);
    expect(proofIn(strong.access_token)).toEqual(both);
    expect(await oidc.tokenIntrospection(configuration, strong.access_token)).toMatchObject({ active: true, ...both });
    expect((await approve(approvalId, strong.access_token)).status).toBe(200);
    const freshTokens = await oidc.refreshTokenGrant(configuration, strong.refresh_token ?? "");
    expect(proofIn(freshTokens.access_token)).toEqual(both);
  });
});

describe("a person with an authenticator app", () => {
  it("proves it at every sign-in, and gets no token by the password grant", async () => {
    const { person, key, codes } = await anOwner();
    const { browser, page, redeem } = await withPassword(person);
    expect(page.text).toContain('autocomplete="one-time-code"');
    // the app has shown the current step's code before
    const code = totpCode(key, Date.now() + 30_000);
    const tokens = await redeem(await browser.submit(page, { factor: "Totp", code, action: "continue" }));
    expect(tokens.claims()).toMatchObject({ acr: level, amr: ["pwd", "otp", "mfa"] });
    const again = await withPassword(person);
    const form = await again.browser.open(`${again.page.url}?factor=RecoveryCode`);
    const fields = { factor: "RecoveryCode", code: codes[0] ?? "", action: "continue" };
    expect((await again.redeem(await again.browser.submit(form, fields))).claims()).toMatchObject({ acr: level });
    const { email: username, password } = person;
    await expect(oidc.genericGrantRequest(configuration, "password", { username, password })).rejects.toMatchObject({
      error: "invalid_grant",
      cause: { code: "SECOND_FACTOR_REQUIRED" },
    });
  });

  it("is locked after 20 wrong codes, and unlocked by the link in the mail, then by an administrator", async () => {
    const { person, key, codes } = await anOwner();
    const tryCode = async (code: string) => {
      const { browser, page } = await withPassword(person);
      return browser.submit(page, { factor: "Totp", code, action: "continue" });
    };
    await storeWrongCodes(person.userId, 19);
    expect((await tryCode("wrong!")).status).toBe(403);
    const lockedAnswer = await tryCode(totpCode(key, Date.now() + 30_000));
    expect([lockedAnswer.status, lockedAnswer.text]).toEqual([403, expect.stringContaining("Your codes are locked")]);
    // the invitation, and the mails about the authenticator app and the lock
    const unlocking = new URLSearchParams({ token: await invitationToken(person.email, 3) });
    const page = `${home()}/connect/second-factor-lock`;
    expect(await (await fetch(`${page}?${unlocking.toString()}`)).text()).toContain("Unlock my codes");
    expect((await tryCode("wrong!")).status).toBe(403);
    expect((await fetch(page, { method: "POST", body: unlocking })).status).toBe(200);
    expect((await fetch(page, { method: "POST", body: unlocking })).status).toBe(404);
    expect((await tryCode(totpCode(key, Date.now() + 30_000))).url).toContain(callback);
    await storeWrongCodes(person.userId, 20);
    const at = `POST /v1/users/${person.userId}/second-factors/unlock`;
    const other = await (await aTenant()).tokenWith();
    expect(refusal(await request(at, { token: other }))).toBe("404 NOT_FOUND");
    expect(refusal(await request(at, { token: await tenant.tokenWith() }))).toBe("403 PERSON_REQUIRED");
    const administrator = { token: await anOwnersToken(tenant) };
    const answer = await request(at, administrator);
    expect([answer.status, answer.body]).toEqual([
      200,
      { userId: person.userId, unlockedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    expect(refusal(await request(at, administrator))).toBe("409 INVALID_STATE");
    const next = await withPassword(person);
    const form = await next.browser.open(`${next.page.url}?factor=RecoveryCode`);
    const fields = { factor: "RecoveryCode", code: codes[0] ?? "", action: "continue" };
    expect((await next.redeem(await next.browser.submit(form, fields))).claims()).toMatchObject({ acr: level });
  });

  it("resets the password by a link that works once; tokens and sessions end, and the second factor stays", async () => {
    const { person, browser, codes, tokens } = await anOwner();
    expect((await request("POST /v1/password-resets", { body: { email: "nobody@example.com" } })).status).toBe(202);
    // the invitation, and the mail about the authenticator app
    const body = { token: await resetToken(person, 2), password: newPassword };
    expect((await request("POST /v1/password-resets/complete", { body })).status).toBe(200);
    expect(refusal(await request("POST /v1/password-resets/complete", { body }))).toBe("404 NOT_FOUND");
    expect(await refreshes(tokens.refresh_token)).toBe("invalid_grant");
    expect((await browser.open((await begin()).url)).text).toContain("<h1>Sign in</h1>");
    const next = await withPassword({ ...person, password: newPassword });
    const form = await next.browser.open(`${next.page.url}?factor=RecoveryCode`);
    const fields = { factor: "RecoveryCode", code: codes[0] ?? "", action: "continue" };
    expect((await next.redeem(await next.browser.submit(form, fields))).claims()).toMatchObject({ acr: level });
  });

  it("sees the own sessions and ends the others", async () => {
    const { person, key, tokens } = await anOwner();
    const other = await withPassword(person);
    const code = totpCode(key, Date.now() + 30_000);
    const otherTokens = await other.redeem(
      await other.browser.submit(other.page, { factor: "Totp", code, action: "continue" }),
    );
    const token = tokens.access_token;
    const { body } = await request<{ items: OwnSession[] }>("GET /v1/sessions", { token });
    expect(body.items).toHaveLength(4);
    expect(body.items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "Browser", clientName: null, isCurrent: true }),
        expect.objectContaining({ kind: "Application", clientName: "Studio", isCurrent: false }),
      ]),
    );
    const [application] = body.items.filter(({ kind, isCurrent }) => kind === "Application" && !isCurrent);
    const end = () => request(`DELETE /v1/sessions/${application?.sessionId}`, { token });
    expect((await end()).status).toBe(204);
    expect(refusal(await end())).toBe("404 NOT_FOUND");
    expect(await refreshes(otherTokens.refresh_token)).toBe("invalid_grant");
    const endAnswer = await request("POST /v1/sessions/end-others", { token });
    expect([endAnswer.status, endAnswer.body]).toEqual([200, { count: 1 }]);
    expect((await other.browser.open((await begin()).url)).text).toContain("<h1>Sign in</h1>");
    expect(await refreshes(tokens.refresh_token)).toBe("refreshed");
  });
});
