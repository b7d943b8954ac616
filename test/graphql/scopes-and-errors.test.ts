import { platform } from "../kit/platform.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateSource } from "../kit/templates.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

let tenant: TestTenant;

beforeAll(async () => {
  tenant = await aTenant();
});

const codesOf = ({ body }: Awaited<ReturnType<typeof graphql>>) =>
  body.errors?.map(({ extensions }) => extensions.code);

describe("provisioning", () => {
  it("is reachable on the internal listener only", async () => {
    const admin = await platformToken();
    const slug = `inner-${Date.now().toString(36)}`;
    const body = { name: "Inner", slug, editionCode: "Standard", ownerEmail: "owner@example.com" };
    const { tenantId } = (await request<{ tenantId: string }>("POST /v1/tenants", { token: admin, body })).body;
    const document = `mutation { provisionTenant(tenantId: "${tenantId}") { runId } }`;
    expect(codesOf(await graphql(document, { token: admin }))).toEqual(["NOT_FOUND"]);
    const path = `POST /tenants/${tenantId}/provision`;
    expect((await request(path, { token: admin })).status).toBe(404);
    expect((await request(path, { token: admin, base: platform().internalUrl })).status).toBe(202);
  });
});

describe("a token that may write templates only", () => {
  it("cannot read templates through the result of a mutation", async () => {
    const every = await tenant.tokenWith();
    const template = await request<{ templateId: string }>("POST /v1/templates", {
      token: every,
      body: { name: "Read me" },
    });
    const { body } = await graphql<{ createTemplateVersion: unknown }>(
      `mutation ($templateId: ID!, $input: CreateTemplateVersionInput!) {
        createTemplateVersion(templateId: $templateId, input: $input) { semanticVersion template { name } } }`,
      {
        token: await tenant.tokenWith("templates.write"),
        variables: {
          templateId: template.body.templateId,
          input: {
            semanticVersion: "1.0.0",
            sourceRef: await aTemplateSource(),
            engineKind: "DotnetNewTemplatePack",
            targetFramework: "net8.0",
          },
        },
      },
    );
    expect(body.errors?.[0]).toMatchObject({
      path: ["createTemplateVersion", "template"],
      extensions: { code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] },
    });
  });
});

describe("a refused root field", () => {
  it("leaves the other fields their values, also where subgraphs answer them", async () => {
    const token = await tenant.tokenWith("templates.read", "config.manage");
    const { body } = await graphql(
      `{ me { subject } template(templateId: "tpl_01890000000000000000000000") { name }
         templates { items { name } } provider(providerId: "prv_01890000000000000000000000") { key } }`,
      { token },
    );
    expect(body.data).toMatchObject({
      me: { subject: expect.any(String) },
      template: null,
      templates: { items: expect.any(Array) },
      provider: null,
    });
    expect(body.errors?.map(({ path, extensions }) => [path, extensions.code]).sort()).toEqual([
      [["provider"], "INSUFFICIENT_SCOPE"],
      [["template"], "TEMPLATE_NOT_FOUND"],
    ]);
  });

  it("does not stop the mutations after it", async () => {
    const token = await tenant.tokenWith("templates.write", "config.manage", "config.read");
    const { body } = await graphql(
      `mutation {
        first: registerTemplate(input: { name: "First of three" }) { name }
        second: registerTemplate(input: { name: "" }) { name }
        setFeatureFlag(key: "third", input: { enabled: true }) { key }
        fourth: registerTemplate(input: { name: "Last of three" }) { name }
      }`,
      { token },
    );
    expect(body.data).toEqual({
      first: { name: "First of three" },
      second: null,
      setFeatureFlag: { key: "third" },
      fourth: { name: "Last of three" },
    });
    expect(body.errors?.map(({ path }) => path)).toEqual([["second"]]);
  });
});

describe("text that PostgreSQL cannot store", () => {
  const search = (input: unknown) => encodeURIComponent(JSON.stringify({ input }));
  const query = encodeURIComponent(
    "query ($input: SearchLibrariesInput!) { searchLibraries(input: $input) { total } }",
  );

  it("is refused in a document and in the variables of a GET request, as in a body", async () => {
    const token = await tenant.tokenWith();
    const document = String.raw`mutation { registerTemplate(input: { name: "a\u0000b" }) { templateId } }`;
    const { body } = await graphql(document, { token });
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: "VALIDATION_FAILED",
      errors: [{ pointer: "/input/name", code: "FORMAT" }],
    });
    for (const capability of ["a\0", "a\ud800"]) {
      const variables = search({ capability });
      const { text } = await request(`GET /graphql?query=${query}&variables=${variables}`, { token });
      expect(text).toContain("VALIDATION_FAILED");
    }
  });
});

describe("an operation that the document does not contain", () => {
  it("is refused over HTTP without a message about our code", async () => {
    const token = await tenant.tokenWith();
    const body = { query: "query A { __typename }", operationName: "B" };
    const headers = { accept: "application/graphql-response+json" };
    const { status, text } = await request("POST /graphql", { token, body, headers });
    expect([status, text.includes("VALIDATION_FAILED"), text.includes("undefined")]).toEqual([400, true, false]);
  });
});
