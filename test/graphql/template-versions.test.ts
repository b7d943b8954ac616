import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aFeed } from "../kit/feed.js";
import { aSmallPack } from "../kit/packs.js";
import { graphql, type Json, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

let tenant: TestTenant;
let token: string;
let stranger: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
  stranger = await (await aTenant()).tokenWith();
});

const ask = async (query: string, variables: Record<string, unknown>, as = token) =>
  (await graphql<Json>(query, { token: as, variables })).body;
const refusalOf = ({ errors }: Awaited<ReturnType<typeof ask>>) => errors?.[0]?.extensions;

const publishDocument = `mutation ($id: ID!) {
  publishTemplateVersion(templateVersionId: $id) { status publishedAt contentDigest deprecation { reason } } }`;
const deprecateDocument = `mutation ($id: ID!, $input: DeprecateTemplateVersionInput!) {
  deprecateTemplateVersion(templateVersionId: $id, input: $input) {
    status deprecation { reason message replacementTemplateVersionId deprecatedAt } } }`;
const publish = (id: string, as = token) => ask(publishDocument, { id }, as);
const deprecate = (id: string, input: object, as = token) => ask(deprecateDocument, { id, input }, as);
const validate = ({ templateId, templateVersionId }: TestVersion, checks?: string[]) =>
  request(`POST /v1/templates/${templateId}/validate`, { token, body: { templateVersionId, checks } });

const aVersion = async () => aTemplateVersion(token, await aTemplateSource(aSmallPack()));

async function published(): Promise<TestVersion> {
  const version = await aVersion();
  await validate(version);
  expect((await publish(version.templateVersionId)).errors).toBeUndefined();
  return version;
}

describe("publishTemplateVersion", () => {
  it("requires every check on the current content, and names the missing checks", async () => {
    const version = await aVersion();
    const all = ["StructuralLint", "ParameterSchema", "SampleGeneration"];
    expect(refusalOf(await publish(version.templateVersionId))).toMatchObject({
      code: "TEMPLATE_VERSION_NOT_VALIDATED",
      status: 409,
      missingChecks: all,
    });
    await validate(version, ["StructuralLint"]);
    await validate(version, ["SampleGeneration"]);
    expect(refusalOf(await publish(version.templateVersionId))).toMatchObject({ missingChecks: ["ParameterSchema"] });
    await validate(version, ["ParameterSchema"]);
    const { data } = await publish(version.templateVersionId);
    expect(data["publishTemplateVersion"]).toEqual({
      status: "Published",
      publishedAt: expect.stringMatching(/Z$/),
      contentDigest: expect.stringMatching(/^sha256:/),
      deprecation: null,
    });
    const { body } = await request(`GET /v1/templates/${version.templateId}`, { token });
    expect(body["versions"]).toMatchObject([{ status: "Published" }]);
    expect(refusalOf(await publish(version.templateVersionId))).toMatchObject({
      code: "INVALID_STATE",
      currentState: "Published",
      allowed: ["Draft"],
    });
  });

  it("uses only the newest result of a check", async () => {
    const brokenPack = aSmallPack({ config: { identity: undefined } });
    const version = await aTemplateVersion(token, await aTemplateSource(brokenPack));
    await validate(version);
    expect(refusalOf(await publish(version.templateVersionId))).toMatchObject({
      code: "TEMPLATE_VERSION_NOT_VALIDATED",
    });
  });
});

describe("deprecateTemplateVersion", () => {
  it("stores the reason and the replacement, and executions still run with a warning", async () => {
    const [old, replacement] = [await published(), await published()];
    const input = {
      reason: "Legacy",
      message: "Use the new one.",
      replacementTemplateVersionId: replacement.templateVersionId,
    };
    const { data } = await deprecate(old.templateVersionId, input);
    expect(data["deprecateTemplateVersion"]).toEqual({
      status: "Deprecated",
      deprecation: { ...input, deprecatedAt: expect.stringMatching(/Z$/) },
    });
    const execution = await executed(token, old, { target: { repository: "acme/deprecated" } });
    expect(execution).toMatchObject({ status: "Completed", warnings: [{ code: "TemplateVersionDeprecated" }] });
    expect(refusalOf(await deprecate(old.templateVersionId, input))).toMatchObject({ code: "INVALID_STATE" });
  });

  it("refuses drafts, unknown reasons and replacements that do not exist", async () => {
    const draft = await aVersion();
    expect(refusalOf(await deprecate(draft.templateVersionId, { reason: "Other" }))?.code).toBe("INVALID_STATE");
    const version = await published();
    const { templateVersionId } = version;
    const unknown = await deprecate(templateVersionId, { reason: "Old" });
    expect(refusalOf(unknown)?.code).toBe("VALIDATION_FAILED");
    expect(unknown.errors?.[0]?.message).toBe(
      'Variable "$input" got invalid value at "input.reason"; The value does not exist in "DeprecationReason" enum. Must be one of CriticalBugs, Legacy, Other.',
    );
    for (const replacementTemplateVersionId of [templateVersionId, "tpv_none"])
      expect(
        refusalOf(await deprecate(templateVersionId, { reason: "Other", replacementTemplateVersionId }))?.code,
      ).toBe("REFERENCE_NOT_FOUND");
  });

  it("emits an event, as publishing does", async () => {
    const feed = await aFeed<{ events: { type: string; data: Record<string, unknown> } }>({
      token,
      query: 'subscription { events(types: ["TemplateVersionPublished", "TemplateVersionDeprecated"]) { type data } }',
    });
    const { templateId, templateVersionId } = await published();
    await deprecate(templateVersionId, { reason: "CriticalBugs" });
    // events from earlier tests may still arrive
    const versionEvents = () =>
      feed.events.flatMap(({ events }) => (events.data["templateVersionId"] === templateVersionId ? [events] : []));
    await eventually("both arrive", () => versionEvents().length === 2);
    expect(versionEvents()).toMatchObject([
      { type: "TemplateVersionPublished", data: { templateId, templateVersionId, semanticVersion: "1.0.0" } },
      { type: "TemplateVersionDeprecated", data: { templateVersionId, reason: "CriticalBugs", message: null } },
    ]);
    await feed.stop();
  });
});

describe("lists for the studio", () => {
  const nodes = "{ items { ID } pageInfo { hasNextPage } nextCursor }";
  const page = async (field: string, id: string, variables: Record<string, unknown> = {}, as = token) => {
    const query = `query ($first: Int, $after: String) { list: ${field} ${nodes.replace("ID", id)} }`;
    const { data } = await ask(query, variables, as);
    return {
      ids: (data["list"]["items"] as unknown as Record<string, string>[]).map((item) => item[id]),
      next: data["list"]["nextCursor"] as string | null,
    };
  };

  it("show the templates of a tenant in pages by name, with filters", async () => {
    const ownToken = await (await aTenant()).tokenWith();
    const make = async (name: string, category: string) =>
      (await request<{ templateId: string }>("POST /v1/templates", { token: ownToken, body: { name, category } })).body
        .templateId;
    const [b, a, c] = [await make("beta", "Service"), await make("Alpha", "Service"), await make("gamma", "Worker")];
    const field = "templates(first: $first, after: $after)";
    const first = await page(field, "templateId", { first: 2 }, ownToken);
    expect(first.ids).toEqual([a, b]);
    const second = await page(field, "templateId", { first: 2, after: first.next }, ownToken);
    expect(second).toEqual({ ids: [c], next: null });
    const workers = await page(
      'templates(first: $first, after: $after, filter: { category: "WORKER" })',
      "templateId",
      {},
      ownToken,
    );
    expect(workers.ids).toEqual([c]);
    const prefixPage = await page(
      'templates(first: $first, after: $after, filter: { namePrefix: "AL%" })',
      "templateId",
      {},
      ownToken,
    );
    expect(prefixPage.ids).toEqual([]);
    const foreign = await ask(`query ($after: String) { templates(first: 2, after: $after) { nextCursor } }`, {
      after: first.next,
    });
    expect(refusalOf(foreign)?.code).toBe("INVALID_CURSOR");
  });

  it("show executions and validation results in pages, the newest first", async () => {
    const version = await published();
    await validate(version, ["StructuralLint"]);
    const run = async () => (await executed(token, version, { target: { repository: "acme/listed" } })).executionId;
    const ids = [await run(), await run(), await run()].reverse();
    const field = `executions(first: $first, after: $after, filter: { templateId: "${version.templateId}", status: Completed })`;
    const first = await page(field, "executionId", { first: 2 });
    expect(first.ids).toEqual(ids.slice(0, 2));
    expect((await page(field, "executionId", { first: 2, after: first.next })).ids).toEqual(ids.slice(2));
    expect((await page(field, "executionId", {}, stranger)).ids).toEqual([]);
    const results = `validationResults(first: $first, after: $after, templateVersionId: "${version.templateVersionId}")`;
    expect((await page(results, "validationResultId")).ids).toHaveLength(2);
    expect((await page(results, "validationResultId", {}, stranger)).ids).toEqual([]);
    const wrong = await ask("{ executions(filter: { status: Done }) { nextCursor } }", {});
    expect(refusalOf(wrong)?.code).toBe("VALIDATION_FAILED");
    expect(wrong.errors?.[0]?.message).toContain("Must be one of Cancelled, Completed, Failed, Requested, Running.");
  });
});

describe("compatibilityMatrix", () => {
  const document = `query ($id: ID!) { compatibilityMatrix(matrixId: $id) {
    matrixId compatible runtime libraries { packageName version } snapshotDigest violations { rule } } }`;

  it("returns a stored evaluation as it was answered, with its input, only to its own tenant", async () => {
    const body = { runtime: "net8.0", libraries: [{ packageName: "Polly", version: "8.4.2" }] };
    const evaluate = async () =>
      (await request<{ matrixId: string }>("POST /v1/libraries/compatibility/evaluate", { token, body })).body.matrixId;
    const id = await evaluate();
    const { data } = await ask(document, { id });
    expect(data["compatibilityMatrix"]).toEqual({
      matrixId: id,
      compatible: true,
      ...body,
      snapshotDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      violations: [],
    });
    const again = await ask(document, { id: await evaluate() });
    expect(again.data["compatibilityMatrix"]["snapshotDigest"]).toBe(data["compatibilityMatrix"]["snapshotDigest"]);
    for (const answer of [await ask(document, { id }, stranger), await ask(document, { id: "mtx_none" })])
      expect(refusalOf(answer)?.code).toBe("NOT_FOUND");
  });
});

describe("TemplatePinsDifferentVersion and RuntimeConstraintNotMet", () => {
  it("come from the content of the version", async () => {
    const pack = aSmallPack({
      config: { constraints: { sdk: { type: "sdk-version", args: "6.0.100" } } },
      files: {
        "Company.App1/Company.App1.csproj": `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>
  <ItemGroup><PackageReference Include="Pinned" Version="1.0.0" /></ItemGroup>
</Project>
`,
      },
    });
    const version = await aTemplateVersion(token, await aTemplateSource(pack));
    await validate(version);
    await request("POST /v1/libraries", {
      token,
      body: { packageName: "Pinned", versions: [{ semanticVersion: "1.0.0" }, { semanticVersion: "2.0.0" }] },
    });
    const { body } = await request<{ violations: { rule: string; suggestedResolution: string }[] }>(
      `POST /v1/templates/${version.templateId}/compatibility/evaluate`,
      {
        token,
        body: {
          templateVersionId: version.templateVersionId,
          runtime: "net8.0",
          libraries: [{ packageName: "Pinned", version: "2.0.0" }],
        },
      },
    );
    expect(body.violations.map(({ rule }) => rule)).toEqual([
      "TemplatePinsDifferentVersion",
      "RuntimeConstraintNotMet",
    ]);
    for (const { suggestedResolution } of body.violations) expect(suggestedResolution).not.toBe("");
  });
});
