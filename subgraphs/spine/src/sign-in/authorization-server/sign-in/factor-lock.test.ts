import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { Secret, TOTP } from "otpauth";
import pg from "pg";
import { TestOutbox } from "../../../ground/mail/outbox.fixture.js";
import { factorLimits } from "../../../ground/request-limits/failure-limiter.js";
import { GuessLimiter } from "../../../ground/request-limits/guess-limiter.js";
import { aUser, type TestUser } from "../../../people/users/user.fixture.js";
import {
  type Json,
  platformAdmin,
  principal,
  RunningSpine,
  testSettings,
  until,
} from "../../../running-spine.fixture.js";
import { type Spine, startSpine } from "../../../subgraph.js";
import type { FactorPerson } from "../../second-factors/kinds/factor-kind.js";
import { FactorLocks } from "../../second-factors/locks/factor-locks.js";
import { UnlockLinks } from "../../second-factors/locks/unlock-links.js";
import { RecoveryCodes } from "../../second-factors/recovery-codes/recovery-codes.js";
import { SignInRecords } from "../accounts/sign-in-records.js";
import { FactorAttempts } from "../factor-forms/factor-attempts.js";
import { type ShownPage, TestBrowser } from "./browser.fixture.js";

/** The limits in memory are far away, so that only the lock refuses. */
const settings = { rateLimitFactor: 30 };
const callback = "https://app.example/callback";
const verifier = randomBytes(32).toString("base64url");
const lockPath = "/connect/second-factor-lock";

let platform: RunningSpine;
let outbox: TestOutbox;
let base: string;
let second: { spine: Spine; server: Server; base: string };
let database: Database;
let workers: pg.Pool;
let tenantId: string;
let clientId: string;

beforeAll(async () => {
  outbox = await TestOutbox.create();
  const mail = { outbox: outbox.folder };
  platform = await RunningSpine.start({ ...settings, mail });
  base = await platform.listen();
  tenantId = await platform.activeTenant("acme");
  clientId = await aClient();
  database = await platform.openDatabase();
  workers = new pg.Pool({ connectionString: platform.connections.worker, max: 2 });
  const spine = await startSpine(platform.host, { ...testSettings, ...settings, mail, filesDir: platform.filesDir });
  const server = createServer((request, response) => spine.authorizationServer.handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  second = { spine, server, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});

afterAll(async () => {
  second?.server.close();
  await second?.spine.close();
  await workers?.end();
  await database?.close();
  await platform?.stop();
  await outbox?.remove();
});

async function aClient(): Promise<string> {
  const { data } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId } }`,
    {
      tenantId,
      input: {
        ...{ name: "App", scopes: ["templates.read"], redirectUris: [callback] },
        ...{ grantTypes: ["authorization_code"], public: true, firstParty: true },
      },
    },
  );
  return data?.["createTenantApiClient"].clientId;
}

interface Owner extends TestUser {
  readonly key: string;
  readonly codes: readonly string[];
  /** Has a session with two factors. */
  readonly browser: TestBrowser;
}

const enterPassword = (browser: TestBrowser, page: ShownPage, { email: username, password }: TestUser) =>
  browser.submit(page, { username, password, action: "sign-in" });
const enter = (browser: TestBrowser, page: ShownPage, code: string) =>
  browser.submit(page, { code, action: "continue" });
const codeOf = ({ key }: Pick<Owner, "key">) => TOTP.generate({ secret: Secret.fromBase32(key) });

/** A user with an authenticator app and recovery codes. */
async function anOwner(): Promise<Owner> {
  const person = await aUser(platform, tenantId, ["templates.read"]);
  const browser = new TestBrowser(base);
  await enterPassword(browser, await browser.open("/connect/security"), person);
  const form = await browser.open("/connect/security?add=Totp");
  const key = (/<code>([A-Z2-7 ]{39})<\/code>/.exec(form.text)?.[1] ?? "").replaceAll(" ", "");
  const codesPage = await enter(browser, form, codeOf({ key }));
  const codes = [...codesPage.text.matchAll(/<li><code>([\w-]+)<\/code><\/li>/g)].map(([, code]) => code ?? "");
  expect(codes).toHaveLength(10);
  await forgetStep(person);
  return { ...person, key, codes, browser };
}

/** Gives the codes from earlier steps back, as if time had passed. */
const forgetStep = ({ userId }: TestUser) => change("update totp_factors set last_step = 0", userId);
const change = (statement: string, userId: string) =>
  platform.admin.query(`${statement} where user_id = $1`, [decodeId("usr", userId)]);

function authorize(): string {
  const parameters = {
    ...{ client_id: clientId, response_type: "code", scope: "openid templates.read", redirect_uri: callback },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  return `/connect/authorize?${new URLSearchParams(parameters).toString()}`;
}

/** A new sign-in that has come as far as the question for the second factor. */
async function asked(person: TestUser, at = base) {
  const browser = new TestBrowser(at);
  const page = await enterPassword(browser, await browser.open(authorize()), person);
  return { browser, page };
}

async function askedForRecoveryCode(person: TestUser) {
  const { browser, page } = await asked(person);
  return { browser, page: await browser.open(`${page.url}?factor=RecoveryCode`) };
}

/** Sends wrong codes one after the other, and returns the last answer. */
async function wrongCodes(person: TestUser, count: number, at = base): Promise<ShownPage> {
  const { browser, page } = await asked(person, at);
  let answer = page;
  for (let time = 0; time < count; time += 1) answer = await enter(browser, page, "wrong!");
  return answer;
}

/** The answer to a right code in a new sign-in. */
async function signIn(owner: Owner, at = base): Promise<ShownPage> {
  await forgetStep(owner);
  const { browser, page } = await asked(owner, at);
  return enter(browser, page, codeOf(owner));
}

const isSignedIn = ({ url }: ShownPage) => url.startsWith(`${callback}?code=`);

async function lockOf({ userId }: TestUser): Promise<Record<string, Json> | undefined> {
  return (await change("select * from factor_locks", userId)).rows[0];
}

async function eventsOf({ userId }: TestUser) {
  const events = (await platform.eventsOf(tenantId)).filter(({ subject }) => subject === `users/${userId}`);
  return events.filter(({ type }) => /^SecondFactors/.test(type)).map(({ type, data }) => [type, data["by"]]);
}

const lockedMail = "Your second-factor codes are locked";
const subjectsTo = async ({ email }: TestUser) =>
  (await outbox.mailsTo(email)).map((mail) => /^Subject: (.*)\r$/m.exec(mail)?.[1]);
const lockMailsTo = async (person: TestUser) => (await subjectsTo(person)).filter((subject) => subject === lockedMail);

/** The newest mail about the lock, when there are `count` of them. */
async function lockMail(person: TestUser, count = 1): Promise<string> {
  await until(async () => (await lockMailsTo(person)).length >= count);
  return (await outbox.mailsTo(person.email)).findLast((mail) => mail.includes(`Subject: ${lockedMail}`)) ?? "";
}
const tokenIn = (mail: string) => /token=([\w-]+)/.exec(mail)?.[1] ?? "";
const linkPage = (token: string, at = base) => fetch(`${at}${lockPath}?token=${token}`);
const useLink = (token: string, at = base, headers: Record<string, string> = {}) =>
  fetch(`${at}${lockPath}`, { method: "POST", body: new URLSearchParams({ token }), headers });

/** Sends the first and the last of 20 wrong codes. The tests for wrong codes send them all. */
async function lock(owner: Owner): Promise<void> {
  const { browser, page } = await asked(owner);
  expect((await enter(browser, page, "wrong!")).status).toBe(400);
  await change("update factor_locks set failures = failures + 18", owner.userId);
  expect((await enter(browser, page, "wrong!")).status).toBe(403);
}

async function lockedOwner(): Promise<Owner> {
  const owner = await anOwner();
  await lock(owner);
  return owner;
}

const administrator = (changes: object = {}) => ({
  ...principal(tenantId, ["user.invite", "templates.read"]),
  ...{ subject: "usr_0000000000000000000000000a", principalType: "User" as const, firstParty: true },
  authTime: Math.floor(Date.now() / 1000),
  ...changes,
});
const unlock = ({ userId }: TestUser, by: ReturnType<typeof principal>) =>
  platform.ask(by, `mutation { unlockUserSecondFactors(userId: "${userId}") { userId unlockedAt } }`);

describe("wrong codes after a right password", () => {
  it("count as many as they are when they come at the same time in two processes, and the person is told once", async () => {
    const owner = await anOwner();
    const visits = [await asked(owner), await asked(owner, second.base)];
    const answers = await Promise.all(
      visits.flatMap(({ browser, page }) => Array.from({ length: 15 }, () => enter(browser, page, "wrong!"))),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(400), count(403)]).toEqual([19, 11]);
    expect(await lockOf(owner)).toMatchObject({ failures: 20, locked_at: expect.any(Date) });
    await lockMail(owner);
    const mails = await platform.admin.query("select from mails where kind = 'second-factors-locked' and about = $1", [
      owner.userId,
    ]);
    expect(mails.rowCount).toBe(1);
    expect(await eventsOf(owner)).toEqual([["SecondFactorsLocked", undefined]]);
    const unlockEvents = await platform.admin.query(
      `select title, data, status from notifications join notification_messages using (tenant_id, message_id)
       where recipient_user_id = $1`,
      [decodeId("usr", owner.userId)],
    );
    expect(unlockEvents.rows).toEqual([
      { title: lockedMail, data: { url: `${testSettings.issuer}${lockPath}` }, status: "Sent" },
    ]);
  });

  it("are remembered over the windows of the limit in memory", async () => {
    const owner = await anOwner();
    const clock = { now: Date.now() };
    const attempts = new FactorAttempts({
      locks: ownLocks(),
      failures: new GuessLimiter("factor", factorLimits(1), undefined, () => clock.now),
      records: new SignInRecords({ database, logger: createLogger("test", "silent"), refusals: { note() {} } }),
    });
    const kind = new RecoveryCodes(database);
    const wrong = { ...answerOf(owner), form: new URLSearchParams({ code: "wrong" }) };
    for (let window = 0; window < 5; window += 1) {
      for (let time = 0; time < 4; time += 1)
        expect(await attempts.verify(kind, wrong)).toMatchObject({ field: "code" });
      clock.now += 15 * 60_000;
    }
    const right = { ...answerOf(owner), form: new URLSearchParams({ code: owner.codes[0] ?? "" }) };
    expect(await attempts.verify(kind, right)).toMatchObject({ isLocked: true });
    expect(isSignedIn(await signIn(owner))).toBe(false);
  });

  it("count for recovery codes and for codes of an app together", async () => {
    const owner = await anOwner();
    await wrongCodes(owner, 10);
    const { browser, page } = await askedForRecoveryCode(owner);
    for (let time = 0; time < 9; time += 1)
      expect((await enter(browser, page, "aaaa-aaaa-aaaa-aaaa")).status).toBe(400);
    expect((await enter(browser, page, "aaaa-aaaa-aaaa-aaaa")).status).toBe(403);
    const right = await enter(browser, page, owner.codes[0] ?? "");
    expect([right.status, right.text]).toEqual([403, expect.stringContaining("Your codes are locked")]);
    const { rows } = await change("select count(*)::int from recovery_codes", owner.userId);
    expect(rows).toEqual([{ count: 10 }]);
    expect((await signIn(owner)).status).toBe(403);
  });

  it("are forgotten after a right one", async () => {
    const owner = await anOwner();
    expect((await wrongCodes(owner, 19)).status).toBe(400);
    expect(isSignedIn(await signIn(owner))).toBe(true);
    expect(await lockOf(owner)).toMatchObject({ failures: 0, locked_at: null });
    expect((await wrongCodes(owner, 19)).status).toBe(400);
    expect(isSignedIn(await signIn(owner, second.base))).toBe(true);
  });

  it("count in every sign-in, also for a step-up and for the page of one's own security", async () => {
    const owner = await anOwner();
    const addresses = [
      `${authorize()}&acr_values=urn:factory:acr:second-factor`,
      `${authorize()}&prompt=login`,
      "/connect/security",
    ];
    for (const [at, address] of addresses.entries()) {
      const browser = new TestBrowser(base);
      const page = await enterPassword(browser, await browser.open(address), owner);
      await enter(browser, page, "wrong!");
      expect(await lockOf(owner)).toMatchObject({ failures: at + 1 });
    }
  });

  it("lose no lock and no mail when the process ends before it has closed the lock", async () => {
    const owner = await anOwner();
    await wrongCodes(owner, 19);
    let end = () => {};
    const processEnd = new Promise<never>((_, reject) => {
      end = () => reject(new Error("the process has ended"));
    });
    const dying = ownLocks().check(answerOf(owner).person, () => processEnd);
    await until(async () => (await lockOf(owner))?.["failures"] === 20);
    // the code that is being checked is the last one
    expect((await signIn(owner)).text).toContain("Your codes are locked after 20 wrong ones");
    expect(await lockOf(owner)).toMatchObject({ locked_at: null });
    await platform.admin.query("update spine_jobs.job set start_after = now() where name = 'close-factor-lock'");
    expect(tokenIn(await lockMail(owner))).not.toBe("");
    expect(await lockOf(owner)).toMatchObject({ locked_at: expect.any(Date) });
    end();
    await expect(dying).rejects.toThrow("the process has ended");
    expect(await lockOf(owner)).toMatchObject({ failures: 20, locked_at: expect.any(Date) });
  });

  it("do not count when they could not be checked", async () => {
    const owner = await anOwner();
    const { person } = answerOf(owner);
    const outage = () => Promise.reject(new Error("no database"));
    await expect(ownLocks().check(person, outage)).rejects.toThrow("no database");
    expect(await lockOf(owner)).toMatchObject({ failures: 0 });
  });
});

describe("strangers without the password", () => {
  it("lock nobody: neither wrong passwords nor codes without a password count", async () => {
    const owner = await anOwner();
    const browser = new TestBrowser(base);
    const page = await browser.open(authorize());
    for (let time = 0; time < 25; time += 1) {
      const fields = { username: owner.email, password: "wrong password", code: "000000", factor: "Totp" };
      await browser.submit(page, { ...fields, action: "continue" });
    }
    expect(await lockOf(owner)).toBeUndefined();
    expect(isSignedIn(await signIn(owner))).toBe(true);
  });

  it("lock nobody with a password of their own", async () => {
    const [owner, stranger] = [await anOwner(), await anOwner()];
    const { browser, page } = await asked(stranger);
    for (let time = 0; time < 20; time += 1)
      await browser.submit(page, { username: owner.email, userId: owner.userId, code: "1", action: "continue" });
    expect(await lockOf(owner)).toBeUndefined();
    expect(await lockOf(stranger)).toMatchObject({ failures: 20 });
  });

  it("do not learn that the codes are locked", async () => {
    const [lockedPerson, open] = [await lockedOwner(), await anOwner()];
    const wrong = async (person: TestUser) => {
      const browser = new TestBrowser(base);
      const form = await browser.open(authorize());
      const { status, text } = await enterPassword(browser, form, { ...person, password: "wrong password" });
      return [status, text.replaceAll(/value="[^"]*"/g, "")];
    };
    expect(await wrong(lockedPerson)).toEqual(await wrong(open));
  });

  it("get no link", async () => {
    const owner = await lockedOwner();
    await lockMail(owner);
    await change("update factor_locks set link_mailed_at = now() - interval '1 hour'", owner.userId);
    const browser = new TestBrowser(base);
    const fields = { request: "unlock-link", username: owner.email, factor: "Totp", action: "continue" };
    await browser.submit(await browser.open(authorize()), fields);
    expect(await lockOf(owner)).toMatchObject({ link_mailed_at: expect.any(Date) });
    const { rows } = await change(
      "select link_mailed_at > now() - interval '5 minutes' as now from factor_locks",
      owner.userId,
    );
    expect(rows).toEqual([{ now: false }]);
  });
});

describe("locked codes", () => {
  it("are refused also when they are right, in every process", async () => {
    const owner = await lockedOwner();
    for (const at of [base, second.base]) {
      await forgetStep(owner);
      const { browser, page } = await asked(owner, at);
      expect(page.text).toContain("Your codes are locked");
      const answer = await browser.submit(page, { code: codeOf(owner), action: "continue", request: "" });
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining("Your codes are locked")]);
    }
    const { rows } = await change("select last_step from totp_factors", owner.userId);
    expect(rows).toEqual([{ last_step: 0 }]);
  });

  it("are unlocked by the link in the mail, by its button and not by opening it, and nothing else changes", async () => {
    const owner = await lockedOwner();
    const mail = await lockMail(owner);
    const token = tokenIn(mail);
    const before = await change("select * from users", owner.userId);
    for (let time = 0; time < 2; time += 1) {
      const page = await linkPage(token);
      expect([page.status, page.headers.get("referrer-policy")]).toEqual([200, "no-referrer"]);
      expect(await page.text()).toContain(owner.email);
    }
    expect((await useLink(token, base, { origin: "https://evil.example" })).status).toBe(400);
    expect((await signIn(owner)).status).toBe(403);
    expect((await useLink(token)).status).toBe(200);
    expect((await change("select * from users", owner.userId)).rows).toEqual(before.rows);
    const { browser, page } = await asked(owner);
    expect(page.text).toContain('autocomplete="one-time-code"');
    expect((await enter(browser, page, "wrong!")).status).toBe(400);
    expect(isSignedIn(await signIn(owner))).toBe(true);
    expect(await eventsOf(owner)).toEqual([
      ["SecondFactorsLocked", undefined],
      ["SecondFactorsUnlocked", "MailLink"],
    ]);
    for (const answer of [await useLink(token), await linkPage(token), await linkPage("x")])
      expect(answer.status).toBe(404);
    await until(async () => (await subjectsTo(owner)).includes("Your second-factor codes are unlocked"));
  });

  it("are unlocked by one of several uses of a link at the same time", async () => {
    const owner = await lockedOwner();
    const token = tokenIn(await lockMail(owner));
    const answers = await Promise.all([base, second.base, base, second.base].map((at) => useLink(token, at)));
    expect(answers.map(({ status }) => status).toSorted((first, other) => first - other)).toEqual([200, 404, 404, 404]);
    expect(await eventsOf(owner)).toHaveLength(2);
  });

  it("are unlocked by a link once a day: then by an administrator, or by a link of the next day", async () => {
    const owner = await lockedOwner();
    await useLink(tokenIn(await lockMail(owner)));
    await lock(owner);
    const mail = await lockMail(owner, 2);
    expect(tokenIn(mail)).toBe("");
    expect(mail).toContain("Ask the administrator of your organization");
    const { browser, page } = await asked(owner);
    const spentPage = await browser.submit(page, { action: "continue", request: "unlock-link" });
    expect(spentPage.text).toContain("within the last 24 hours");
    await change("update factor_locks set link_used_at = link_used_at - interval '24 hours'", owner.userId);
    const mailedPage = await browser.submit(page, { action: "continue", request: "unlock-link" });
    expect(mailedPage.text).toContain("We have mailed you a link.");
    const again = await browser.submit(page, { action: "continue", request: "unlock-link" });
    expect(again.text).toContain("a short while ago");
    const token = tokenIn(await lockMail(owner, 3));
    expect((await useLink(token)).status).toBe(200);
    expect(isSignedIn(await signIn(owner))).toBe(true);
  });

  it("are not unlocked by a link of an earlier lock, nor by one that has expired", async () => {
    const owner = await lockedOwner();
    const early = tokenIn(await lockMail(owner));
    expect((await unlock(owner, administrator())).errors).toEqual([]);
    await lock(owner);
    const late = tokenIn(await lockMail(owner, 2));
    expect(late).not.toBe(early);
    expect((await useLink(early)).status).toBe(404);
    await change("update factor_locks set link_expires_at = now()", owner.userId);
    expect((await useLink(late)).status).toBe(404);
    expect(await lockOf(owner)).toMatchObject({ failures: 20, locked_at: expect.any(Date) });
  });

  it("are not unlocked while the account is disabled, and a deleted account leaves nothing", async () => {
    const owner = await lockedOwner();
    const token = tokenIn(await lockMail(owner));
    const admin = administrator();
    await platform.ask(admin, `mutation { disableUser(userId: "${owner.userId}") { status } }`);
    expect([(await linkPage(token)).status, (await useLink(token)).status]).toEqual([404, 404]);
    await platform.ask(admin, `mutation { enableUser(userId: "${owner.userId}") { status } }`);
    expect((await signIn(owner)).status).toBe(403);
    const { errors } = await platform.ask(admin, `mutation { deleteUser(userId: "${owner.userId}") { status } }`);
    expect(errors).toEqual([]);
    expect(await lockOf(owner)).toBeUndefined();
  });

  it("end no session, whose page for one's own security tells of the lock and mails a link", async () => {
    const owner = await lockedOwner();
    await lockMail(owner);
    const page = await owner.browser.open("/connect/security");
    expect(page.text).toContain("Your codes are locked");
    await change("update factor_locks set link_mailed_at = now() - interval '16 minutes'", owner.userId);
    const answerPage = await owner.browser.submit(page, { action: "mail-unlock-link" });
    expect(answerPage.text).toContain("one is on its way");
    expect((await useLink(tokenIn(await lockMail(owner, 2)))).status).toBe(200);
    expect((await owner.browser.open("/connect/security")).text).not.toContain("Your codes are locked");
  });

  it("have a link whose token is not stored", async () => {
    const owner = await lockedOwner();
    const token = tokenIn(await lockMail(owner));
    const { rows } = await platform.admin.query(
      `select (select json_agg(l) from factor_locks l)::text || (select json_agg(m) from mails m)::text
         || (select json_agg(n) from notification_messages n)::text || (select json_agg(b) from outbox b)::text
         || (select json_agg(j) from spine_jobs.job j)::text as stored`,
    );
    expect(rows[0].stored).not.toContain(token);
    expect(await lockOf(owner)).toMatchObject({ link_digest: createHash("sha256").update(token).digest("hex") });
  });
});

describe("an administrator", () => {
  it("unlocks the codes of others, with an event, an audit record and a mail", async () => {
    const owner = await lockedOwner();
    const { data } = await unlock(owner, administrator());
    expect(data).toEqual({ unlockUserSecondFactors: { userId: owner.userId, unlockedAt: expect.any(String) } });
    expect(isSignedIn(await signIn(owner))).toBe(true);
    expect((await eventsOf(owner)).at(-1)).toEqual(["SecondFactorsUnlocked", "Administrator"]);
    const { rows } = await platform.admin.query(
      `select envelope->>'operation' as operation from outbox
       where envelope->>'messagekind' = 'audit' and envelope->>'subject' = $1 and envelope->>'operation' like '%ock%'
       order by seq`,
      [`users/${owner.userId}`],
    );
    expect(rows.map(({ operation }) => operation)).toEqual(["lockSecondFactors", "unlockUserSecondFactors"]);
    await until(async () => (await subjectsTo(owner)).includes("Your second-factor codes are unlocked"));
    expect((await unlock(owner, administrator())).refusal).toMatchObject({ code: "INVALID_STATE" });
  });

  it("is not the locked person, nor a service", async () => {
    const owner = await lockedOwner();
    const answer = await unlock(owner, administrator({ subject: owner.userId }));
    expect(answer.refusal).toMatchObject({ code: "CONFLICT" });
    const client = await aClient();
    const clientPrincipal = {
      ...principal(tenantId, ["user.invite", "templates.read"]),
      subject: client,
      clientId: client,
    };
    expect((await unlock(owner, clientPrincipal)).refusal).toMatchObject({ code: "PERSON_REQUIRED" });
    const document = `mutation { removeUserSecondFactors(userId: "${owner.userId}") { count } }`;
    expect((await platform.ask(clientPrincipal, document)).refusal).toMatchObject({ code: "PERSON_REQUIRED" });
    expect((await signIn(owner)).status).toBe(403);
  });

  it("needs the scopes of the person, a recent sign-in and the same tenant", async () => {
    const owner = await lockedOwner();
    const other = await platform.activeTenant("other");
    const refusals = [
      [administrator({ scopes: new Set(["templates.read"]) }), "INSUFFICIENT_SCOPE"],
      [administrator({ scopes: new Set(["user.invite"]) }), "INSUFFICIENT_SCOPE"],
      [administrator({ authTime: Math.floor(Date.now() / 1000) - 901 }), "AUTHENTICATION_TOO_OLD"],
      [administrator({ firstParty: false }), "FIRST_PARTY_CLIENT_REQUIRED"],
      [administrator({ tenantId: other }), "NOT_FOUND"],
    ] as const;
    for (const [by, code] of refusals) expect((await unlock(owner, by)).refusal).toMatchObject({ code });
    expect((await signIn(owner)).status).toBe(403);
  });

  it("removes the lock with the factors", async () => {
    const owner = await lockedOwner();
    const document = `mutation { removeUserSecondFactors(userId: "${owner.userId}") { count } }`;
    expect((await platform.ask(administrator(), document)).errors).toEqual([]);
    expect(await lockOf(owner)).toMatchObject({ failures: 0, locked_at: null });
    expect(isSignedIn((await asked(owner)).page)).toBe(true);
  });
});

/** The locks as a further process has them. It tells nobody. */
function ownLocks(): FactorLocks {
  const tokens = new DerivedSecrets(testSettings.masterKeys.keyring("factory spine second factor locks"));
  const tell = async () => undefined;
  return new FactorLocks({
    ...{ database, tell, unlockUrl: `${testSettings.issuer}${lockPath}` },
    jobs: new JobQueue(platform.connections, createLogger("test", "silent")),
    links: new UnlockLinks({ database, pool: workers, tokens, tell }),
  });
}

function answerOf(owner: Owner) {
  const { userId, email } = owner;
  const cause = { trace: continueTrace(undefined), actorId: userId };
  const tenant = tenantWithId(tenantId);
  const person: FactorPerson = { tenant, userId, email, displayName: null, clientId, cause };
  return { person, visit: { keep: async () => undefined, take: async () => undefined }, address: "203.0.113.7" };
}
