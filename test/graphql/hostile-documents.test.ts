import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { graphql } from "../kit/request.js";
import { aTemplateVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

let token: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
});

const nestedList = (levels: number, inside = "") => `${"[".repeat(levels)}${inside}${"]".repeat(levels)}`;
const preview = (ids: { templateId: string; templateVersionId: string }, parameters: string) =>
  `{ previewExecution(templateId: "${ids.templateId}", input: {templateVersionId: "${ids.templateVersionId}", target: {repository: "a/b"}, parameters: ${parameters}}) { truncated error { code } } }`;
const nowhere = { templateId: "x", templateVersionId: "y" };

/** A schema with so many levels, counted as the catalog counts them: the schema itself is the first level. */
function parameterSchema(levels: number, properties: number): Record<string, unknown> {
  let deepest: Record<string, unknown> = {};
  for (let level = levels - 2; level > 2; level -= 2) deepest = { properties: { inner: deepest } };
  const propertyEntries = Array.from({ length: properties - levels / 2 }, (_, at) => [
    `P${at}`,
    { type: "string", title: "A title", description: "What it is for.", default: "x" },
  ]);
  return { type: "object", properties: { ...Object.fromEntries(propertyEntries), deepest } };
}

async function overSocket(query: string, variables: Record<string, unknown> = {}): Promise<unknown> {
  const feed = await aFeed({ query, variables, token });
  await eventually("it is answered", () => feed.errors.length + feed.events.length > 0);
  await feed.stop();
  return (feed.errors[0] as { extensions?: { code?: string } } | undefined)?.extensions?.code ?? feed.events[0];
}

describe("a document whose work doubles with each level", () => {
  it.each([
    ["lists in a literal", preview(nowhere, `{a: ${nestedList(60)}}`)],
    ["objects in a literal", preview(nowhere, `${"{a: ".repeat(60)}1${"}".repeat(60)}`)],
    ["a default", `query ($p: JSONObject = {a: ${nestedList(60)}}) ${preview(nowhere, "$p")}`],
    ["an argument of a directive", `{ __typename @include(if: ${nestedList(60)}) }`],
  ])("is refused at once, over HTTP and websocket: %s", async (_, document) => {
    const { status, body } = await graphql(document, { token });
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([400, "TOO_COMPLEX"]);
    expect(await overSocket(document)).toBe("TOO_COMPLEX");
  });

  it("is answered within the limits, like the same value in a variable", async () => {
    const ids = await aTemplateVersion(token, "stored://unresolved");
    const literal = await graphql(preview(ids, `{a: ${nestedList(28)}}`), { token });
    const { body } = await graphql(
      "query ($t: ID!, $i: RequestExecutionInput!) { previewExecution(templateId: $t, input: $i) { truncated error { code } } }",
      {
        token,
        variables: {
          t: ids.templateId,
          i: {
            templateVersionId: ids.templateVersionId,
            target: { repository: "a/b" },
            parameters: { a: JSON.parse(nestedList(28)) as unknown },
          },
        },
      },
    );
    const outcome = (answer: typeof body) => [answer.data, answer.errors?.map(({ extensions }) => extensions.code)];
    expect(outcome(literal.body)).toEqual(outcome(body));
  });

  it("gets the same error from its subgraph as the same value in a variable", async () => {
    const errorCodes = async (document: string, variables = {}) => {
      const { body } = await graphql(document, { token, variables });
      return body.errors?.map(({ extensions }) => extensions.code);
    };
    expect(await errorCodes(preview(nowhere, "[1]"))).toEqual(["VALIDATION_FAILED"]);
    expect(await errorCodes(`query ($p: JSONObject) ${preview(nowhere, "$p")}`, { p: [1] })).toEqual([
      "VALIDATION_FAILED",
    ]);
  });

  it("is refused because of its variables", async () => {
    const document = "query ($types: [String!]) { __typename }";
    const variables = { types: JSON.parse(nestedList(60)) as unknown };
    const { status, body } = await graphql(document, { token, variables });
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([400, "TOO_COMPLEX"]);
    expect(await overSocket(document, variables)).toBe("TOO_COMPLEX");
  });
});

describe("variables within their limits", () => {
  it("may contain a parameterSchema with 32 levels and 500 properties", async () => {
    const { templateId } = await aTemplateVersion(token, "stored://unresolved");
    const schema = parameterSchema(32, 500);
    const { body } = await graphql<{ createTemplateVersion: { parameterSchema: unknown } }>(
      `mutation ($templateId: ID!, $input: CreateTemplateVersionInput!) {
        createTemplateVersion(templateId: $templateId, input: $input) { parameterSchema } }`,
      {
        token,
        variables: {
          templateId,
          input: {
            semanticVersion: "2.0.0",
            sourceRef: "stored://unresolved",
            engineKind: "DotnetNewTemplatePack",
            targetFramework: "net8.0",
            parameterSchema: schema,
          },
        },
      },
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.createTemplateVersion.parameterSchema).toEqual(schema);
  });
});
