import { encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { systemRoles } from "../../rights/roles/system-roles.js";
import { type Json, platformAdmin, principal, RunningSpine, until } from "../../running-spine.fixture.js";

let platform: RunningSpine;
beforeAll(async () => {
  platform = await RunningSpine.start();
});
afterAll(() => platform?.stop());

const register =
  "mutation ($input: RegisterTenantInput!) { registerTenant(input: $input) { tenantId name slug status editionCode createdAt subscriptionId } }";
const list = `query ($first: Int, $after: String, $filter: TenantFilterInput) {
  tenants(first: $first, after: $after, filter: $filter) {
    items { tenantId slug } nextCursor edges { cursor node { slug } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
const input = { name: "Acme", slug: "acme", editionCode: "Standard", ownerEmail: "owner@acme.example" };

describe("Mutation.registerTenant", () => {
  it("needs a token, the scope and a platform administrator", async () => {
    expect((await platform.ask(undefined, register, { input })).refusal).toMatchObject({ code: "UNAUTHENTICATED" });
    const reader = platformAdmin({ scopes: new Set(["tenant.read"]) });
    expect((await platform.ask(reader, register, { input })).refusal).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      requiredScopes: ["tenant.manage"],
    });
    const impostor = principal(newId("ten"), ["tenant.manage"]);
    expect((await platform.ask(impostor, register, { input })).refusal).toMatchObject({
      code: "PLATFORM_ADMIN_REQUIRED",
    });
  });

  it("creates a tenant in Provisioning and records an event of that tenant", async () => {
    const { data } = await platform.ask(platformAdmin(), register, { input });
    const tenant = data?.["registerTenant"];
    expect(tenant).toEqual({
      tenantId: expect.stringMatching(/^ten_/),
      name: "Acme",
      slug: "acme",
      status: "Provisioning",
      editionCode: "Standard",
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      subscriptionId: null,
    });
    const [event, ...more] = await platform.eventsOf(tenant.tenantId);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "TenantRegistered",
      subject: `tenants/${tenant.tenantId}`,
      source: "/spine",
      actorid: "cli_test",
      data: { tenantId: tenant.tenantId, slug: "acme", status: "Provisioning", editionCode: "Standard" },
    });
    expect(JSON.stringify(event)).not.toContain("owner@");
  });

  it.each([["acme"], ["platform"], ["admin"]])("refuses the slug %s as taken", async (slug) => {
    const { refusal } = await platform.ask(platformAdmin(), register, { input: { ...input, slug } });
    expect(refusal).toMatchObject({ code: "SLUG_TAKEN", status: 409 });
  });

  it.each([
    ["/input/slug", { slug: "ab" }],
    ["/input/slug", { slug: "Acme" }],
    ["/input/slug", { slug: "-acme" }],
    ["/input/slug", { slug: "a".repeat(64) }],
    ["/input/name", { name: " " }],
    ["/input/name", { name: "x".repeat(201) }],
    ["/input/ownerEmail", { ownerEmail: "nobody" }],
  ])("refuses a malformed %s: %j", async (pointer, change) => {
    const { refusal } = await platform.ask(platformAdmin(), register, {
      input: { ...input, slug: "other", ...change },
    });
    expect(refusal).toMatchObject({ code: "VALIDATION_FAILED", status: 400, errors: [{ pointer }] });
  });

  it("refuses an unknown edition", async () => {
    const { refusal } = await platform.ask(platformAdmin(), register, {
      input: { ...input, slug: "other", editionCode: "Gold" },
    });
    expect(refusal).toMatchObject({
      code: "REFERENCE_NOT_FOUND",
      status: 422,
      errors: [{ pointer: "/input/editionCode" }],
    });
  });

  it("answers a repeated Idempotency-Key with the first tenant", async () => {
    const again = { input: { ...input, slug: "once" } };
    const first = await platform.ask(platformAdmin(), register, again, "key-1");
    const second = await platform.ask(platformAdmin(), register, again, "key-1");
    expect(second.data).toEqual(first.data);
    expect(second.replayed).toBe(true);
    const other = await platform.ask(platformAdmin(), register, { input: { ...input, slug: "twice" } }, "key-1");
    expect(other.refusal).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  });
});

describe("Query.tenants", () => {
  it("is for platform administrators only", async () => {
    const impostor = principal(newId("ten"), ["tenant.read"]);
    expect((await platform.ask(impostor, list)).refusal).toMatchObject({ code: "PLATFORM_ADMIN_REQUIRED" });
  });

  it("pages through every tenant once, oldest first", async () => {
    for (const slug of ["page-a", "page-b", "page-c"]) await platform.registerTenant(slug, "Free");
    const slugs: string[] = [];
    let after: string | null = null;
    do {
      const { data } = await platform.ask(platformAdmin(), list, { first: 2, after });
      const page = data?.["tenants"];
      expect(page.edges.map(({ node }: Json) => node.slug)).toEqual(page.items.map(({ slug }: Json) => slug));
      expect(page.pageInfo).toEqual({
        hasNextPage: page.nextCursor !== null,
        hasPreviousPage: after !== null,
        startCursor: page.edges[0].cursor,
        endCursor: page.edges.at(-1).cursor,
      });
      slugs.push(...page.items.map(({ slug }: Json) => slug));
      after = page.nextCursor;
    } while (after !== null);
    expect(slugs[0]).toBe("platform");
    expect(slugs.slice(-3)).toEqual(["page-a", "page-b", "page-c"]);
    expect(new Set(slugs).size).toBe(slugs.length);
  });

  it("filters, and binds the cursor to the filters", async () => {
    const filter = { editionCode: "Free", status: "Provisioning" };
    const { data } = await platform.ask(platformAdmin(), list, { first: 1, filter });
    const { items, nextCursor } = data?.["tenants"] ?? {};
    expect(items).toEqual([expect.objectContaining({ slug: "page-a" })]);
    const next = await platform.ask(platformAdmin(), list, { filter, after: nextCursor });
    expect(next.data?.["tenants"].items.map(({ slug }: Json) => slug)).toEqual(["page-b", "page-c"]);
    const bySlug = await platform.ask(platformAdmin(), list, { filter: { slug: "page-c" } });
    expect(bySlug.data?.["tenants"].items).toHaveLength(1);
    for (const after of [nextCursor, "rubbish"]) {
      const { refusal } = await platform.ask(platformAdmin(), list, { after, filter: { editionCode: "Standard" } });
      expect(refusal).toMatchObject({ code: "INVALID_CURSOR", status: 400 });
    }
  });

  it.each([
    [{ first: 0 }, { code: "VALIDATION_FAILED", status: 400 }],
    [{ first: -1 }, { code: "VALIDATION_FAILED", status: 400 }],
  ])("refuses %j", async (variables, expectedRefusal) => {
    const { refusal } = await platform.ask(platformAdmin(), list, variables);
    expect(refusal).toMatchObject(expectedRefusal);
  });
});

describe("Mutation.provisionTenant", () => {
  it("returns the run that is under way, and refuses after its end", async () => {
    const { tenantId } = await platform.registerTenant("provisioned");
    const first = (await platform.provision(tenantId)).data?.["provisionTenant"];
    expect(first).toEqual({ tenantId, status: "Provisioning", runId: expect.stringMatching(/^run_/) });
    const second = await platform.provision(tenantId);
    // the job may be done already
    if (second.data) expect(second.data["provisionTenant"]).toEqual(first);
    await until(async () => (await platform.tenantStatus(tenantId)) === "Active");
    expect((await platform.provision(tenantId)).refusal).toMatchObject({
      code: "INVALID_STATE",
      status: 409,
      currentState: "Active",
      allowed: ["Provisioning", "ProvisioningFailed"],
    });
    const events = await platform.eventsOf(tenantId);
    expect(events.map(({ type }) => type)).toEqual([
      "TenantRegistered",
      "TenantProvisioningStarted",
      "SubscriptionCreated",
      ...systemRoles.map(() => "RoleCreated"),
      "UserInvited",
      "TenantProvisioned",
    ]);
    const [, startEvent, creationEvent] = events;
    const completionEvent = events.at(-1);
    const subscriptionId = creationEvent?.data["subscriptionId"];
    expect(creationEvent?.data).toEqual({ tenantId, subscriptionId, editionCode: "Standard", status: "Pending" });
    expect(completionEvent?.data).toMatchObject({ tenantId, runId: first.runId, status: "Active", subscriptionId });
    expect(new Set([startEvent, creationEvent, completionEvent].map((event) => event?.traceid)).size).toBe(1);
    const { data } = await platform.entity(platformAdmin(), tenantId);
    expect(data?.["_entities"]).toEqual([{ tenantId, slug: "provisioned", status: "Active", subscriptionId }]);
  });

  it("answers NOT_FOUND for an unknown or malformed tenant", async () => {
    for (const tenantId of [newId("ten"), "acme", encodeId("tpl", "00000000-0000-7000-8000-000000000001")])
      expect((await platform.provision(tenantId)).refusal).toMatchObject({ code: "NOT_FOUND", status: 404 });
  });

  it("is for platform administrators only", async () => {
    const impostor = principal(newId("ten"), ["tenant.manage"]);
    expect((await platform.provision(platformTenantId, impostor)).refusal).toMatchObject({
      code: "PLATFORM_ADMIN_REQUIRED",
    });
  });

  it("ends in ProvisioningFailed when a step keeps failing, and can be started again", async () => {
    const { tenantId } = await platform.registerTenant("unlucky");
    await platform.admin.query("revoke insert on plan_subscriptions from suites_spine_app");
    const { data } = await platform.provision(tenantId);
    const { runId } = data?.["provisionTenant"] ?? {};
    await until(async () => (await platform.tenantStatus(tenantId)) === "ProvisioningFailed");
    expect((await platform.eventsOf(tenantId)).at(-1)).toMatchObject({
      type: "TenantProvisioningFailed",
      data: { tenantId, runId, failedStep: "createPlanSubscription", status: "ProvisioningFailed" },
    });
    await platform.admin.query("grant insert on plan_subscriptions to suites_spine_app");
    const again = await platform.provision(tenantId);
    expect(again.data?.["provisionTenant"]).toMatchObject({
      status: "Provisioning",
      runId: expect.not.stringMatching(runId),
    });
    await until(async () => (await platform.tenantStatus(tenantId)) === "Active");
  });
});

describe("Tenant as a federated entity", () => {
  it("is visible to its own tenant and not to another one", async () => {
    const tenant = await platform.registerTenant("seen");
    const other = await platform.registerTenant("unseen");
    const self = principal(tenant["tenantId"], []);
    expect((await platform.entity(self, tenant["tenantId"])).data?.["_entities"]).toEqual([
      { tenantId: tenant["tenantId"], slug: "seen", status: "Provisioning", subscriptionId: null },
    ]);
    expect((await platform.entity(self, other["tenantId"])).data?.["_entities"]).toEqual([null]);
    expect((await platform.entity(self, "rubbish")).data?.["_entities"]).toEqual([null]);
    expect((await platform.entity(undefined, tenant["tenantId"])).refusal).toMatchObject({ code: "UNAUTHENTICATED" });
  });
});
