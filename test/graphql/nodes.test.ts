import { accessToken, createTenantClient } from "@factory/platform/client/platform-api";
import { isInterfaceType } from "graphql";
import { eventually } from "../kit/eventually.js";
import { platform } from "../kit/platform.js";
import { graphql, type Json, request } from "../kit/request.js";
import { committedGraph } from "../kit/routes.js";
import { type ObjectKind, type TenantObjects, tenantObjects, unknownIds } from "../kit/tenant-objects.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

/** Each kind's type, with a field that only its owning subgraph can answer. */
const kinds = {
  templateId: ["Template", "name"],
  templateVersionId: ["TemplateVersion", "semanticVersion"],
  executionId: ["Execution", "requestedAt"],
  libraryId: ["Library", "packageName"],
  libraryVersionId: ["LibraryVersion", "createdAt"],
  matrixId: ["CompatibilityMatrix", "compatible"],
  dependencyScanId: ["DependencyScan", "complete"],
  providerId: ["Provider", "displayName"],
  connectionId: ["Connection", "displayName"],
  credentialId: ["Credential", "credentialRef"],
  runId: ["Run", "operation"],
  deliveryId: ["WebhookDelivery", "receivedAt"],
  subscriptionId: ["WebhookSubscription", "eventType"],
  messageId: ["WebhookMessage", "finishedAt"],
  clientId: ["ApiClient", "status"],
  roleId: ["Role", "code"],
  assignmentId: ["RoleAssignment", "assignedAt"],
  approvalId: ["Approval", "requestedAt"],
  userId: ["User", "email"],
  invitationId: ["Invitation", "email"],
  notificationId: ["Notification", "body"],
  planSubscriptionId: ["PlanSubscription", "status"],
  reportRunId: ["ReportRun", "requestedAt"],
  reportDefinitionId: ["ReportDefinition", "name"],
} as const satisfies Partial<Record<ObjectKind, readonly [type: string, field: string]>>;

/** Types whose objects no caller names: a list of them, by its arguments. */
const logs = {
  ValidationResult: ({ templateVersionId }: TenantObjects) =>
    `validationResults(templateVersionId: "${templateVersionId}") { items { __typename id validatedAt } }`,
  WebhookAttempt: ({ messageId }: TenantObjects) =>
    `webhookMessageAttempts(messageId: "${messageId}") { items { __typename id startedAt } }`,
  AuditRecord: () => "auditRecords(first: 1) { items { __typename id time } }",
} as const;

const names = Object.keys(kinds) as (keyof typeof kinds)[];
const fragments = Object.values(kinds).map(([type, field], at) => `... on ${type} { f${at}: ${field} }`);

/** Ids have no scope of their own: the caller reads what its scopes allow. */
const document = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ${fragments.join(" ")} } }`;

interface Answer {
  readonly nodes: readonly (Record<string, unknown> | null)[];
}

let tenant: TestTenant;
let objects: TenantObjects;

beforeAll(async () => {
  tenant = await aTenant();
  objects = await tenantObjects(tenant);
});

const idsOf = (ids: TenantObjects | typeof unknownIds) => names.map((name) => ids[name]);

async function nodes(ids: readonly string[], token: string) {
  const { body } = await graphql<Answer>(document, { token, variables: { ids } });
  return body;
}

describe("Query.nodes", () => {
  it("finds an object of each type with an id, with fields of its subgraph, in the order of the ids", async () => {
    const { data, errors } = await nodes(idsOf(objects), await tenant.tokenWith());
    expect(errors).toBeUndefined();
    expect(data.nodes).toEqual(
      names.map((name, at) => ({ __typename: kinds[name][0], id: objects[name], [`f${at}`]: expect.anything() })),
    );
  });

  it("is the same null for an unknown id, another tenant's object, one without its scope and a malformed id", async () => {
    const nothing = { data: { nodes: names.map(() => null) } };
    expect(await nodes(idsOf(unknownIds), await tenant.tokenWith())).toEqual(nothing);
    expect(await nodes(idsOf(objects), await (await aTenant()).tokenWith())).toEqual(nothing);
    expect(await nodes(idsOf(objects), await tenant.tokenWith("flag.evaluate"))).toEqual(nothing);
    const malformedIds = ["_", "tpl_", "tpl_1", "xyz_01890000000000000000000000", "run_!"];
    expect((await nodes(malformedIds, await tenant.tokenWith())).data.nodes).toEqual(malformedIds.map(() => null));
  });

  it("takes at most 100 ids, and no caller without a token", async () => {
    const tooMany = await nodes(
      Array.from({ length: 101 }, () => objects.templateId),
      await tenant.tokenWith(),
    );
    expect([tooMany.data, tooMany.errors?.[0]?.extensions.code]).toEqual([{ nodes: null }, "VALIDATION_FAILED"]);
    const { status } = await graphql(document, { variables: { ids: [objects.templateId] } });
    expect(status).toBe(401);
  });

  it("covers every type of the interface", () => {
    const graph = committedGraph();
    const node = graph.getType("Node");
    const types = isInterfaceType(node) ? graph.getPossibleTypes(node).map(({ name }) => name) : [];
    // a tenant's token reads no tenant, and an API client has no id in a kind that callers name
    const others = ["FeatureFlag", "ConfigEntry", "NotificationTemplate", "Edition", "ProvisioningRun"];
    const testedTypes = [...Object.values(kinds).map(([type]) => type), ...others, ...Object.keys(logs)];
    expect(types.sort()).toEqual([...testedTypes, "VendorApiClient", "Tenant"].sort());
  });
});

describe("Query.node", () => {
  it("finds the same object again by its id", async () => {
    const token = await tenant.tokenWith();
    const { body } = await graphql<Record<string, Record<string, unknown>>>(
      `query ($id: ID!) { template(templateId: $id) { id name } node(id: $id) { id ... on Template { name } } }`,
      { token, variables: { id: objects.templateId } },
    );
    expect(body.data["node"]).toEqual(body.data["template"]);
    expect(body.data["node"]?.["id"]).toBe(objects.templateId);
  });
});

describe("an object that is shown in a list alone", () => {
  it.each(Object.entries(logs))("is found by its id: %s", async (type, list) => {
    const token = await tenant.tokenWith();
    type Items = Record<string, { items: Record<string, string>[] }>;
    const listed = (await graphql<Items>(`{ list: ${list(objects)} }`, { token })).body.data["list"]?.items[0] ?? {};
    const [field = ""] = Object.keys(listed).filter((name) => name !== "id" && name !== "__typename");
    const query = `query ($id: ID!) { node(id: $id) { __typename id ... on ${type} { ${field} } } }`;
    const read = async (by: string) => (await graphql(query, { token: by, variables: { id: listed["id"] } })).body;
    expect(await read(token)).toEqual({ data: { node: listed } });
    for (const stranger of [await (await aTenant()).tokenWith(), await tenant.tokenWith("flag.evaluate")])
      expect(await read(stranger)).toEqual({ data: { node: null } });
  });
});

describe("a run that sets up a tenant", () => {
  it("is found by platform administrators and by its tenant", async () => {
    const admin = await platformToken();
    const slug = `nodes-${Math.random().toString(36).slice(2)}`;
    const body = { name: "Acme", slug, editionCode: "Free", ownerEmail: `owner@${slug}.example` };
    const { tenantId } = (await request<{ tenantId: string }>("POST /v1/tenants", { token: admin, body })).body;
    const path = `POST /v1/tenants/${tenantId}/provision`;
    const { runId } = (await request<{ runId: string }>(path, { token: admin, base: platform().internalUrl })).body;
    const query = `query ($id: ID!) { node(id: $id) {
      __typename id ... on ProvisioningRun { runId status tenant { slug } } } }`;
    const read = async (token: string) =>
      (await graphql<{ node: Record<string, unknown> | null }>(query, { token, variables: { id: runId } })).body.data
        .node;
    const run = { __typename: "ProvisioningRun", id: runId, runId, tenant: { slug } };
    await eventually("the run has ended", async () => (await read(admin))?.["status"] === "Active");
    expect(await read(admin)).toEqual({ ...run, status: "Active" });
    const client = await createTenantClient(platform(), admin, tenantId, { name: "own", scopes: ["flag.evaluate"] });
    expect(await read(await accessToken(platform(), client))).toEqual({ ...run, status: "Active" });
    expect(await read(await tenant.tokenWith())).toBeNull();
    expect(await read(await platformToken("tenant.manage"))).toBeNull();
  });
});

describe("an object that is known by a key", () => {
  const query = `query ($key: ID!) {
    featureFlag(key: $key) { id } configEntry(key: $key) { id }
    notificationTemplate(key: $key) { id } edition(code: "Standard") { id } }`;

  it("has an opaque id, by which its tenant finds it again", async () => {
    const token = await tenant.tokenWith();
    const { body } = await graphql<Record<string, { id: string }>>(query, { token, variables: { key: objects.key } });
    const ids = Object.values(body.data).map(({ id }) => id);
    expect(ids.map((id) => id.slice(0, 4))).toEqual(["flg_", "cfg_", "ntt_", "edn_"]);
    const again = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on FeatureFlag { key }
      ... on ConfigEntry { entryKey: key } ... on NotificationTemplate { key } ... on Edition { code } } }`;
    const read = async (by: string) => (await graphql<Answer>(again, { token: by, variables: { ids } })).body;
    expect((await read(token)).data.nodes).toEqual([
      { __typename: "FeatureFlag", id: ids[0], key: objects.key },
      { __typename: "ConfigEntry", id: ids[1], entryKey: objects.key },
      { __typename: "NotificationTemplate", id: ids[2], key: objects.key },
      { __typename: "Edition", id: ids[3], code: "Standard" },
    ]);
    const others = await read(await (await aTenant()).tokenWith());
    expect(others).toEqual({ data: { nodes: [null, null, null, expect.objectContaining({ id: ids[3] })] } });
    expect(await read(await tenant.tokenWith("flag.evaluate"))).toEqual({ data: { nodes: ids.map(() => null) } });
  });

  it("is held by the answer to its change under its own type", async () => {
    const token = await tenant.tokenWith();
    const document = `mutation ($key: ID!) {
      setFeatureFlag(key: $key, input: { enabled: false }, ifMatch: "*") { flag { __typename id enabled } }
      setConfigEntry(key: $key, input: { value: "held" }, ifMatch: "*") { entry { __typename id value } } }`;
    const { body } = await graphql<Json>(document, { token, variables: { key: objects.key } });
    expect(body).toEqual({
      data: {
        setFeatureFlag: { flag: { __typename: "FeatureFlag", id: expect.stringMatching(/^flg_/), enabled: false } },
        setConfigEntry: { entry: { __typename: "ConfigEntry", id: expect.stringMatching(/^cfg_/), value: "held" } },
      },
    });
  });
});
