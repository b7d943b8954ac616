import { anAgent, aService, exchange } from "../kit/agents.js";
import { executed } from "../kit/executions.js";
import { aPackageName } from "../kit/libraries.js";
import { aSmallPack } from "../kit/packs.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

/** A value that no answer may show. */
const secret = "hunter2-is-secret";

const parameterSchema = {
  type: "object",
  properties: {
    name: { type: "string" },
    token: { type: "string", writeOnly: true },
    database: { type: "object", properties: { host: { type: "string" }, password: { format: "password" } } },
    keys: { type: "array", items: { type: "string", writeOnly: true } },
  },
  additionalProperties: true,
};
const parameters = {
  ...{ name: "Orders", token: secret },
  database: { host: "db.example", password: secret },
  keys: [secret],
};
const shownMembers = {
  parameters: { name: "Orders", database: { host: "db.example" }, keys: [null] },
  withheldParameters: ["/token", "/database/password", "/keys/0"],
};

let tenant: TestTenant;
let token: string;
let version: TestVersion;
let executionId: string;
const libraries = [{ packageName: aPackageName(), version: "1.0.0" }];
const repository = `acme/r${Math.random().toString(36).slice(2)}`;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
  version = await aTemplateVersion(token, await aTemplateSource(aSmallPack()), { parameterSchema });
  const target = { repository, branch: "feature" };
  ({ executionId } = await executed(token, version, { target, parameters, libraries }));
});

const poll = (as: string, id = executionId) =>
  request(`GET /v1/templates/${version.templateId}/executions/${id}`, { token: as });

const listed = (filter: object, as = token) =>
  graphql<{ executions: { items: { executionId: string; parameters: unknown }[] } }>(
    `query ($filter: ExecutionFilterInput) { executions(filter: $filter) { items {
      executionId parameters withheldParameters libraries { packageName version } } } }`,
    { token: as, variables: { filter } },
  );

describe("the parameters and libraries of an execution", () => {
  it("are shown to a caller with templates.read, without the values that are write-only", async () => {
    const answer = await poll(await tenant.tokenWith("templates.read"));
    expect(answer.body).toMatchObject({ ...shownMembers, libraries });
    expect(answer.text).not.toContain(secret);
    const { body, text } = await listed({});
    expect(body.data.executions.items).toEqual([{ executionId, ...shownMembers, libraries }]);
    expect(text).not.toContain(secret);
  });

  it("are shown to the principal that asked, also without templates.read", async () => {
    expect((await poll(await tenant.tokenWith("templates.execute"))).body).toMatchObject({
      ...shownMembers,
      libraries,
    });
  });

  it("are null for another principal without templates.read, whose poll is answered", async () => {
    const other = await aService(tenant.tenantId, ["templates.execute"]);
    const { status, body } = await poll(other.token);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ executionId, parameters: null, withheldParameters: null, libraries: null }),
    ]);
    expect((await listed({}, other.token)).body.data.executions.items[0]?.parameters).toBeNull();
  });

  it("are null for an agent that acts for the principal in another task", async () => {
    const subject = await tenant.tokenWith("templates.execute");
    const agent = await anAgent(tenant.tenantId, ["templates.execute"]);
    const { body } = await exchange(agent, subject, { agent_task_id: "another-task" });
    expect((await poll(String(body["access_token"]))).body).toMatchObject({ executionId, parameters: null });
  });

  it("are those of the revision that was executed, whose marks hold when the Draft is replaced", async () => {
    const replaced = await graphql(
      `mutation ($id: ID!, $etag: String, $input: CreateTemplateVersionInput!) {
        replaceTemplateVersion(templateVersionId: $id, ifMatch: $etag, input: $input) { templateVersionId revision } }`,
      {
        token,
        variables: {
          id: version.templateVersionId,
          etag: "*",
          input: {
            semanticVersion: "1.0.0",
            sourceRef: await aTemplateSource(aSmallPack()),
            engineKind: "DotnetNewTemplatePack",
            targetFramework: "net8.0",
          },
        },
      },
    );
    expect(replaced.body.errors).toBeUndefined();
    expect((await poll(token)).body).toMatchObject(shownMembers);
  });

  it("show no secret in the answer of a mutation, also of one that is repeated", async () => {
    const execute = () =>
      request(`POST /v1/templates/${version.templateId}/execute`, {
        token,
        body: { templateVersionId: version.templateVersionId, target: { repository }, parameters },
        headers: { "idempotency-key": repository },
      });
    const answers = [await execute(), await execute()];
    for (const { text } of answers) expect(text).not.toContain(secret);
  });
});

describe("executions", () => {
  it("are filtered by repository and branch", async () => {
    const ids = async (filter: object) =>
      (await listed(filter)).body.data.executions.items.map((item) => item.executionId);
    expect(await ids({ repository, branch: "feature" })).toEqual([executionId]);
    expect(await ids({ repository: "acme/other" })).toEqual([]);
    expect(await ids({ repository, branch: "other" })).toEqual([]);
  });
});
