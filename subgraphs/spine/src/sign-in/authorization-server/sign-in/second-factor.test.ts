import { createHash, randomBytes } from "node:crypto";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { decodeJwt } from "jose";
import { Secret, TOTP } from "otpauth";
import { TestOutbox } from "../../../ground/mail/outbox.fixture.js";
import { aUser, type TestUser, whilePasswordChanges } from "../../../people/users/user.fixture.js";
import { type Json, platformAdmin, principal, RunningSpine } from "../../../running-spine.fixture.js";
import { type ShownPage, TestBrowser } from "./browser.fixture.js";

let platform: RunningSpine;
let outbox: TestOutbox;
let base: string;
let tenantId: string;
let clientId: string;
let clientSecret: string;

const callback = "https://app.example/callback";
/** Multiplies the limits, so that this suite's requests fit into the limit on pages. */
const factor = 3;
const verifier = randomBytes(32).toString("base64url");

beforeAll(async () => {
  outbox = await TestOutbox.create();
  platform = await RunningSpine.start({ mail: { outbox: outbox.folder }, rateLimitFactor: factor });
  base = await platform.listen();
  tenantId = await platform.activeTenant("acme");
  ({ clientId, clientSecret } = await aClient(tenantId));
});

afterAll(async () => {
  await platform?.stop();
  await outbox?.remove();
});

async function aClient(ofTenant: string): Promise<{ clientId: string; clientSecret: string }> {
  const { data } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    {
      tenantId: ofTenant,
      input: {
        name: "App",
        scopes: ["templates.read"],
        grantTypes: ["authorization_code", "refresh_token", "password"],
        redirectUris: [callback],
        firstParty: true,
      },
    },
  );
  return data?.["createTenantApiClient"];
}

function authorize(changes: Record<string, string> = {}): string {
  const parameters = {
    client_id: clientId,
    response_type: "code",
    scope: "openid templates.read",
    redirect_uri: callback,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...changes,
  };
  return `/connect/authorize?${new URLSearchParams(parameters).toString()}`;
}

const aPerson = () => aUser(platform, tenantId, ["templates.read"]);

async function token(form: Record<string, string>, client = { clientId, clientSecret }) {
  const body = new URLSearchParams({ client_id: client.clientId, client_secret: client.clientSecret, ...form });
  const response = await fetch(`${base}/connect/token`, { method: "POST", body });
  return { status: response.status, body: (await response.json()) as Record<string, Json> };
}

const passwordGrant = ({ email: username, password }: TestUser) =>
  token({ grant_type: "password", username, password });

async function tokensAt({ url }: ShownPage) {
  expect(url).toContain(`${callback}?code=`);
  const code = new URL(url).searchParams.get("code") ?? "";
  const answer = await token({
    grant_type: "authorization_code",
    code,
    redirect_uri: callback,
    code_verifier: verifier,
  });
  expect(answer.status).toBe(200);
  return answer.body;
}

const enterPassword = (browser: TestBrowser, page: ShownPage, { email: username, password }: TestUser) =>
  browser.submit(page, { username, password, action: "sign-in" });

const keyOf = ({ text }: ShownPage) => (/<code>([A-Z2-7 ]{39})<\/code>/.exec(text)?.[1] ?? "").replaceAll(" ", "");
const codesOf = ({ text }: ShownPage) =>
  [...text.matchAll(/<li><code>([\w-]+)<\/code><\/li>/g)].map(([, code]) => code ?? "");
const codeOf = (key: string, steps = 0) =>
  TOTP.generate({ secret: Secret.fromBase32(key), timestamp: Date.now() + steps * 30_000 });
const enter = (browser: TestBrowser, page: ShownPage, code: string) =>
  browser.submit(page, { code, action: "continue" });

/** Gives the codes from earlier steps back, as if time had passed. */
const forgetStep = ({ userId }: TestUser) =>
  platform.admin.query("update totp_factors set last_step = 0 where user_id = $1", [decodeId("usr", userId)]);

/** Sets up an authenticator app on the page for one's own security. */
async function enrolled(person: TestUser) {
  const browser = new TestBrowser(base);
  const page = await enterPassword(browser, await browser.open("/connect/security"), person);
  expect(page.text).toContain("<h1>Your security</h1>");
  const form = await browser.open("/connect/security?add=Totp");
  const key = keyOf(form);
  const codesPage = await enter(browser, form, codeOf(key));
  await forgetStep(person);
  return { browser, key, codes: codesOf(codesPage), shown: codesPage };
}

/** A new sign-in that has come as far as the question for the second factor. */
async function asked(person: TestUser, changes: Record<string, string> = {}) {
  const browser = new TestBrowser(base);
  const page = await enterPassword(browser, await browser.open(authorize(changes)), person);
  return { browser, page };
}

describe("a person without a second factor", () => {
  it("signs in with the password, and the tokens say so", async () => {
    const person = await aPerson();
    const { page } = await asked(person);
    const { access_token: access, id_token: id, refresh_token: refresh } = await tokensAt(page);
    const password = { acr: "urn:factory:acr:password", amr: ["pwd"] };
    expect(decodeJwt(access)).toMatchObject(password);
    expect(decodeJwt(id)).toMatchObject({ ...password, auth_time: expect.any(Number) });
    const { body } = await token({ grant_type: "refresh_token", refresh_token: refresh });
    expect(decodeJwt(body["access_token"])).toMatchObject(password);
    expect(decodeJwt((await passwordGrant(person)).body["access_token"])).toMatchObject(password);
  });

  it("is signed in within the second in which the password was changed", async () => {
    const changedPerson = async () => {
      const person = await aPerson();
      await platform.admin.query("update users set sign_in_version = sign_in_version + 1 where user_id = $1", [
        decodeId("usr", person.userId),
      ]);
      return person;
    };
    const byCode = await tokensAt((await asked(await changedPerson())).page);
    const { body: byPassword } = await passwordGrant(await changedPerson());
    for (const { refresh_token: refresh } of [byCode, byPassword])
      expect((await token({ grant_type: "refresh_token", refresh_token: refresh })).status).toBe(200);
  });

  it("is not signed in when the password is replaced in this moment", async () => {
    const person = await aPerson();
    const browser = new TestBrowser(base);
    const form = await browser.open(authorize());
    const page = await whilePasswordChanges(platform, person, () => enterPassword(browser, form, person));
    expect([page.status, page.text]).toEqual([400, expect.stringContaining("or the password is wrong")]);
    const renewedPerson = { ...person, password: `another ${person.password}` };
    expect((await enterPassword(browser, page, renewedPerson)).url).toContain(callback);
  });

  it("gets no token by the password grant when the password is replaced in this moment", async () => {
    const person = await aPerson();
    const { status, body } = await whilePasswordChanges(platform, person, () => passwordGrant(person));
    expect([status, body["error"], body["code"]]).toEqual([400, "invalid_grant", "UNAUTHENTICATED"]);
  });

  it("sets one up in the sign-in when the client asks for it, and saves recovery codes", async () => {
    const person = await aPerson();
    const { browser, page } = await asked(person, { acr_values: "urn:factory:acr:second-factor" });
    expect(page.text).toContain("<h1>Set up an authenticator app</h1>");
    const key = keyOf(page);
    const again = await enter(browser, page, "000000");
    expect([again.status, keyOf(again)]).toEqual([400, key]);
    const codesPage = await enter(browser, again, codeOf(key));
    expect(codesOf(codesPage)).toHaveLength(10);
    const { access_token: access } = await tokensAt(await browser.submit(codesPage, { action: "continue" }));
    expect(decodeJwt(access)).toMatchObject({ acr: "urn:factory:acr:second-factor", amr: ["pwd", "otp", "mfa"] });
  });
});

describe("a person with an authenticator app", () => {
  it("is asked for a code at the sign-in, also without acr_values, and the tokens say so after a refresh, too", async () => {
    const person = await aPerson();
    const { key } = await enrolled(person);
    const { browser, page } = await asked(person);
    expect(page.text).toContain('autocomplete="one-time-code"');
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const {
      access_token: access,
      id_token: id,
      refresh_token: refresh,
    } = await tokensAt(await enter(browser, page, codeOf(key)));
    const both = { acr: "urn:factory:acr:second-factor", amr: ["pwd", "otp", "mfa"] };
    expect(decodeJwt(access)).toMatchObject(both);
    expect(decodeJwt(id)).toMatchObject(both);
    const { body } = await token({ grant_type: "refresh_token", refresh_token: refresh });
    expect(decodeJwt(body["access_token"])).toMatchObject(both);
  });

  it("gets no token by the password grant, and a wrong password answers as ever", async () => {
    const person = await aPerson();
    await enrolled(person);
    const { status, body } = await passwordGrant(person);
    expect([status, body["error"], body["code"]]).toEqual([400, "invalid_grant", "SECOND_FACTOR_REQUIRED"]);
    const wrong = await passwordGrant({ ...person, password: "wrong password" });
    expect([wrong.body["error"], wrong.body["code"]]).toEqual(["invalid_grant", "UNAUTHENTICATED"]);
  });

  it("cannot use a code twice, also in two browsers at the same time", async () => {
    const person = await aPerson();
    const { key } = await enrolled(person);
    const visits = await Promise.all(Array.from({ length: 4 }, () => asked(person)));
    const code = codeOf(key);
    const answers = await Promise.all(visits.map(({ browser, page }) => enter(browser, page, code)));
    expect(answers.filter(({ url }) => url.startsWith(callback))).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(3);
    // the code for the step before is older than the one that was used
    const late = await asked(person);
    expect((await enter(late.browser, late.page, codeOf(key, -1))).status).toBe(400);
  });

  it("is not the person whose code another one enters", async () => {
    const [person, other] = [await aPerson(), await aPerson()];
    await enrolled(person);
    const { key, codes } = await enrolled(other);
    const { browser, page } = await asked(person);
    expect((await enter(browser, page, codeOf(key))).status).toBe(400);
    const form = await browser.open(`${page.url}?factor=RecoveryCode`);
    expect((await enter(browser, form, codes[0] ?? "")).status).toBe(400);
  });

  it("waits after too many wrong answers, also with the right one and in another browser", async () => {
    const person = await aPerson();
    const { key, codes } = await enrolled(person);
    const { browser, page } = await asked(person);
    for (let time = 0; time < 5 * factor; time += 1) expect((await enter(browser, page, "000000")).status).toBe(400);
    const refusal = await enter(browser, page, codeOf(key));
    expect([refusal.status, Number(refusal.headers.get("retry-after")) > 800]).toEqual([429, true]);
    const elsewhere = await asked(person);
    const form = await elsewhere.browser.open(`${elsewhere.page.url}?factor=RecoveryCode`);
    expect((await enter(elsewhere.browser, form, codes[0] ?? "")).status).toBe(429);
    const failures = (await platform.eventsOf(tenantId)).filter(
      ({ type, data }) => type === "LoginFailed" && (data as Json).userId === person.userId,
    );
    expect(failures.length).toBeGreaterThanOrEqual(5 * factor);
  });

  it("signs in with a recovery code once, and never with one of a former set", async () => {
    const person = await aPerson();
    const { browser: ownBrowser, codes } = await enrolled(person);
    const use = async (code: string) => {
      const { browser, page } = await asked(person);
      return enter(browser, await browser.open(`${page.url}?factor=RecoveryCode`), code);
    };
    const [first = "", second = "", third = ""] = codes;
    expect((await use(` ${first.toUpperCase()} `)).url).toContain(callback);
    expect((await use(first)).status).toBe(400);
    const page = await ownBrowser.open("/connect/security");
    expect(page.text).toContain("You have 9 recovery codes left.");
    const renewedCodes = codesOf(await ownBrowser.submit(page, { action: "renew-recovery-codes" }));
    expect(renewedCodes).toHaveLength(10);
    expect((await use(second)).status).toBe(400);
    expect((await use(third)).status).toBe(400);
    expect((await use(renewedCodes[0] ?? "")).url).toContain(callback);
  });

  it("needs the password again when the account was disabled and enabled between the two factors", async () => {
    const person = await aPerson();
    const { key } = await enrolled(person);
    const { browser, page } = await asked(person);
    const admin = principal(tenantId, ["user.invite", "templates.read"]);
    for (const field of ["disableUser", "enableUser"]) {
      const { errors } = await platform.ask(admin, `mutation { ${field}(userId: "${person.userId}") { status } }`);
      expect(errors).toEqual([]);
    }
    expect((await enter(browser, page, codeOf(key))).status).toBe(403);
    expect((await browser.open(page.url)).text).toContain('name="password"');
  });

  it("needs the new password when it is replaced while the code is being checked", async () => {
    const person = await aPerson();
    const { key } = await enrolled(person);
    const { browser, page } = await asked(person);
    const answer = await whilePasswordChanges(platform, person, () => enter(browser, page, codeOf(key)));
    expect(answer.text).toContain('name="password"');
  });

  it("has no recovery codes from before the factor", async () => {
    const person = await aPerson();
    const browser = new TestBrowser(base);
    const page = await enterPassword(browser, await browser.open("/connect/security"), person);
    const early = codesOf(await browser.submit(page, { action: "renew-recovery-codes" }));
    expect(early).toEqual([]);
    await platform.admin.query(
      `insert into recovery_codes (tenant_id, user_id, code_digest, created_at) values ($1, $2, 'early', now())`,
      [decodeId("ten", tenantId), decodeId("usr", person.userId)],
    );
    expect((await enrolled(person)).codes).toHaveLength(10);
    const { rows } = await platform.admin.query("select from recovery_codes where code_digest = 'early'");
    expect(rows).toEqual([]);
  });

  it("removes it, and signs in with the password again", async () => {
    const person = await aPerson();
    const { browser } = await enrolled(person);
    const page = await browser.open("/connect/security");
    const [, factorId = ""] = /name="factorId" value="(fac_\w+)"/.exec(page.text) ?? [];
    const removal = await browser.submit(page, { action: "remove-factor", factorId });
    expect(removal.text).toContain("The second factor is removed.");
    await tokensAt((await asked(person)).page);
    const types = (await platform.eventsOf(tenantId))
      .filter(({ subject }) => subject === `users/${person.userId}`)
      .map(({ type }) => type);
    expect(types).toEqual(["SecondFactorAdded", "RecoveryCodesRenewed", "SecondFactorRemoved"]);
  });

  it("gets help from an administrator who holds the person's scopes, and nobody else", async () => {
    const person = await aPerson();
    await enrolled(person);
    const document = `mutation { removeUserSecondFactors(userId: "${person.userId}") { userId count } }`;
    const service = await platform.ask(principal(tenantId, ["user.invite", "templates.read"]), document);
    expect(service.refusal).toMatchObject({ code: "PERSON_REQUIRED" });
    const administrator = { ...principal(tenantId, ["user.invite", "templates.read"]), principalType: "User" } as const;
    const late = { ...administrator, firstParty: true, authTime: Math.floor(Date.now() / 1000) - 901 };
    expect((await platform.ask(late, document)).refusal).toMatchObject({ code: "AUTHENTICATION_TOO_OLD" });
    expect((await platform.ask(administrator, document)).refusal).toMatchObject({
      code: "FIRST_PARTY_CLIENT_REQUIRED",
    });
    const recent = { ...late, authTime: Math.floor(Date.now() / 1000) };
    const ownPrincipal = { ...recent, subject: person.userId };
    expect((await platform.ask(ownPrincipal, document)).refusal).toMatchObject({ code: "CONFLICT" });
    const weaker = { ...recent, scopes: new Set(["user.invite"] as const) };
    expect((await platform.ask(weaker, document)).refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    const { data } = await platform.ask(recent, document);
    expect(data).toEqual({ removeUserSecondFactors: { userId: person.userId, count: 1 } });
    expect(await outbox.mailTo(person.email, 2)).toMatch(/^Subject: An authenticator app was removed \(.*\)\r$/m);
    expect((await asked(person)).page.url).toContain(callback);
    const { rows } = await platform.admin.query("select from recovery_codes where user_id = $1", [
      decodeId("usr", person.userId),
    ]);
    expect(rows).toEqual([]);
  });

  it("keeps the secret sealed and the recovery codes as digests", async () => {
    const person = await aPerson();
    const { key, codes } = await enrolled(person);
    const { rows } = await platform.admin.query(
      `select (select json_agg(f) from totp_factors f)::text || (select json_agg(c) from recovery_codes c)::text
         || (select json_agg(o) from oidc_artifacts o)::text || (select json_agg(b) from outbox b)::text as stored`,
    );
    for (const secret of [key, ...codes, ...codes.map((code) => code.replaceAll("-", ""))])
      expect(rows[0].stored).not.toContain(secret);
  });
});

describe("a tenant that requires a second factor", () => {
  it("has every user set one up, and ends what was begun with a password", async () => {
    const strict = await platform.activeTenant("strict");
    const client = await aClient(strict);
    const person = await aUser(platform, strict, ["templates.read"]);
    const browser = new TestBrowser(base);
    const address = authorize({ client_id: client.clientId });
    const before = await enterPassword(browser, await browser.open(address), person);
    const code = new URL(before.url).searchParams.get("code") ?? "";
    const codeForm = { grant_type: "authorization_code", code, redirect_uri: callback, code_verifier: verifier };
    const { body } = await token(codeForm, client);
    const { errors } = await platform.ask(
      principal(strict, ["config.manage"]),
      `mutation { setConfigEntry(key: "signIn.secondFactor", input: { value: "required" }) { key } }`,
    );
    expect(errors).toEqual([]);
    const refreshAnswer = await token({ grant_type: "refresh_token", refresh_token: body["refresh_token"] }, client);
    expect([refreshAnswer.status, refreshAnswer.body["error"]]).toEqual([400, "invalid_grant"]);
    const { email: username, password } = person;
    const grantAnswer = await token({ grant_type: "password", username, password }, client);
    expect([grantAnswer.body["error"], grantAnswer.body["code"]]).toEqual(["invalid_grant", "SECOND_FACTOR_REQUIRED"]);
    // the browser's session is not enough any more
    const silent = await browser.open(authorize({ client_id: client.clientId, prompt: "none" }));
    expect(silent.url).toContain("error=interaction_required");
    const form = await enterPassword(browser, await browser.open(address), person);
    expect(form.text).toContain("Your organization requires a second factor.");
    const codesPage = await enter(browser, form, codeOf(keyOf(form)));
    expect((await browser.submit(codesPage, { action: "continue" })).url).toContain(`${callback}?code=`);
    expect((await browser.open(address)).url).toContain(`${callback}?code=`);
  });
});

describe("the page for one's own security", () => {
  it("belongs to the browser that signed in, and refuses forms of other sites and of other sessions", async () => {
    const [person, other] = [await aPerson(), await aPerson()];
    const { browser } = await enrolled(person);
    const page = await browser.open("/connect/security");
    const action = { action: "renew-recovery-codes" };
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }])
      expect((await browser.submit(page, action, headers)).status).toBe(403);
    expect((await browser.submit({ ...page, text: "" }, action)).status).toBe(403);
    const stranger = new TestBrowser(base);
    await enterPassword(stranger, await stranger.open("/connect/security"), other);
    expect((await stranger.submit(page, action)).status).toBe(403);
    const [, factorId = ""] = /name="factorId" value="(fac_\w+)"/.exec(page.text) ?? [];
    const ownPage = await stranger.open("/connect/security");
    const form = await stranger.open("/connect/security?add=Totp");
    await stranger.submit(form, { action: "remove-factor", factorId });
    expect(ownPage.text).not.toContain(factorId);
    expect((await browser.open("/connect/security")).text).toContain(factorId);
  });

  it("goes back to itself only, and asks for a new sign-in after 15 minutes", async () => {
    const person = await aPerson();
    const browser = new TestBrowser(base);
    const evil = authorize({ client_id: "own-security", redirect_uri: "https://evil.example/", scope: "openid" });
    expect((await browser.open(evil)).status).toBe(400);
    const page = await enterPassword(browser, await browser.open("/connect/security"), person);
    expect(new URL(page.url).search).toBe("");
    await platform.admin.query(
      `update oidc_artifacts set payload = jsonb_set(payload, '{loginTs}', to_jsonb(extract(epoch from now())::int - 901))
       where kind = 'Session' and account_id = $1`,
      [person.userId],
    );
    expect((await browser.open("/connect/security")).text).toContain("<h1>Sign in</h1>");
    expect((await browser.submit(page, { action: "renew-recovery-codes" })).text).toContain("<h1>Sign in</h1>");
  });

  it("asks for the second factor, and a session from before it does not suffice", async () => {
    const person = await aPerson();
    const early = new TestBrowser(base);
    await enterPassword(early, await early.open("/connect/security"), person);
    const { key } = await enrolled(person);
    const asksAgain = await enterPassword(early, await early.open("/connect/security"), person);
    expect(asksAgain.text).toContain('autocomplete="one-time-code"');
    expect((await enter(early, asksAgain, codeOf(key))).text).toContain("<h1>Your security</h1>");
  });
});
