import { type ClientCredentials, createTenantClient, readJson } from "@factory/platform/client/platform-api";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { scopes } from "@factory/schema/scopes";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { eventually } from "../kit/eventually.js";
import { platform } from "../kit/platform.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, platformToken } from "../kit/tenants.js";

interface Tenant {
  tenantId: string;
  slug: string;
  status: string;
}

let admin: string;

beforeAll(async () => {
  admin = await platformToken();
});

const unique = () => `s${Math.random().toString(36).slice(2)}`;

const aRegistration = (changes: Record<string, unknown> = {}) => {
  const slug = unique();
  return { name: "Acme", slug, editionCode: "Free", ownerEmail: `owner@${slug}.example`, ...changes };
};

const register = (changes: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  request<Tenant>("POST /v1/tenants", { token: admin, body: aRegistration(changes), headers });

const list = (query: string) =>
  request<{ items: Tenant[]; nextCursor: string | null }>(`GET /v1/tenants?${query}`, { token: admin });

describe("POST /v1/tenants", () => {
  it("returns the documented members, and no data of the owner", async () => {
    const slug = unique();
    const { status, body, text } = await register({ slug, name: "Acme GmbH" });
    expect(status).toBe(201);
    expect(body).toEqual({
      tenantId: expect.stringMatching(/^ten_/),
      name: "Acme GmbH",
      slug,
      status: "Provisioning",
      editionCode: "Free",
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(text).not.toContain("owner@");
  });

  it("accepts a slug once, and refuses reserved slugs", async () => {
    const slug = unique();
    await register({ slug });
    expect(refusal(await register({ slug }))).toBe("409 SLUG_TAKEN");
    expect(refusal(await register({ slug: "admin" }))).toBe("409 SLUG_TAKEN");
  });

  it.each([
    [{ editionCode: "Platinum" }, "422 REFERENCE_NOT_FOUND", "/editionCode UNKNOWN_VALUE"],
    [{ slug: "Acme" }, "400 VALIDATION_FAILED", "/slug FORMAT"],
    [{ slug: "-acme" }, "400 VALIDATION_FAILED", "/slug FORMAT"],
    [{ slug: "ac" }, "400 VALIDATION_FAILED", "/slug FORMAT"],
    [{ ownerEmail: "nobody" }, "400 VALIDATION_FAILED", "/ownerEmail FORMAT"],
    [{ name: "   " }, "400 VALIDATION_FAILED", "/name FORMAT"],
  ])("refuses %j", async (changes, expectedCode, field) => {
    const answer = await register(changes);
    expect([refusal(answer), refusedFields(answer)]).toEqual([expectedCode, [field]]);
  });
});

describe("GET /v1/tenants", () => {
  it("returns the documented members and filters", async () => {
    const { body: tenant } = await register({ editionCode: "Enterprise" });
    const bySlug = await list(`slug=${tenant.slug}`);
    expect(bySlug.body).toEqual({ items: [tenant], nextCursor: null });
    expect((await list(`slug=${tenant.slug}&editionCode=Free`)).body.items).toEqual([]);
    expect((await list(`slug=${tenant.slug}&status=Provisioning`)).body.items).toHaveLength(1);
    expect((await list(`slug=${tenant.slug}&status=Active`)).body.items).toEqual([]);
  });

  it("lists each tenant once in pages, with the next page in the header Link", async () => {
    const registrations = await Promise.all([register(), register(), register()]);
    const listedIds: string[] = [];
    let next = "limit=2&status=Provisioning";
    for (;;) {
      const page = await list(next);
      expect(page.body.items.length).toBeLessThanOrEqual(2);
      listedIds.push(...page.body.items.map(({ tenantId }) => tenantId));
      if (page.body.nextCursor === null) break;
      const link = /<\/v1\/tenants\?([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "");
      expect(new URLSearchParams(link?.[1]).get("cursor")).toBe(page.body.nextCursor);
      next = `limit=2&status=Provisioning&pageToken=${encodeURIComponent(page.body.nextCursor)}`;
    }
    expect(new Set(listedIds).size).toBe(listedIds.length);
    expect(listedIds).toEqual(expect.arrayContaining(registrations.map(({ body }) => body.tenantId)));
  });

  it("refuses a page size, a cursor or a filter that is not valid", async () => {
    for (const query of ["limit=0", "limit=-1", "limit=two", "limit=1&limit=2", "cursor=%00"])
      expect([query, refusal(await list(query))]).toEqual([query, "400 VALIDATION_FAILED"]);
    expect(refusal(await list("status=Sleeping"))).toBe("422 PARAMETERS_INVALID");
    expect(refusal(await list("cursor=x"))).toBe("400 INVALID_CURSOR");
    await register();
    const { nextCursor } = (await list("limit=1")).body;
    expect(refusal(await list(`limit=1&editionCode=Free&cursor=${nextCursor}`))).toBe("400 INVALID_CURSOR");
    expect((await list("limit=100000")).status).toBe(200);
  });

  it("answers in the version of the header api-version", async () => {
    const ask = (version: string) =>
      request("GET /v1/tenants?limit=1", { token: admin, headers: { "api-version": version } });
    for (const version of ["1", "1.0"]) expect((await ask(version)).headers.get("api-version")).toBe("1.0");
    for (const version of ["2.0", "1.1", "latest", ""]) {
      const answer = await ask(version);
      expect(refusal(answer)).toBe("400 UNSUPPORTED_API_VERSION");
      expect(answer.body).toMatchObject({ supportedVersions: ["1.0"] });
    }
  });
});

describe("POST /v1/tenants/{tenantId}/provision", () => {
  const provision = (tenantId: string, base = platform().internalUrl, token: string | undefined = admin) =>
    request<{ runId: string; status: string }>(`POST /v1/tenants/${tenantId}/provision`, { token, base });

  it("makes the tenant Active, with a plan subscription", async () => {
    const { body: tenant } = await register();
    const { status, body } = await provision(tenant.tenantId);
    expect(status).toBe(202);
    expect(body).toEqual({
      tenantId: tenant.tenantId,
      status: "Provisioning",
      runId: expect.stringMatching(/^run_/),
    });
    const state = async () => (await list(`slug=${tenant.slug}`)).body.items[0]?.status;
    await eventually("the tenant is Active", async () => (await state()) === "Active");
    const { body: tenantList } = await graphql<{ tenants: { items: unknown[] } }>(
      `{ tenants(filter: { slug: "${tenant.slug}" }) { items { subscriptionId } } }`,
      { token: admin },
    );
    expect(tenantList.data.tenants.items).toEqual([{ subscriptionId: expect.stringMatching(/^sub_/) }]);
    const again = await provision(tenant.tenantId);
    expect(refusal(again)).toBe("409 INVALID_STATE");
    expect(again.body).toMatchObject({ currentState: "Active" });
  });

  it("returns the current run to a repeated request", async () => {
    const { body: tenant } = await register();
    const answers = await Promise.all([provision(tenant.tenantId), provision(tenant.tenantId)]);
    const ids = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.runId));
    expect(ids.size).toBe(1);
  });

  it("does not exist on the public port, with or without a token or /v1", async () => {
    const { body: tenant } = await register();
    for (const token of [undefined, admin])
      expect(refusal(await provision(tenant.tenantId, platform().publicUrl, token))).toBe("404 NOT_FOUND");
    const bare = `POST /tenants/${tenant.tenantId}/provision`;
    expect((await request(bare, { token: admin })).status).toBe(404);
    expect((await request(bare, { token: admin, base: platform().internalUrl })).status).toBe(202);
  });

  it("returns 404 for an unknown id", async () => {
    for (const id of [newId("ten"), newId("tpl"), "x"]) expect(refusal(await provision(id))).toBe("404 NOT_FOUND");
  });
});

describe("POST /connect/token", () => {
  let client: ClientCredentials;

  beforeAll(async () => {
    const { tenantId } = await aTenant();
    client = await createTenantClient(platform(), admin, tenantId, { name: "test", scopes: ["templates.read"] });
  });

  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
  });
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const ask = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    request<Record<string, unknown>>("POST /connect/token", {
      raw: new URLSearchParams(fields).toString(),
      headers: { ...form, ...headers },
    });
  const grant = { grant_type: "client_credentials" };

  it("issues a token by HTTP Basic or by the form (RFC 6749 section 4.4)", async () => {
    const { clientId: client_id, clientSecret: client_secret } = client;
    for (const answer of [
      await ask(grant, basic(client_id, client_secret)),
      await ask({ ...grant, client_id, client_secret }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        access_token: expect.any(String),
        token_type: "Bearer",
        expires_in: 900,
        scope: "templates.read",
      });
      expect(answer.headers.get("cache-control")).toContain("no-store");
    }
  });

  it("returns errors as in RFC 6749 section 5.2", async () => {
    const { clientId, clientSecret } = client;
    const good = basic(clientId, clientSecret);
    const cases: [string, Awaited<ReturnType<typeof ask>>, number, string][] = [
      ["a wrong secret", await ask(grant, basic(clientId, "wrong")), 401, "invalid_client"],
      ["an unknown client", await ask(grant, basic(newId("cli"), "wrong")), 401, "invalid_client"],
      ["no client", await ask(grant), 401, "invalid_client"],
      ["a scope that the client lacks", await ask({ ...grant, scope: "templates.write" }, good), 400, "invalid_scope"],
      ["an unknown grant", await ask({ grant_type: "magic" }, good), 400, "unsupported_grant_type"],
      ["no grant", await ask({}, good), 400, "invalid_request"],
    ];
    for (const [name, { status, body, headers }, expectedStatus, error] of cases) {
      expect([name, status, body["error"]]).toEqual([name, expectedStatus, error]);
      expect(body).toMatchObject({ error_description: expect.any(String), code: expect.any(String) });
      expect(body["traceId"]).toBe(headers.get("x-trace-id"));
      if (status === 401) expect(headers.get("www-authenticate")).toMatch(/^Basic /);
    }
  });

  it("returns the same error for an unknown client and for a wrong secret", async () => {
    const answers = [await ask(grant, basic(client.clientId, "wrong")), await ask(grant, basic(newId("cli"), "wrong"))];
    const [knownAnswer, unknown] = answers.map(({ body }) => ({ ...body, traceId: "…" }));
    expect(knownAnswer).toEqual(unknown);
  });

  it("refuses a body that is not a form", async () => {
    const json = await request("POST /connect/token", {
      body: grant,
      headers: basic(client.clientId, client.clientSecret),
    });
    expect(json.status).toBe(400);
    expect((await request("GET /connect/token")).status).toBe(405);
  });
});

describe("GET /.well-known/openid-configuration", () => {
  it("describes the served endpoints, and its keys verify the tokens", async () => {
    const { status, body } = await request<Record<string, string>>("GET /.well-known/openid-configuration");
    const { publicUrl } = platform();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      issuer: publicUrl,
      token_endpoint: `${publicUrl}/connect/token`,
      jwks_uri: `${publicUrl}/.well-known/jwks`,
      scopes_supported: expect.arrayContaining([...scopes]),
    });
    expect(body).toMatchObject({ authorization_endpoint: `${platform().publicUrl}/connect/authorize` });
    const keys = await request<JSONWebKeySet>("GET /.well-known/jwks");
    expect(keys.status).toBe(200);
    for (const key of keys.body.keys) expect(key).not.toHaveProperty("d");
    const jwt = await jwtVerify(admin, createLocalJWKSet(keys.body), {
      issuer: publicUrl,
      audience: publicUrl,
      typ: "at+jwt",
      algorithms: ["ES256"],
    });
    expect(jwt.payload).toMatchObject({ platformAdmin: true, principalType: "Service" });
  });
});

describe("the platform's own client", () => {
  it("is named in bootstrap.json, and has no scope of a tenant", async () => {
    const bootstrap = await readJson<ClientCredentials>(platform().dataDir, "bootstrap.json");
    expect(bootstrap.clientId).toMatch(/^cli_/);
    await expect(platformToken("templates.read")).rejects.toThrow("invalid_scope");
  });
});

describe("Mutation.createApiClient", () => {
  const document = `mutation ($input: CreateApiClientInput!) {
    createApiClient(input: $input) { clientId clientSecret scopes tenantId } }`;

  it("gives a client no scope that the caller does not hold, and no platform scope", async () => {
    const tenant = await aTenant();
    const token = await tenant.tokenWith("client.manage", "templates.read");
    const create = async (requestedScopes: string[]) =>
      (await graphql(document, { token, variables: { input: { name: "agent", scopes: requestedScopes } } })).body;
    expect((await create(["templates.read"])).errors).toBeUndefined();
    const more = await create(["templates.read", "templates.write"]);
    expect(more.errors?.[0]?.extensions).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      requiredScopes: ["templates.write"],
    });
    for (const scope of ["tenant.manage", "tenant.read", "root"])
      expect((await create([scope])).errors?.[0]?.extensions.code).toBe("REFERENCE_NOT_FOUND");
  });
});
