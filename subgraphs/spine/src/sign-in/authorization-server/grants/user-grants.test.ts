import { hash } from "node:crypto";
import { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { Scope } from "@factory/schema/scopes";
import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import { raiseVersion } from "../../../ground/revocations/raise-version.fixture.js";
import { aRoleOf, aUser, type TestUser, waitsFor } from "../../../people/users/user.fixture.js";
import {
  type Json,
  platformAdmin,
  principal,
  RunningSpine,
  testSettings,
  until,
} from "../../../running-spine.fixture.js";

let platform: RunningSpine;
let base: string;
let tenantId: string;

interface TestClient {
  clientId: string;
  clientSecret: string;
}
let client: TestClient;

beforeAll(async () => {
  platform = await RunningSpine.start();
  base = await platform.listen();
  tenantId = await platform.activeTenant("acme");
  client = await aClient();
});

afterAll(() => platform?.stop());

const clientScopes: readonly Scope[] = ["templates.read", "templates.write", "user.read"];

async function aClient(grantTypes = ["password", "refresh_token"]): Promise<TestClient> {
  const { data, errors } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    { tenantId, input: { name: "test", scopes: clientScopes, grantTypes, firstParty: true } },
  );
  if (!data) throw new Error(JSON.stringify(errors));
  return data["createTenantApiClient"];
}

async function post(form: Record<string, string>, { clientId, clientSecret } = client) {
  const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...form });
  const response = await fetch(`${base}/connect/token`, { method: "POST", body });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, Json> };
}

const signIn = ({ email, password }: TestUser, form: Record<string, string> = {}, as = client) =>
  post({ grant_type: "password", username: email, password, ...form }, as);
const refresh = (token: Json, form: Record<string, string> = {}, as = client) =>
  post({ grant_type: "refresh_token", refresh_token: token, ...form }, as);
const eventsWithType = async (type: string) =>
  (await platform.eventsOf(tenantId)).filter((event) => event.type === type);
const refusalOf = ({ status, body }: Awaited<ReturnType<typeof post>>) => [status, body["error"]];

async function move(field: "disableUser" | "enableUser", { userId }: TestUser): Promise<void> {
  const admin = principal(tenantId, ["user.invite", ...clientScopes]);
  const { errors } = await platform.ask(admin, `mutation { ${field}(userId: "${userId}") { status } }`);
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
}

describe("the password grant", () => {
  it("issues a token with the tenant, the roles and the scopes of the user", async () => {
    const user = await aUser(platform, tenantId, ["templates.read", "libraries.read"]);
    const { status, headers, body } = await signIn(user);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 900,
      scope: "templates.read",
      refresh_token: expect.any(String),
    });
    const keys = createLocalJWKSet(await platform.spine.authorizationServer.jwks());
    const { payload } = await jwtVerify(body["access_token"], keys);
    expect(payload).toMatchObject({
      sub: user.userId,
      client_id: client.clientId,
      scope: "templates.read",
      tenantId,
      tenantSlug: "acme",
      principalType: "User",
      platformAdmin: false,
      grantId: expect.any(String),
    });
    expect(payload["roles"]).toHaveLength(1);
    expect(JSON.stringify(payload)).not.toContain("example.com");
    const { rows } = await platform.admin.query("select last_login_at from users where user_id = $1", [
      decodeId("usr", user.userId),
    ]);
    expect(rows[0].last_login_at).not.toBeNull();
  });

  it("stores no value that could be used as a token", async () => {
    const { body } = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    const { rows } = await platform.admin.query("select * from oidc_artifacts");
    expect(rows.length).toBeGreaterThan(1);
    expect(JSON.stringify(rows)).not.toContain(body["refresh_token"]);
    expect(JSON.stringify(rows)).not.toContain("jti");
  });
});

describe("a token that is issued while a role is being removed", () => {
  it("is covered by the revocation whose transaction it could not see, and the next token is not", async () => {
    const verifier = new TokenVerifier({
      issuer: testSettings.issuer,
      audience: testSettings.issuer,
      keys: () => platform.spine.authorizationServer.jwks(),
      tenantExists: platform.spine.authorizationServer.tenantExists,
    });
    await platform.spine.watchRevocations((revocation) => verifier.apply(revocation));
    const user = await aUser(platform, tenantId, ["templates.read", "templates.write"]);
    const taker = await platform.admin.connect();
    const values = [decodeId("ten", tenantId), user.userId];
    try {
      await taker.query("begin");
      await taker.query("delete from role_assignments where tenant_id = $1 and principal_id = $2", values);
      await raiseVersion(taker, tenantId, "Principal", user.userId);
      const between = await signIn(user);
      expect(between.body["scope"]).toBe("templates.read templates.write");
      await taker.query("commit");
      await aRoleOf(platform, tenantId, user.userId, ["templates.read"]);
      const after = await refresh(between.body["refresh_token"]);
      expect(after.body["scope"]).toBe("templates.read");
      const isRefused = async (token: Json) =>
        verifier.verify(token).then(
          () => false,
          () => true,
        );
      await until(() => isRefused(between.body["access_token"]));
      expect(await isRefused(after.body["access_token"])).toBe(false);
    } finally {
      taker.release();
    }
  });
});

describe("the password grant refuses", () => {
  it("a wrong password, an unknown user, a disabled user and a user of another tenant with the same message", async () => {
    const globex = await platform.activeTenant("globex");
    const disabledUser = await aUser(platform, tenantId, ["templates.read"]);
    await platform.admin.query("update users set status = 'Disabled' where user_id = $1", [
      decodeId("usr", disabledUser.userId),
    ]);
    const user = await aUser(platform, tenantId, ["templates.read"]);
    const answers = [
      await signIn({ ...user, password: "wrong horse battery" }),
      await signIn({ ...user, email: "nobody@example.com" }),
      await signIn(disabledUser),
      await signIn(await aUser(platform, globex, ["templates.read"])),
      await signIn(user, { tenant: "globex" }),
      await signIn({ ...user, password: "x".repeat(5000) }),
      await signIn({ ...user, email: "a\0b" }),
    ];
    const bodies = answers.map(({ status, body }) => JSON.stringify([status, { ...body, traceId: undefined }]));
    expect(new Set(bodies)).toEqual(
      new Set([
        JSON.stringify([
          400,
          {
            error: "invalid_grant",
            error_description: "The user name or the password is wrong.",
            code: "UNAUTHENTICATED",
          },
        ]),
      ]),
    );
    expect((await signIn(user, { tenant: "acme" })).status).toBe(200);
    expect((await signIn({ ...user, email: user.email.toUpperCase() }, { tenant: tenantId })).status).toBe(200);
  });

  it("clients that are not first-party or do not have the grant type", async () => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    const foreign = await aClient();
    await platform.admin.query("update api_clients set first_party = false where client_id = $1", [foreign.clientId]);
    expect(refusalOf(await signIn(user, {}, foreign))).toEqual([400, "unauthorized_client"]);
  });

  it("a request without common scopes, and a request without a password", async () => {
    const user = await aUser(platform, tenantId, ["libraries.read"]);
    expect(refusalOf(await signIn(user))).toEqual([400, "invalid_scope"]);
    const reader = await aUser(platform, tenantId, ["templates.read"]);
    expect(refusalOf(await signIn(reader, { scope: "templates.write everything" }))).toEqual([400, "invalid_scope"]);
    expect(refusalOf(await post({ grant_type: "password", username: reader.email }))).toEqual([400, "invalid_request"]);
    expect((await signIn(reader, { scope: "templates.read everything" })).body["scope"]).toBe("templates.read");
  });
});

describe("a first-party client in the platform's tenant", () => {
  it("serves the users of every tenant; a user of several tenants names one", async () => {
    const initech = await platform.activeTenant("initech");
    const everybodys = await aClient();
    await platform.admin.query("update api_clients set tenant_id = $2 where client_id = $1", [
      everybodys.clientId,
      decodeId("ten", platformTenantId),
    ]);
    const here = await aUser(platform, tenantId, ["templates.read"], "twice@example.com");
    await aUser(platform, initech, ["templates.read"], "twice@example.com");
    const there = await aUser(platform, initech, ["templates.read"]);
    const tenantOf = async (answer: ReturnType<typeof signIn>) =>
      decodeJwt((await answer).body["access_token"])["tenantSlug"];
    expect(await tenantOf(signIn(there, {}, everybodys))).toBe("initech");
    expect(refusalOf(await signIn(here, {}, everybodys))).toEqual([400, "invalid_grant"]);
    expect(await tenantOf(signIn(here, { tenant: "acme" }, everybodys))).toBe("acme");
    expect(await tenantOf(signIn(here, { tenant: initech }, everybodys))).toBe("initech");
    expect((await refresh((await signIn(there, {}, everybodys)).body["refresh_token"], {}, everybodys)).status).toBe(
      200,
    );
  });

  it("issues tokens of platform administrators", async () => {
    const admin = await aUser(platform, platformTenantId, []);
    const desk = await aClient();
    await platform.admin.query(
      "update api_clients set tenant_id = $2, scopes = '{tenant.read,tenant.manage,templates.read}' where client_id = $1",
      [desk.clientId, decodeId("ten", platformTenantId)],
    );
    const { rows } = await platform.admin.query("select role_id from roles where tenant_id = $1 and code = $2", [
      decodeId("ten", platformTenantId),
      "PlatformAdmin",
    ]);
    await aRoleOf(platform, platformTenantId, admin.userId, ["tenant.read", "tenant.manage"], rows[0]?.role_id);
    const { body } = await signIn(admin, {}, desk);
    expect(decodeJwt(body["access_token"])).toMatchObject({
      platformAdmin: true,
      roles: ["PlatformAdmin"],
      scope: "tenant.read tenant.manage",
    });
  });
});

describe("the refresh grant", () => {
  it("rotates the token: every use gives a new refresh token of the same sign-in", async () => {
    const first = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    const second = await refresh(first.body["refresh_token"]);
    expect(second.status).toBe(200);
    const third = await refresh(second.body["refresh_token"]);
    const tokens = [first, second, third].map(({ body }) => body["refresh_token"]);
    expect(new Set(tokens).size).toBe(3);
    const grants = [first, second, third].map(({ body }) => decodeJwt(body["access_token"])["grantId"]);
    expect(new Set(grants).size).toBe(1);
  });

  /** Lets a refresh token's first use be longer ago. */
  const age = (refreshToken: string, by: string) =>
    platform.admin.query(
      `update oidc_artifacts set consumed_at = consumed_at - interval '${by}' where id_digest = $1`,
      [hash("sha256", refreshToken, "hex")],
    );
  const reuses = async (grantId: unknown) =>
    (await eventsWithType("RefreshTokenReuseDetected")).filter(({ data }) => data["grantId"] === grantId);

  it("gives the same successor and a new access token to a second use within ten seconds", async () => {
    const first = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    const { grantId } = decodeJwt(first.body["access_token"]);
    const second = await refresh(first.body["refresh_token"]);
    await age(first.body["refresh_token"], "8 seconds");
    const again = await refresh(first.body["refresh_token"]);
    expect([again.status, again.body["refresh_token"]]).toEqual([200, second.body["refresh_token"]]);
    expect(again.body["access_token"]).not.toBe(second.body["access_token"]);
    expect(refusalOf(await refresh(first.body["refresh_token"], {}, await aClient()))).toEqual([400, "invalid_grant"]);
    expect((await refresh(again.body["refresh_token"])).status).toBe(200);
    expect(await reuses(grantId)).toEqual([]);
  });

  it("gives one successor to twenty uses at the same time", async () => {
    const first = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(first.body["refresh_token"])));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const [successor, ...others] = new Set(answers.map(({ body }) => body["refresh_token"]));
    expect(others).toEqual([]);
    expect(new Set(answers.map(({ body }) => body["access_token"])).size).toBe(20);
    expect((await refresh(successor)).status).toBe(200);
  });

  it("gives a successor to the next use when the process of the first use has ended before it stored one", async () => {
    const first = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    const digest = hash("sha256", first.body["refresh_token"], "hex");
    await platform.admin.query("update oidc_artifacts set consumed_at = now() where id_digest = $1", [digest]);
    const second = await refresh(first.body["refresh_token"]);
    expect(second.status).toBe(200);
    expect((await refresh(second.body["refresh_token"])).status).toBe(200);
  });

  it.each([
    ["later", async (first: Json) => void (await age(first, "11 seconds"))],
    ["after its successor was used", async (_: Json, second: Json) => void (await refresh(second))],
  ])("revokes the family when a token is used again %s, and emits one event", async (_, pass) => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    const first = await signIn(user);
    const second = await refresh(first.body["refresh_token"]);
    const { grantId } = decodeJwt(first.body["access_token"]);
    await pass(first.body["refresh_token"], second.body["refresh_token"]);
    expect(refusalOf(await refresh(first.body["refresh_token"]))).toEqual([400, "invalid_grant"]);
    expect(refusalOf(await refresh(second.body["refresh_token"]))).toEqual([400, "invalid_grant"]);
    const { rows } = await platform.admin.query("select kind from revocations where subject = $1", [grantId]);
    expect(rows).toEqual([{ kind: "Grant" }]);
    expect((await reuses(grantId)).map(({ data }) => data)).toEqual([
      { tenantId, clientId: client.clientId, userId: user.userId, grantId },
    ]);
  });

  it("gives fewer scopes when a role is lost and more when it is assigned again, within the requested scopes", async () => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    await aRoleOf(platform, tenantId, user.userId, ["templates.write", "user.read"]);
    const first = await signIn(user, { scope: "templates.read templates.write" });
    expect(first.body["scope"]).toBe("templates.read templates.write");
    const { rows } = await platform.admin.query(
      `delete from role_assignments where principal_id = $1 and role_id in
         (select role_id from roles where 'user.read' = any(scopes)) returning role_id`,
      [user.userId],
    );
    const second = await refresh(first.body["refresh_token"]);
    expect(second.body["scope"]).toBe("templates.read");
    await aRoleOf(platform, tenantId, user.userId, [], rows[0]["role_id"]);
    const third = await refresh(second.body["refresh_token"]);
    expect(third.body["scope"]).toBe("templates.read templates.write");
    await platform.admin.query("delete from role_assignments where principal_id = $1", [user.userId]);
    expect(refusalOf(await refresh(third.body["refresh_token"]))).toEqual([400, "invalid_scope"]);
  });

  it.each([
    ["a disabled user", "update users set status = 'Disabled' where user_id = $1", "VALIDATION_FAILED"],
    ["a deleted user", "update users set status = 'Deleted' where user_id = $1", "VALIDATION_FAILED"],
  ])("ends the sign-in of %s", async (_, change, code) => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    const { body } = await signIn(user);
    await platform.admin.query(change, [decodeId("usr", user.userId)]);
    const answer = await refresh(body["refresh_token"]);
    expect([...refusalOf(answer), answer.body["code"]]).toEqual([400, "invalid_grant", code]);
    await platform.admin.query("update users set status = 'Active' where user_id = $1", [decodeId("usr", user.userId)]);
    expect(refusalOf(await refresh(body["refresh_token"]))).toEqual([400, "invalid_grant"]);
  });

  it("ends the sign-ins of a disabled user, used in the meantime or not, and an enabled user must sign in again", async () => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    const { body } = await signIn(user);
    await move("disableUser", user);
    await move("enableUser", user);
    expect(refusalOf(await refresh(body["refresh_token"]))).toEqual([400, "invalid_grant"]);
    // at once, though refresh tokens know the second in which they were made, and no more
    const again = await signIn(user);
    expect((await refresh(again.body["refresh_token"])).status).toBe(200);
  });

  it("is refused when the password is replaced while the token is being used", async () => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    const { body } = await signIn(user);
    const changer = await platform.admin.connect();
    try {
      await changer.query("begin");
      // the user is read before the roles
      await changer.query("lock table role_assignments in access exclusive mode");
      const refreshing = refresh(body["refresh_token"]);
      await waitsFor(platform, "%role_assignments%");
      const values = [decodeId("usr", user.userId)];
      await changer.query("update users set sign_in_version = sign_in_version + 1 where user_id = $1", values);
      await raiseVersion(changer, tenantId, "Principal", user.userId);
      await changer.query("commit");
      expect(refusalOf(await refreshing)).toEqual([400, "invalid_grant"]);
    } finally {
      changer.release();
    }
  });

  it("ends the sign-in of a user whose tenant is suspended", async () => {
    const { body } = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    await platform.admin.query("update tenants set status = 'Suspended' where slug = 'acme'");
    const answer = await refresh(body["refresh_token"]);
    await platform.admin.query("update tenants set status = 'Active' where slug = 'acme'");
    expect([...refusalOf(answer), answer.body["code"]]).toEqual([400, "invalid_grant", "TENANT_SUSPENDED"]);
    expect(refusalOf(await refresh(body["refresh_token"]))).toEqual([400, "invalid_grant"]);
  });

  it("refuses a token of another client", async () => {
    const other = await aClient();
    const { body } = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    expect(refusalOf(await refresh(body["refresh_token"], {}, other))).toEqual([400, "invalid_grant"]);
    expect((await refresh(body["refresh_token"])).status).toBe(200);
  });
});

describe("LoginFailed", () => {
  it("names the user to whom the address belonged", async () => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    expect(refusalOf(await signIn({ ...user, password: "wrong horse" }))).toEqual([400, "invalid_grant"]);
    const ofHim = async () =>
      (await eventsWithType("LoginFailed")).filter(({ data }) => data["userId"] === user.userId);
    await until(async () => (await ofHim()).length > 0);
    expect((await ofHim()).map(({ data }) => data)).toEqual([
      { tenantId, clientId: client.clientId, userId: user.userId },
    ]);
  });
});

describe("attempts to guess a password", () => {
  it("are answered ten times in 15 minutes, also at the same time, and then the correct password is refused too", async () => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, guess) => signIn({ ...user, password: `guess number ${guess}` })),
    );
    const checkedGuesses = guesses.filter(({ status }) => status === 400);
    expect(checkedGuesses.length).toBeLessThanOrEqual(10);
    expect(guesses.every(({ status }) => status === 400 || status === 429)).toBe(true);
    for (let guess = 0; guess < 10; guess += 1) await signIn({ ...user, password: `guess again ${guess}` });
    const right = await signIn(user);
    expect([right.status, right.body["code"]]).toEqual([429, "RATE_LIMITED"]);
    expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(800);
  });
});
