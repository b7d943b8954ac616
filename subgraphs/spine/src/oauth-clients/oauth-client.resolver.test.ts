import { newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { tenantScopes } from "@factory/schema/scopes";
import { platformAdmin, principal, RunningSpine } from "../running-spine.fixture.js";
import { secretDigest } from "./client-secret.js";

let platform: RunningSpine;
let tenantId: string;
beforeAll(async () => {
  platform = await RunningSpine.start();
  tenantId = await platform.activeTenant("acme");
});
afterAll(() => platform?.stop());

const fields =
  "clientId clientSecret name scopes grantTypes principalType redirectUris firstParty createdByPlatform public status tenantId createdAt";
const forTenant = `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
  createTenantApiClient(tenantId: $tenantId, input: $input) { ${fields} } }`;
const createClient = `mutation ($input: CreateApiClientInput!) { createApiClient(input: $input) { ${fields} } }`;
const input = { name: "CI", scopes: ["templates.read", "templates.write"] };

const owner = () => principal(tenantId, ["client.manage", "templates.read", "templates.write"]);

describe("Mutation.createTenantApiClient", () => {
  it("is for platform administrators only", async () => {
    const variables = { tenantId, input };
    expect((await platform.ask(undefined, forTenant, variables)).refusal).toMatchObject({ code: "UNAUTHENTICATED" });
    expect((await platform.ask(owner(), forTenant, variables)).refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    const impostor = principal(tenantId, ["tenant.manage"]);
    expect((await platform.ask(impostor, forTenant, variables)).refusal).toMatchObject({
      code: "PLATFORM_ADMIN_REQUIRED",
    });
  });

  it("gives a secret that is stored nowhere", async () => {
    const all = { name: "Everything", scopes: [...tenantScopes], principalType: "Agent" };
    const { data } = await platform.ask(platformAdmin(), forTenant, { tenantId, input: all });
    const client = data?.["createTenantApiClient"];
    expect(client).toEqual({
      clientId: expect.stringMatching(/^cli_/),
      clientSecret: expect.stringMatching(/^[\w-]{43}$/),
      name: "Everything",
      scopes: [...tenantScopes],
      grantTypes: ["client_credentials"],
      principalType: "Agent",
      redirectUris: [],
      firstParty: false,
      createdByPlatform: true,
      public: false,
      status: "Active",
      tenantId,
      createdAt: expect.any(String),
    });
    const { rows } = await platform.admin.query("select * from api_clients where client_id = $1", [client.clientId]);
    expect(rows[0]).toMatchObject({ secret_digest: secretDigest(client.clientSecret), platform_admin: false });
    expect(JSON.stringify(rows)).not.toContain(client.clientSecret);
    const event = (await platform.eventsOf(tenantId)).at(-1);
    expect(event).toMatchObject({
      type: "ApiClientCreated",
      subject: `clients/${client.clientId}`,
      data: { clientId: client.clientId, name: "Everything", principalType: "Agent" },
    });
    expect(JSON.stringify(event)).not.toContain(client.clientSecret);
    expect(JSON.stringify(event)).not.toContain(rows[0].secret_nonce);
  });

  it("shows the same secret for a repeated Idempotency-Key, and stores it with neither", async () => {
    const first = await platform.ask(platformAdmin(), forTenant, { tenantId, input }, "client-1");
    const second = await platform.ask(platformAdmin(), forTenant, { tenantId, input }, "client-1");
    expect(second.replayed).toBe(true);
    expect(second.data).toEqual(first.data);
    const { rows } = await platform.admin.query("select result from idempotency_records where key = 'client-1'");
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(first.data?.["createTenantApiClient"].clientSecret);
  });

  it("needs a tenant that exists and is Active", async () => {
    for (const unknown of [newId("ten"), "acme"]) {
      const { refusal } = await platform.ask(platformAdmin(), forTenant, { tenantId: unknown, input });
      expect(refusal).toMatchObject({ code: "NOT_FOUND", status: 404 });
    }
    const { tenantId: young } = await platform.registerTenant("young");
    const { refusal } = await platform.ask(platformAdmin(), forTenant, { tenantId: young, input });
    expect(refusal).toMatchObject({ code: "INVALID_STATE", currentState: "Provisioning", allowed: ["Active"] });
  });

  it.each([
    ["/input/scopes/1", { scopes: ["templates.read", "templates.everything"] }],
    ["/input/scopes/0", { scopes: ["tenant.manage"] }],
    ["/input/grantTypes/0", { grantTypes: ["implicit"] }],
    ["/input/principalType", { principalType: "User" }],
  ])("refuses an unknown value at %s", async (pointer, change) => {
    const { refusal } = await platform.ask(platformAdmin(), forTenant, { tenantId, input: { ...input, ...change } });
    expect(refusal).toMatchObject({
      code: "REFERENCE_NOT_FOUND",
      status: 422,
      errors: [{ pointer, code: "UNKNOWN_VALUE" }],
    });
  });

  it.each([
    ["/input/name", { name: "x".repeat(201) }],
    ["/input/scopes", { scopes: [] }],
    ["/input/scopes/0", { scopes: [""] }],
    ["/input/grantTypes", { grantTypes: [] }],
  ])("refuses a malformed %s", async (pointer, change) => {
    const { refusal } = await platform.ask(platformAdmin(), forTenant, { tenantId, input: { ...input, ...change } });
    expect(refusal).toMatchObject({ code: "VALIDATION_FAILED", status: 400, errors: [{ pointer }] });
  });
});

describe("a client that people sign in at", () => {
  const signIn = {
    name: "Studio",
    scopes: ["templates.read"],
    grantTypes: ["authorization_code", "refresh_token"],
    redirectUris: ["https://studio.example/callback", "http://127.0.0.1/callback"],
  };

  it("may be public, and has no secret then", async () => {
    const { data } = await platform.ask(owner(), createClient, { input: { ...signIn, public: true } });
    expect(data?.["createApiClient"]).toMatchObject({ ...signIn, public: true, firstParty: false, clientSecret: null });
  });

  it("is first-party only by a platform administrator", async () => {
    const input = { ...signIn, firstParty: true, grantTypes: [...signIn.grantTypes, "password"] };
    const { refusal } = await platform.ask(owner(), createClient, { input });
    expect(refusal).toMatchObject({ code: "PLATFORM_ADMIN_REQUIRED", status: 403 });
    const { data } = await platform.ask(platformAdmin(), forTenant, { tenantId, input });
    expect(data?.["createTenantApiClient"]).toMatchObject({ firstParty: true, grantTypes: input.grantTypes });
  });

  it("holds the platform's scopes only as a first-party client of the platform's tenant", async () => {
    const input = { ...signIn, scopes: ["tenant.manage", "templates.read"], firstParty: true };
    const studio = await platform.ask(platformAdmin(), forTenant, { tenantId: platformTenantId, input });
    expect(studio.data?.["createTenantApiClient"]).toMatchObject({ scopes: input.scopes });
    for (const [tenant, change] of [
      [tenantId, {}],
      [platformTenantId, { firstParty: false }],
      [platformTenantId, { grantTypes: [...signIn.grantTypes, "client_credentials"] }],
    ] as const) {
      const variables = { tenantId: tenant, input: { ...input, ...change } };
      const { refusal } = await platform.ask(platformAdmin(), forTenant, variables);
      expect(refusal).toMatchObject({ status: 422, errors: [{ pointer: "/input/scopes/0", code: "UNKNOWN_VALUE" }] });
    }
  });

  it.each([
    ["openid, profile and email", ["openid", "profile", "email"], []],
    ["openid alone", ["openid"], []],
    ["scopes of the API and offline_access", ["openid", "offline_access", "templates.read"], ["templates.read"]],
  ])("may have %s, of which its maker needs none but those of the API", async (_, scopes, ofApi) => {
    const maker = principal(tenantId, ["client.manage", ...(ofApi as ["templates.read"])]);
    const { data } = await platform.ask(maker, createClient, { input: { ...signIn, scopes } });
    const { clientId } = data?.["createApiClient"] ?? {};
    expect(data?.["createApiClient"]).toMatchObject({ scopes });
    // other statements read `scopes` as rights
    const { rows } = await platform.admin.query("select scopes from api_clients where client_id = $1", [clientId]);
    expect(rows).toEqual([{ scopes: ofApi }]);
    const answer = await platform.ask(
      maker,
      `mutation { rotateApiClientSecret(clientId: "${clientId}") { clientId scopes } }`,
    );
    expect(answer.data).toEqual({ rotateApiClientSecret: { clientId, scopes } });
  });

  it.each([
    ["/input/scopes", { scopes: ["profile", "email"] }],
    ["/input/grantTypes", { scopes: ["openid", "offline_access"], grantTypes: ["authorization_code"] }],
    [
      "/input/grantTypes",
      { scopes: ["openid", "templates.read"], grantTypes: ["client_credentials"], redirectUris: undefined },
    ],
    ["/input/scopes", { scopes: ["openid"], grantTypes: ["authorization_code", "client_credentials"] }],
  ])("is refused for identity scopes that nobody could use, at %s", async (pointer, change) => {
    const { refusal } = await platform.ask(owner(), createClient, { input: { ...signIn, ...change } });
    expect(refusal).toMatchObject({ code: "API_CLIENT_INVALID", status: 422, errors: [{ pointer, code: "REQUIRED" }] });
  });

  it("has no scope of OpenID Connect that the platform does not know", async () => {
    const { refusal } = await platform.ask(owner(), createClient, {
      input: { ...signIn, scopes: ["openid", "phone"] },
    });
    expect(refusal).toMatchObject({ code: "REFERENCE_NOT_FOUND", errors: [{ pointer: "/input/scopes/1" }] });
  });

  it.each([
    ["/input/redirectUris", { redirectUris: undefined }],
    ["/input/redirectUris/1", { redirectUris: ["https://a.example/", "http://a.example/"] }],
    ["/input/redirectUris/0", { redirectUris: ["https://a.example/#x"] }],
    ["/input/redirectUris", { grantTypes: ["client_credentials"] }],
    ["/input/grantTypes", { grantTypes: ["client_credentials", "refresh_token"], redirectUris: undefined }],
    ["/input/grantTypes", { grantTypes: ["password"], redirectUris: undefined }],
    ["/input/grantTypes", { grantTypes: ["authorization_code", "client_credentials"], public: true }],
    ["/input/grantTypes", { grantTypes: ["urn:ietf:params:oauth:grant-type:token-exchange"], redirectUris: undefined }],
    ["/input/principalType", { principalType: "Agent" }],
  ])("is refused for what does not go together at %s", async (pointer, change) => {
    const { refusal } = await platform.ask(owner(), createClient, { input: { ...signIn, ...change } });
    expect(refusal).toMatchObject({ code: "API_CLIENT_INVALID", status: 422, errors: [{ pointer }] });
  });
});

describe("Mutation.createApiClient", () => {
  it("makes a client of the caller's tenant", async () => {
    const { data } = await platform.ask(owner(), createClient, { input: { ...input, scopes: ["templates.read"] } });
    expect(data?.["createApiClient"]).toMatchObject({ tenantId, scopes: ["templates.read"], principalType: "Service" });
  });

  it("gives away no scope that the caller does not hold", async () => {
    const { refusal } = await platform.ask(owner(), createClient, {
      input: { ...input, scopes: ["templates.publish"] },
    });
    expect(refusal).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      status: 403,
      requiredScopes: ["templates.publish"],
    });
  });
});

describe("rows of the spine", () => {
  it("are seen by their own tenant only, and keys by no tenant at all", async () => {
    const count = async (tenant: string | null, table: string) => {
      const { rows } = await platform.asApp(tenant, `select count(*)::int as count from ${table}`);
      return rows[0]?.["count"];
    };
    const other = await platform.activeTenant("other");
    for (const table of ["api_clients", "plan_subscriptions", "provisioning_runs", "tenants"]) {
      expect([table, await count(null, table)]).toEqual([table, 0]);
      expect([table, await count(newId("ten"), table)]).toEqual([table, 0]);
    }
    expect(await count(other, "tenants")).toBe(1);
    expect(await count(other, "plan_subscriptions")).toBe(1);
    expect(await count(other, "api_clients")).toBe(0);
    expect(await count(tenantId, "signing_keys")).toBe(0);
    await expect(platform.asApp(other, "update api_clients set status = 'Disabled'")).resolves.toMatchObject({
      rowCount: 0,
    });
  });
});
