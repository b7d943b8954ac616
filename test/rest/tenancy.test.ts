import { newId } from "@factory/runtime/identifiers/wire-id";
import { cloneOf } from "../kit/clone.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aFeed } from "../kit/feed.js";
import { aLibrary, aPackageName } from "../kit/libraries.js";
import { platform } from "../kit/platform.js";
import { aReceiver } from "../kit/receiver.js";
import { refusal } from "../kit/refusal.js";
import { graphql, type Response, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

interface Owned extends TestVersion {
  readonly libraryId: string;
  readonly packageName: string;
}

let ours: TestTenant;
let theirs: TestTenant;
let token: string;
let theirToken: string;
let ownVersion: TestVersion;
let foreign: Owned;

const webhook = (endpointUrl: string) => ({ eventType: "TemplateRegistered", endpointUrl, signingSecretRef: "hooks" });
const provider = { key: "billing", displayName: "Billing", category: "Payment", authModel: "ApiKey" };
const nowhere = "http://127.0.0.1:9/hooks";

beforeAll(async () => {
  [ours, theirs] = await Promise.all([aTenant(), aTenant()]);
  [token, theirToken] = await Promise.all([ours.tokenWith(), theirs.tokenWith()]);
  const source = await aTemplateSource();
  ownVersion = await aTemplateVersion(token, source);
  const version = await aTemplateVersion(theirToken, source);
  const packageName = aPackageName();
  const libraryId = await aLibrary(theirToken, {
    packageName,
    capabilities: [{ name: "secret.recipe" }],
    versions: [{ semanticVersion: "1.0.0" }],
  });
  await executed(theirToken, version, { target: { repository: "acme/orders" } });
  foreign = { ...version, libraryId, packageName };
});

const volatile = new Set(["date", "x-trace-id", "traceparent", "ratelimit", "connection", "keep-alive"]);

/** The answer without the values that differ in each answer, and without the requested ids. */
function bytes({ status, headers, text }: Response<unknown>, requestedIds: readonly string[]) {
  const neutral = (part: string) =>
    requestedIds
      .reduce((remainder, id) => remainder.replaceAll(id, "<id>"), part)
      .replaceAll(/"traceId":"\w+"/g, '"traceId":"…"');
  const stableHeaders = [...headers]
    .filter(([name]) => !volatile.has(name))
    .map(([name, value]) => `${name}: ${value}`);
  return { status, headers: neutral(stableHeaders.join("\n")), text: neutral(text) };
}

describe("the tenant that a request names", () => {
  it("must be the tenant of the token in X-Tenant-Id", async () => {
    const line = `GET /v1/templates/${ownVersion.templateId}`;
    const as = (tenantId: string) => request(line, { token, headers: { "x-tenant-id": tenantId } });
    expect((await as(ours.tenantId)).status).toBe(200);
    for (const other of [theirs.tenantId, newId("ten"), "", "acme", `${ours.tenantId},${theirs.tenantId}`])
      expect(refusal(await as(other))).toMatch(/^(403 TENANT_MISMATCH|400 VALIDATION_FAILED)$/);
    expect(refusal(await as(theirs.tenantId))).toBe("403 TENANT_MISMATCH");
  });

  it.each([
    ["/integrations/providers", { ...provider, key: "own" }],
    ["/integrations/credentials", { name: "own", secret: { token: "x" } }],
    ["/webhooks/subscriptions", { ...webhook(nowhere), active: false }],
  ])("must be the tenant of the token in the body of POST %s", async (path, input) => {
    const as = (tenantId: string) => request(`POST ${path}`, { token, body: { ...input, tenantId } });
    for (const other of [theirs.tenantId, newId("ten"), "acme"])
      expect(refusal(await as(other))).toBe("403 TENANT_MISMATCH");
    expect((await as(ours.tenantId)).status).toBe(201);
  });
});

describe("names", () => {
  it("belong to a tenant: a name of one tenant is free for the other", async () => {
    for (const each of [token, theirToken]) {
      const post = (path: string, body: unknown) => request(`POST ${path}`, { token: each, body });
      expect((await post("/v1/templates", { name: "Same name" })).status).toBe(201);
      expect((await post("/v1/libraries", { packageName: "Same.Name" })).status).toBe(201);
      expect((await post("/integrations/providers", { ...provider, key: "same-name" })).status).toBe(201);
      expect((await post("/integrations/credentials", { name: "same", secret: { a: "b" } })).status).toBe(201);
    }
  });

  it("of libraries are not visible to the other tenant", async () => {
    const search = (each: string) =>
      request<{ total: number }>("POST /v1/libraries/search", { token: each, body: { capability: "secret.recipe" } });
    expect((await search(theirToken)).body.total).toBe(1);
    expect((await search(token)).body).toEqual({ results: [], total: 0, nextCursor: null });
    const evaluate = async (each: string, packageName: string) => {
      const { text } = await request("POST /v1/libraries/compatibility/evaluate", {
        token: each,
        body: { runtime: "net8.0", libraries: [{ packageName, version: "1.0.0" }] },
      });
      return text.replaceAll(packageName, "<name>").replace(/mtx_\w+/, "<matrix>");
    };
    expect(await evaluate(token, foreign.packageName)).toBe(await evaluate(token, aPackageName()));
  });

  it("of repositories belong to a tenant: both execute into acme/orders", async () => {
    const execution = await executed(token, ownVersion, { target: { repository: "acme/orders" } });
    expect(execution).toMatchObject({ status: "Completed", output: { changed: true } });
    expect(execution.output?.repository).toContain(`/git/${ours.slug}/acme/orders.git`);
  });

  it("of Idempotency-Keys too", async () => {
    const post = (each: string) =>
      request<{ templateId: string }>("POST /v1/templates", {
        token: each,
        body: { name: "By key" },
        headers: { "idempotency-key": "one" },
      });
    const [mine, other] = [await post(token), await post(theirToken)];
    expect(other.headers.get("idempotent-replayed")).toBeNull();
    expect(other.body.templateId).not.toBe(mine.body.templateId);
  });

  it("in cursors belong to a tenant", async () => {
    for (const each of [token, theirToken])
      for (const name of ["a", "b"]) await aLibrary(each, { capabilities: [{ name: `page.${name}` }], area: "paging" });
    const page = (each: string, cursor?: string) =>
      request<{ nextCursor: string }>("POST /v1/libraries/search", {
        token: each,
        body: { area: "paging", limit: 1, ...(cursor === undefined ? {} : { cursor }) },
      });
    const { nextCursor } = (await page(theirToken)).body;
    expect((await page(theirToken, nextCursor)).status).toBe(200);
    expect(refusal(await page(token, nextCursor))).toBe("400 INVALID_CURSOR");
  });
});

describe("a repository of another tenant", () => {
  const refs = (path: string, as?: string) =>
    request(`GET /git/${path}/info/refs?service=git-upload-pack`, { token: as });

  it("is not found, like one that does not exist", async () => {
    const path = `${theirs.slug}/acme/orders.git`;
    expect((await refs(path, theirToken)).status).toBe(200);
    const [hidden, missing] = [await refs(path, token), await refs(`${theirs.slug}/acme/none.git`, token)];
    expect(hidden.status).toBe(404);
    expect(bytes(hidden, [])).toEqual(bytes(missing, []));
    expect(bytes(await refs(`${ours.slug}/acme/none.git`, token), [])).toEqual(bytes(missing, []));
  });

  it("cannot be cloned", async () => {
    const { publicUrl } = platform();
    const repository = `${publicUrl}/git/${theirs.slug}/acme/orders.git`;
    await expect(cloneOf(repository, token)).rejects.toThrow("not found");
    await (await cloneOf(repository, theirToken)).remove();
  });

  it("requests a password, as git expects", async () => {
    const answer = await refs(`${theirs.slug}/acme/orders.git`);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /);
    expect((await refs(`${theirs.slug}/acme/orders.git`, "garbage")).status).toBe(401);
  });

  it("requires a scope to read templates, and cannot be written", async () => {
    const path = `${theirs.slug}/acme/orders.git`;
    expect((await refs(path, await theirs.tokenWith("libraries.read"))).status).toBe(403);
    const push = await request(`GET /git/${path}/info/refs?service=git-receive-pack`, { token: theirToken });
    expect(push.status).toBe(403);
  });
});

describe("events", () => {
  interface Event {
    events: { type: string; tenantId: string; data: { name: string }; subject: { name: string; versions: unknown[] } };
  }
  const query = `subscription { events(types: ["TemplateRegistered"]) {
    type tenantId data subject { ... on Template { name allVersions { semanticVersion } } } } }`;

  it("reach only their own tenant, on the websocket and at webhooks, with the subject as a federated entity", async () => {
    const [mine, other] = [await aFeed<Event>({ token, query }), await aFeed<Event>({ token: theirToken, query })];
    const receiver = await aReceiver();
    await request("POST /webhooks/subscriptions", { token, body: webhook(receiver.url) });
    const register = (each: string, name: string) => request("POST /v1/templates", { token: each, body: { name } });
    await register(theirToken, "Theirs");
    await register(token, "Ours");
    await eventually("both events arrive", () => mine.events.length > 0 && other.events.length > 0);
    await eventually("the webhook arrives", () => receiver.received.length > 0);
    const facts = ({ events }: Event) => [events.tenantId, events.data.name, events.subject];
    expect(mine.events.map(facts)).toEqual([[ours.tenantId, "Ours", { name: "Ours", allVersions: [] }]]);
    expect(other.events.map(facts)).toEqual([[theirs.tenantId, "Theirs", { name: "Theirs", allVersions: [] }]]);
    expect(receiver.received.map(({ body }) => (JSON.parse(body) as { tenantid: string }).tenantid)).toEqual([
      ours.tenantId,
    ]);
    await Promise.all([mine.stop(), other.stop(), receiver.close()]);
  });
});

describe("a platform token", () => {
  it("cannot read the resources of a tenant", async () => {
    const admin = await platformToken();
    for (const line of [`GET /v1/templates/${foreign.templateId}`, `GET /v1/libraries/${foreign.libraryId}`])
      expect(refusal(await request(line, { token: admin }))).toBe("403 INSUFFICIENT_SCOPE");
    expect(
      refusal(await request("GET /v1/tenants", { token: admin, headers: { "x-tenant-id": theirs.tenantId } })),
    ).toBe("403 TENANT_MISMATCH");
    const { body } = await graphql(`{ template(templateId: "${foreign.templateId}") { name } }`, { token: admin });
    expect(body.errors?.[0]?.extensions.code).toBe("INSUFFICIENT_SCOPE");
  });
});
