import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Scope } from "@factory/schema/scopes";
import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import { type Json, platformAdmin, RunningSpine, until } from "../testing/running-spine.js";
import { aRoleOf, aUser, type TestUser } from "../testing/users.js";

let platform: RunningSpine;
let server: Server;
let base: string;
let tenantId: string;

interface TestClient {
  clientId: string;
  clientSecret: string;
}
let client: TestClient;

beforeAll(async () => {
  platform = await RunningSpine.start();
  server = createServer((request, response) => platform.spine.authorizationServer.handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  tenantId = await platform.activeTenant("acme");
  client = await aClient();
}, 60_000);

afterAll(async () => {
  server?.close();
  await platform?.stop();
});

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
const told = async (type: string) => (await platform.eventsOf(tenantId)).filter((event) => event.type === type);
const refused = ({ status, body }: Awaited<ReturnType<typeof post>>) => [status, body["error"]];

describe("the password grant", () => {
  it("gives a user a token of his tenant, his roles and his scopes", async () => {
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

  it("stores nothing that could be presented", async () => {
    const { body } = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    const { rows } = await platform.admin.query("select * from oidc_artifacts");
    expect(rows.length).toBeGreaterThan(1);
    expect(JSON.stringify(rows)).not.toContain(body["refresh_token"]);
    expect(JSON.stringify(rows)).not.toContain("jti");
  });
});

describe("the refresh grant", () => {
  it("rotates: every use gives another refresh token of the same sign-in", async () => {
    const first = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    const second = await refresh(first.body["refresh_token"]);
    expect(second.status).toBe(200);
    const third = await refresh(second.body["refresh_token"]);
    const tokens = [first, second, third].map(({ body }) => body["refresh_token"]);
    expect(new Set(tokens).size).toBe(3);
    const grants = [first, second, third].map(({ body }) => decodeJwt(body["access_token"])["grantId"]);
    expect(new Set(grants).size).toBe(1);
  });

  it("revokes the family when a used token comes back, and tells so once", async () => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    const first = await signIn(user);
    const second = await refresh(first.body["refresh_token"]);
    const { grantId } = decodeJwt(first.body["access_token"]);
    expect(refused(await refresh(first.body["refresh_token"]))).toEqual([400, "invalid_grant"]);
    expect(refused(await refresh(second.body["refresh_token"]))).toEqual([400, "invalid_grant"]);
    const { rows } = await platform.admin.query("select kind from revocations where subject = $1", [grantId]);
    expect(rows).toEqual([{ kind: "Grant" }]);
    const events = (await told("RefreshTokenReuseDetected")).filter(({ data }) => data["grantId"] === grantId);
    expect(events.map(({ data }) => data)).toEqual([
      { tenantId, clientId: client.clientId, userId: user.userId, grantId },
    ]);
  });

  it("lets one of fifty win who use a token at the same time", async () => {
    const first = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(first.body["refresh_token"])));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map((answer) => refused(answer).join(" ")))).toEqual(
      new Set(["400 invalid_grant"]),
    );
    expect(refused(await refresh(won[0]?.body["refresh_token"]))).toEqual([400, "invalid_grant"]);
    const { grantId } = decodeJwt(first.body["access_token"]);
    const events = (await told("RefreshTokenReuseDetected")).filter(({ data }) => data["grantId"] === grantId);
    expect(events).toHaveLength(1);
  });

  it("narrows when a role is lost and widens when it is back, within what was asked for", async () => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    await aRoleOf(platform, tenantId, user.userId, ["templates.write", "user.read"]);
    const first = await signIn(user, { scope: "templates.read templates.write" });
    expect(first.body["scope"]).toBe("templates.read templates.write");
    const expiry = (at: string) =>
      platform.admin.query(
        `update role_assignments set expires_at = ${at} where principal_id = $1 and role_id in
         (select role_id from roles where 'user.read' = any(scopes))`,
        [user.userId],
      );
    await expiry("now()");
    const second = await refresh(first.body["refresh_token"]);
    expect(second.body["scope"]).toBe("templates.read");
    await expiry("null");
    const third = await refresh(second.body["refresh_token"]);
    expect(third.body["scope"]).toBe("templates.read templates.write");
    await platform.admin.query("delete from role_assignments where principal_id = $1", [user.userId]);
    expect(refused(await refresh(third.body["refresh_token"]))).toEqual([400, "invalid_scope"]);
  });

  it.each([
    ["a disabled user", "update users set status = 'Disabled' where user_id = $1", "VALIDATION_FAILED"],
    ["a deleted user", "update users set status = 'Deleted' where user_id = $1", "VALIDATION_FAILED"],
  ])("ends the sign-in of %s", async (_, change, code) => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    const { body } = await signIn(user);
    await platform.admin.query(change, [decodeId("usr", user.userId)]);
    const answer = await refresh(body["refresh_token"]);
    expect([...refused(answer), answer.body["code"]]).toEqual([400, "invalid_grant", code]);
    await platform.admin.query("update users set status = 'Active' where user_id = $1", [decodeId("usr", user.userId)]);
    expect(refused(await refresh(body["refresh_token"]))).toEqual([400, "invalid_grant"]);
  });

  it("ends the sign-in of a user whose tenant is suspended", async () => {
    const { body } = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    await platform.admin.query("update tenants set status = 'Suspended' where slug = 'acme'");
    const answer = await refresh(body["refresh_token"]);
    await platform.admin.query("update tenants set status = 'Active' where slug = 'acme'");
    expect([...refused(answer), answer.body["code"]]).toEqual([400, "invalid_grant", "TENANT_SUSPENDED"]);
    expect(refused(await refresh(body["refresh_token"]))).toEqual([400, "invalid_grant"]);
  });

  it("refuses a token of another client", async () => {
    const other = await aClient();
    const { body } = await signIn(await aUser(platform, tenantId, ["templates.read"]));
    expect(refused(await refresh(body["refresh_token"], {}, other))).toEqual([400, "invalid_grant"]);
    expect((await refresh(body["refresh_token"])).status).toBe(200);
  });
});

describe("LoginFailed", () => {
  it("tells whom the name stood for", async () => {
    const user = await aUser(platform, tenantId, ["templates.read"]);
    expect(refused(await signIn({ ...user, password: "wrong horse" }))).toEqual([400, "invalid_grant"]);
    await until(async () => (await told("LoginFailed")).length > 0);
    expect((await told("LoginFailed")).at(-1)?.data).toEqual({
      tenantId,
      clientId: client.clientId,
      userId: user.userId,
    });
  });
});
