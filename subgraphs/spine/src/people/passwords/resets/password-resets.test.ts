import { request as httpRequest } from "node:http";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { TestOutbox } from "../../../ground/mail/outbox.fixture.js";
import {
  type Json,
  platformAdmin,
  principal,
  RunningSpine,
  signedIn,
  testSettings,
  until,
} from "../../../running-spine.fixture.js";
import { aUser, type TestUser, waitsFor } from "../../users/user.fixture.js";

let platform: RunningSpine;
let base: string;
let outbox: TestOutbox;
let tenantId: string;
let client: { clientId: string; clientSecret: string };

const newPassword = "a quite different password";

beforeAll(async () => {
  outbox = await TestOutbox.create();
  platform = await RunningSpine.start({ mail: { outbox: outbox.folder }, rateLimitFactor: 20 });
  base = await platform.listen();
  tenantId = await platform.activeTenant("acme");
  const { data } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    {
      tenantId,
      input: {
        ...{ name: "desk", scopes: ["templates.read"], firstParty: true },
        grantTypes: ["password", "refresh_token"],
      },
    },
  );
  client = data?.["createTenantApiClient"];
});

afterAll(async () => {
  await platform?.stop();
  await outbox?.remove();
});

const aPerson = () => aUser(platform, tenantId, ["templates.read"]);

const mailsTo = (email: string) => outbox.mailsTo(email);

/** The link in the mail number `count` to the address. Waits for it. */
async function linkTo(email: string, count = 1): Promise<string> {
  return /https?:\/\/[^\s"<]+token=[\w-]+/.exec(await outbox.mailTo(email, count))?.[0] ?? "";
}

const tokenOf = (link: string) => new URL(link).searchParams.get("token") ?? "";
const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${base}/connect/password-reset`, { method: "POST", body: new URLSearchParams(form), headers });
const complete = (link: string, password = newPassword) => post({ token: tokenOf(link), password });

async function token(form: Record<string, string>) {
  const body = new URLSearchParams({ client_id: client.clientId, client_secret: client.clientSecret, ...form });
  const response = await fetch(`${base}/connect/token`, { method: "POST", body });
  return { status: response.status, body: (await response.json()) as Record<string, Json> };
}

const signIn = ({ email: username }: TestUser, password: string) =>
  token({ grant_type: "password", username, password });

describe("a reset of a password", () => {
  it("mails a link that works once, ends sessions, and is recorded", async () => {
    const person = await aPerson();
    const before = await signIn(person, person.password);
    expect((await post({ email: person.email.toUpperCase() })).status).toBe(200);
    const link = await linkTo(person.email);
    const form = await fetch(`${base}/connect/password-reset?token=${tokenOf(link)}`);
    expect([form.status, form.headers.get("referrer-policy")]).toEqual([200, "no-referrer"]);
    expect(await form.text()).toContain(person.email);
    const completion = await complete(link);
    expect([completion.status, await completion.text()]).toEqual([
      200,
      expect.stringContaining("Your password is changed"),
    ]);
    expect((await signIn(person, person.password)).body["error"]).toBe("invalid_grant");
    expect((await signIn(person, newPassword)).status).toBe(200);
    const refreshAnswer = await token({ grant_type: "refresh_token", refresh_token: before.body["refresh_token"] });
    expect(refreshAnswer.body["error"]).toBe("invalid_grant");
    expect((await complete(link, "yet another password")).status).toBe(404);
    expect((await signIn(person, newPassword)).status).toBe(200);
    const types = (await platform.eventsOf(tenantId))
      .filter(({ subject }) => subject === `users/${person.userId}`)
      .map(({ type }) => type);
    expect(types).toEqual(["PasswordResetRequested", "PasswordChanged"]);
    expect(await outbox.mailTo(person.email, 2)).toContain("Your password was changed");
  });

  it("answers unknown addresses with the same bytes, and mails only active users", async () => {
    const [person, disabledPerson] = [await aPerson(), await aPerson()];
    await platform.ask(
      principal(tenantId, ["user.invite", "templates.read"]),
      `mutation { disableUser(userId: "${disabledPerson.userId}") { status } }`,
    );
    const answers = await Promise.all(
      [
        person.email,
        disabledPerson.email,
        "nobody@example.com",
        "not an address",
        `${"x".repeat(300)}@example.com`,
        "a\0b@c.d",
      ].map(async (email) => {
        const response = await post({ email });
        return [response.status, await response.text()];
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await linkTo(person.email);
    expect(await mailsTo(disabledPerson.email)).toEqual([]);
    const { rows } = await platform.admin.query("select from password_resets where user_id = $1", [
      decodeId("usr", disabledPerson.userId),
    ]);
    expect(rows).toEqual([]);
  });

  it("answers before the link is stored, so that a known address takes as long as an unknown one", async () => {
    const person = await aPerson();
    const holder = await platform.admin.connect();
    try {
      await holder.query("begin");
      await holder.query("lock table password_resets in access exclusive mode");
      expect((await post({ email: person.email })).status).toBe(200);
      await waitsFor(platform, "%password_resets%");
      await holder.query("commit");
    } finally {
      holder.release();
    }
    expect(await linkTo(person.email)).toContain("token=");
  });

  it("names the platform in its link, whatever Host header the request has", async () => {
    const person = await aPerson();
    const { hostname, port } = new URL(base);
    const body = new URLSearchParams({ email: person.email }).toString();
    const headers = {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      "content-type": "application/x-www-form-urlencoded",
    };
    await new Promise((resolve) =>
      httpRequest({ hostname, port, path: "/connect/password-reset", method: "POST", headers }, resolve).end(body),
    );
    expect(await linkTo(person.email)).toMatch(new RegExp(`^${testSettings.issuer}/connect/password-reset\\?token=`));
    expect((await mailsTo(person.email))[0]).not.toContain("evil.example");
  });

  it("sends at most three links in an hour, also to requests at the same time", async () => {
    const person = await aPerson();
    await Promise.all(Array.from({ length: 12 }, () => post({ email: person.email })));
    await linkTo(person.email, 3);
    await until(async () => {
      const { rows } = await platform.admin.query("select from mails where status = 'Waiting'");
      return rows.length === 0;
    });
    expect(await mailsTo(person.email)).toHaveLength(3);
  });

  it("ends the other links of the user, and no link of a user with the same address in another tenant", async () => {
    const globex = await platform.activeTenant("globex");
    const person = await aPerson();
    const elsewhere = await aUser(platform, globex, ["templates.read"], person.email);
    await post({ email: person.email, tenant: "acme" });
    const first = await linkTo(person.email, 1);
    await post({ email: person.email, tenant: "acme" });
    const second = await linkTo(person.email, 2);
    await post({ email: person.email, tenant: "globex" });
    const other = await linkTo(person.email, 3);
    expect((await complete(second)).status).toBe(200);
    expect((await complete(first)).status).toBe(404);
    const hashOf = async ({ userId }: TestUser) =>
      (await platform.admin.query("select password_hash from users where user_id = $1", [decodeId("usr", userId)]))
        .rows[0].password_hash;
    const [hash, foreignHash] = [await hashOf(person), await hashOf(elsewhere)];
    expect((await complete(other, "the password elsewhere")).status).toBe(200);
    expect([await hashOf(person), (await hashOf(elsewhere)) === foreignHash]).toEqual([hash, false]);
  });

  it("refuses a link that has expired, a made-up one, a weak password and a form of another site", async () => {
    const person = await aPerson();
    await post({ email: person.email });
    const link = await linkTo(person.email);
    expect((await complete(link, "password1")).status).toBe(422);
    expect((await complete(link, "short")).status).toBe(422);
    expect((await complete(link, person.email)).status).toBe(422);
    expect((await complete(`${link}x`)).status).toBe(404);
    const form = { token: tokenOf(link), password: newPassword };
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }])
      expect((await post(form, headers)).status).toBe(400);
    await platform.admin.query("update password_resets set expires_at = now() where user_id = $1", [
      decodeId("usr", person.userId),
    ]);
    expect((await complete(link)).status).toBe(404);
    expect((await signIn(person, person.password)).status).toBe(200);
  });

  it("takes effect once under requests at the same time", async () => {
    const person = await aPerson();
    await post({ email: person.email });
    const link = await linkTo(person.email);
    const passwords = Array.from({ length: 5 }, (_, index) => `${newPassword} ${index}`);
    const answers = await Promise.all(passwords.map((password) => complete(link, password)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404, 404]);
  });

  it("stores neither the token nor anything from which the database alone gives it", async () => {
    const person = await aPerson();
    await post({ email: person.email });
    const secret = tokenOf(await linkTo(person.email));
    const { rows } = await platform.admin.query(
      `select coalesce(string_agg(stored, ''), '') as stored from (
         select json_agg(r)::text as stored from password_resets r union all select json_agg(m)::text from mails m
         union all select json_agg(o)::text from outbox o) everything`,
    );
    expect(rows[0].stored).not.toContain(secret);
  });
});

describe("a change of the own password", () => {
  const change = (person: TestUser, input: Record<string, string>, changes: object = {}) =>
    platform.ask(
      {
        ...principal(tenantId, []),
        ...{ subject: person.userId, principalType: "User", firstParty: true, clientId: client.clientId },
        ...changes,
      },
      "mutation ($input: ChangeOwnPasswordInput!) { changeOwnPassword(input: $input) { status } }",
      { input },
    );

  it("needs the current password, and ends every session and token", async () => {
    const person = await aPerson();
    const before = await signIn(person, person.password);
    const wrong = await change(person, { currentPassword: "wrong password", newPassword });
    expect(wrong.refusal).toMatchObject({ code: "PASSWORD_WRONG", errors: [{ pointer: "/input/currentPassword" }] });
    const weak = await change(person, { currentPassword: person.password, newPassword: "password1" });
    expect(weak.refusal).toMatchObject({ code: "PASSWORD_REFUSED", errors: [{ pointer: "/input/newPassword" }] });
    const { data } = await change(person, { currentPassword: person.password, newPassword });
    expect(data).toEqual({ changeOwnPassword: { status: "Changed" } });
    const refreshAnswer = await token({ grant_type: "refresh_token", refresh_token: before.body["refresh_token"] });
    expect(refreshAnswer.body["error"]).toBe("invalid_grant");
    expect((await signIn(person, person.password)).body["error"]).toBe("invalid_grant");
    expect((await signIn(person, newPassword)).status).toBe(200);
  });

  it.each([
    ["a third-party client", { firstParty: undefined }],
    ["a service", { principalType: "Service" }],
    ["an agent of the person", { actors: ["cli_agent"] }],
  ])("is not for %s", async (_, changes) => {
    const person = await aPerson();
    const { refusal } = await change(person, { currentPassword: person.password, newPassword }, changes);
    expect(refusal).toMatchObject({ code: "FIRST_PARTY_CLIENT_REQUIRED" });
  });
});

describe("the clients that only the person knows", () => {
  const createOwn = "mutation ($input: CreateApiClientInput!) { made: createApiClient(input: $input) { clientId } }";

  /** A person whose tenant has an owner, and this person's clients. */
  async function aHolder(clients: number) {
    const person = await aPerson();
    const owner = await aUser(platform, tenantId, []);
    await platform.admin.query(
      `insert into role_assignments (tenant_id, assignment_id, role_id, principal_id, assigned_by, assigned_at)
       select tenant_id, gen_random_uuid(), role_id, $2, 'test', now() from roles where tenant_id = $1 and code = 'TenantOwner'`,
      [decodeId("ten", tenantId), owner.userId],
    );
    const ids: string[] = [];
    for (let count = 0; count < clients; count += 1) {
      const by = signedIn(tenantId, ["client.manage", "templates.read"], { subject: person.userId });
      const input = { name: `robot ${count}`, scopes: ["templates.read"] };
      ids.push(String((await platform.ask(by, createOwn, { input })).data?.["made"].clientId));
    }
    return { person, owner, ids };
  }

  const reset = async (person: TestUser, mails = 1) => {
    await post({ email: person.email });
    expect((await complete(await linkTo(person.email, mails))).status).toBe(200);
  };

  const inboxOf = async ({ userId }: TestUser) => {
    const { rows } = await platform.admin.query<{ body: string }>(
      `select message.body from notifications join notification_messages message using (tenant_id, message_id)
       where recipient_user_id = $1 and message.channel = 'InApp' and message.title like 'API clients go on%'`,
      [decodeId("usr", userId)],
    );
    return rows.map(({ body }) => body);
  };

  it("go on after a reset, and the person and the owners are told of them", async () => {
    const { person, owner, ids } = await aHolder(2);
    await reset(person);
    const { rows } = await platform.admin.query("select status from api_clients where client_id = any($1)", [ids]);
    expect(rows).toEqual([{ status: "Active" }, { status: "Active" }]);
    for (const recipient of [person, owner]) {
      const [body = "", ...more] = await inboxOf(recipient);
      expect(more).toEqual([]);
      for (const part of [...ids, person.email, person.userId, "disableUserApiClients"]) expect(body).toContain(part);
    }
    await until(async () => (await mailsTo(owner.email)).length === 1);
  });

  it("are not told where there is none", async () => {
    const { person, owner } = await aHolder(0);
    await reset(person);
    expect([await inboxOf(person), await inboxOf(owner)]).toEqual([[], []]);
  });
});
