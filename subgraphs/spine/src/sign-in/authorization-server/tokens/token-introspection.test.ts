import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { tenantScopes } from "@factory/schema/scopes";
import { decodeJwt } from "jose";
import { raiseVersion } from "../../../ground/revocations/raise-version.fixture.js";
import { aUser } from "../../../people/users/user.fixture.js";
import { type Json, platformAdmin, principal, RunningSpine } from "../../../running-spine.fixture.js";

let platform: RunningSpine;
let base: string;
let tenantId: string;

interface TestClient {
  clientId: string;
  clientSecret: string;
}
let issuedTo: TestClient;
let colleague: TestClient;
let stranger: TestClient;

beforeAll(async () => {
  platform = await RunningSpine.start();
  base = await platform.listen();
  tenantId = await platform.activeTenant("acme");
  issuedTo = await aClient(tenantId);
  colleague = await aClient(tenantId);
  stranger = await aClient(await platform.activeTenant("globex"));
});

afterAll(() => platform?.stop());

async function aClient(of: string, input: Record<string, unknown> = {}): Promise<TestClient> {
  const { data, errors } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    {
      tenantId: of,
      input: {
        name: "test",
        scopes: ["templates.read"],
        grantTypes: ["password", "refresh_token", "client_credentials"],
        firstParty: true,
        ...input,
      },
    },
  );
  if (!data) throw new Error(JSON.stringify(errors));
  return data["createTenantApiClient"];
}

async function post(path: string, form: Record<string, string>, { clientId, clientSecret } = issuedTo) {
  const credentials = { client_id: clientId, ...(clientSecret ? { client_secret: clientSecret } : {}) };
  const body = new URLSearchParams({ ...credentials, ...form });
  const response = await fetch(base + path, { method: "POST", body });
  const text = await response.text();
  const parsedBody: Record<string, Json> = text === "" ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: parsedBody, text };
}

const revoke = (token: string, as = issuedTo, path = "/connect/revocation") => post(path, { token }, as);
const introspect = async (token: string, as = issuedTo) => (await post("/connect/introspect", { token }, as)).body;
const serviceToken = async () =>
  (await post("/connect/token", { grant_type: "client_credentials" })).body["access_token"] as string;

async function signedIn() {
  const { email, password, userId } = await aUser(platform, tenantId, ["templates.read"]);
  const { body } = await post("/connect/token", { grant_type: "password", username: email, password });
  return { userId, accessToken: body["access_token"] as string, refreshToken: body["refresh_token"] as string };
}

const revocationsOf = async (subject: unknown) =>
  (await platform.admin.query("select kind from revocations where subject = $1", [subject])).rows.map(
    ({ kind }) => kind,
  );
const eventsAbout = async (subject: string) =>
  (await platform.eventsOf(tenantId)).filter((event) => event.type === "TokenRevoked" && event.subject === subject);

describe("POST /connect/revocation", () => {
  it.each(["unknown", "a.b.c", "eyJhbGciOiJub25lIn0.e30."])(
    "returns 200 for %s, which is not a token",
    async (token) => {
      const { status, text } = await revoke(token);
      expect([status, text]).toEqual([200, ""]);
    },
  );

  it("revokes an access token once, also at /v1", async () => {
    const token = await serviceToken();
    const { jti } = decodeJwt(token);
    expect((await revoke(token, issuedTo, "/v1/connect/revocation")).status).toBe(200);
    expect((await revoke(token)).status).toBe(200);
    expect(await revocationsOf(jti)).toEqual(["Token"]);
    expect((await eventsAbout(`clients/${issuedTo.clientId}`)).map(({ data }) => data)).toEqual([
      { tenantId, clientId: issuedTo.clientId, userId: null, grantId: null, tokenId: jti },
    ]);
  });

  it("revokes the whole sign-in of a refresh token", async () => {
    const { userId, accessToken, refreshToken } = await signedIn();
    const { grantId } = decodeJwt(accessToken);
    expect((await revoke(refreshToken)).status).toBe(200);
    expect((await post("/connect/token", { grant_type: "refresh_token", refresh_token: refreshToken })).status).toBe(
      400,
    );
    expect(await revocationsOf(grantId)).toEqual(["Grant"]);
    expect((await eventsAbout(`users/${userId}`)).map(({ data }) => data)).toEqual([
      { tenantId, clientId: issuedTo.clientId, userId, grantId, tokenId: null },
    ]);
    expect(await introspect(accessToken)).toEqual({ active: false });
  });

  it("does not revoke tokens of another client, and does not show that they exist", async () => {
    const { accessToken, refreshToken } = await signedIn();
    for (const token of [accessToken, refreshToken])
      for (const client of [colleague, stranger]) {
        const { status, text } = await revoke(token, client);
        expect([status, text]).toEqual([200, ""]);
      }
    expect(await introspect(accessToken)).toMatchObject({ active: true });
    expect(await introspect(refreshToken)).toMatchObject({ active: true });
  });

  it("refuses a client that does not authenticate, as the token endpoint does", async () => {
    const { status, body } = await revoke(await serviceToken(), { ...issuedTo, clientSecret: "wrong" });
    expect([status, body["error"], body["code"]]).toEqual([401, "invalid_client", "UNAUTHENTICATED"]);
    const missing = await post("/connect/revocation", {});
    expect([missing.status, missing.body["error"]]).toEqual([400, "invalid_request"]);
  });
});

describe("POST /connect/introspect", () => {
  it("returns the claims of an access token to a client of the tenant", async () => {
    const { accessToken, userId } = await signedIn();
    const { headers, body } = await post("/connect/introspect", { token: accessToken }, colleague);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({ active: true, token_type: "Bearer", ...decodeJwt(accessToken) });
    expect(body).toMatchObject({ sub: userId, scope: "templates.read" });
    expect((await post("/v1/connect/introspect", { token: accessToken })).body).toMatchObject({ active: true });
  });

  it("returns no claims to a client of another tenant", async () => {
    const { accessToken, refreshToken } = await signedIn();
    expect(await introspect(accessToken, stranger)).toEqual({ active: false });
    expect(await introspect(refreshToken, stranger)).toEqual({ active: false });
    expect(await introspect(refreshToken, colleague)).toMatchObject({ active: true, client_id: issuedTo.clientId });
  });

  it("reports a token as inactive when its client, user or tenant no longer exists", async () => {
    const { accessToken, refreshToken, userId } = await signedIn();
    await platform.admin.query("update tenants set status = 'Suspended' where slug = 'acme'");
    expect(await introspect(accessToken)).toEqual({ active: false });
    await platform.admin.query("update tenants set status = 'Active' where slug = 'acme'");
    expect(await introspect(accessToken)).toMatchObject({ active: true });
    await platform.admin.query("update users set status = 'Disabled' where user_id = $1", [decodeId("usr", userId)]);
    expect(await introspect(refreshToken)).toEqual({ active: false });
    await raiseVersion(platform.admin, tenantId, "Principal", userId);
    expect(await introspect(accessToken)).toEqual({ active: false });
  });

  it("is answered to a colleague also while the client of the token is blocked after too many wrong secrets", async () => {
    const client = await aClient(tenantId);
    const { email, password } = await aUser(platform, tenantId, ["templates.read"]);
    const { body } = await post("/connect/token", { grant_type: "password", username: email, password }, client);
    const wrong = { ...client, clientSecret: "wrong" };
    const attempt = async () => (await post("/connect/introspect", { token: "x" }, wrong)).status;
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 100) statuses.push(await attempt());
    expect(statuses.at(-1)).toBe(429);
    expect(await introspect(String(body["refresh_token"]), colleague)).toMatchObject({ active: true });
  });

  it("reports a refresh token as inactive once a new password or a change of its client has ended it", async () => {
    const byPassword = await signedIn();
    await platform.admin.query("update users set sign_in_version = sign_in_version + 1 where user_id = $1", [
      decodeId("usr", byPassword.userId),
    ]);
    expect(await introspect(byPassword.refreshToken)).toEqual({ active: false });
    const byClient = await signedIn();
    expect(await introspect(byClient.refreshToken, colleague)).toMatchObject({ active: true });
    await raiseVersion(platform.admin, tenantId, "Client", issuedTo.clientId);
    expect(await introspect(byClient.refreshToken, colleague)).toEqual({ active: false });
  });

  it("reports a token of a user as inactive when the client of the platform was disabled, and shows no claims", async () => {
    const studio = await aClient(platformTenantId, {
      grantTypes: ["authorization_code", "password"],
      redirectUris: ["https://studio.example/back"],
    });
    const { email, password } = await aUser(platform, tenantId, ["templates.read"]);
    const { body } = await post("/connect/token", { grant_type: "password", username: email, password }, studio);
    const token = String(body["access_token"]);
    const userinfo = async () =>
      (await fetch(`${base}/connect/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await introspect(token), await userinfo()]).toMatchObject([{ active: true }, 403]);
    await platform.ask(
      principal(platformTenantId, tenantScopes),
      `mutation { disableApiClient(clientId: "${studio.clientId}") { status } }`,
    );
    expect([await introspect(token), await userinfo()]).toEqual([{ active: false }, 401]);
  });

  it("reports a token of an agent as inactive when the service it acts for is disabled", async () => {
    const grantTypes = ["urn:ietf:params:oauth:grant-type:token-exchange"];
    const agent = await aClient(tenantId, { grantTypes, principalType: "Agent", firstParty: false });
    const service = await aClient(tenantId, { grantTypes: ["client_credentials"], firstParty: false });
    const ownToken = await post("/connect/token", { grant_type: "client_credentials" }, service);
    const { body } = await post(
      "/connect/token",
      {
        grant_type: grantTypes[0] ?? "",
        subject_token: ownToken.body["access_token"],
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        agent_task_id: "task-1",
      },
      agent,
    );
    expect(await introspect(body["access_token"])).toMatchObject({ active: true });
    await platform.ask(
      principal(tenantId, tenantScopes),
      `mutation { disableApiClient(clientId: "${service.clientId}") { status } }`,
    );
    expect(await introspect(body["access_token"])).toEqual({ active: false });
  });

  it("reports any text that is not a token of this server as inactive", async () => {
    const token = await serviceToken();
    for (const wrong of ["unknown", `${token.slice(0, -4)}AAAA`, token.split(".").slice(0, 2).join(".")])
      expect(await introspect(wrong)).toEqual({ active: false });
  });

  it("answers only clients with a secret", async () => {
    const open = await aClient(tenantId, {
      public: true,
      grantTypes: ["authorization_code", "refresh_token"],
      redirectUris: ["https://app.example/back"],
    });
    await platform.admin.query("update api_clients set grant_types = '{refresh_token}' where client_id = $1", [
      open.clientId,
    ]);
    for (const token of [await serviceToken(), "unknown"]) {
      const { status, body } = await post("/connect/introspect", { token }, { ...open, clientSecret: "" });
      expect([status, body["error"]]).toEqual([401, "invalid_client"]);
    }
  });
});
