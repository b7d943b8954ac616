import { cloneOf } from "../kit/clone.js";
import { executed } from "../kit/executions.js";
import { aSmallPack } from "../kit/packs.js";
import { graphql, type Json, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

const symbols = {
  Port: {
    type: "parameter",
    datatype: "integer",
    defaultValue: "8080",
    description: "The port of the server.",
    replaces: "PORT",
  },
  Given: { type: "parameter", datatype: "string", defaultValue: "standard" },
  Chosen: {
    type: "generated",
    generator: "coalesce",
    parameters: { sourceVariableName: "Given", fallbackVariableName: "Other" },
    replaces: "CHOSEN",
  },
  Other: { type: "generated", generator: "constant", parameters: { value: "other" } },
};
const aPack = (files: Record<string, string>) => aSmallPack({ config: { symbols }, files });
const aRepository = () => `acme/d${Math.random().toString(36).slice(2)}`;

let token: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
});

const replaceDraft = ({ templateVersionId }: TestVersion, sourceRef: string) =>
  graphql<Json>(
    `mutation ($id: ID!, $input: CreateTemplateVersionInput!) {
       replaceTemplateVersion(templateVersionId: $id, input: $input) { revision } }`,
    {
      token,
      variables: {
        id: templateVersionId,
        input: { semanticVersion: "1.0.0", sourceRef, engineKind: "DotnetNewTemplatePack", targetFramework: "net8.0" },
      },
    },
  );

describe("a version without a parameterSchema", () => {
  it("is answered with the schema of its template, also by REST", async () => {
    const { body } = await request<{ templateId: string }>("POST /v1/templates", {
      token,
      body: { name: `derived-${Math.random()}`, category: "Service" },
    });
    const { templateId } = body;
    const creation = await request(`POST /v1/templates/${templateId}/versions`, {
      token,
      body: {
        semanticVersion: "1.0.0",
        sourceRef: await aTemplateSource(aPack({})),
        engineKind: "DotnetNewTemplatePack",
        targetFramework: "net8.0",
      },
    });
    const parameterSchema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        Port: { description: "The port of the server.", type: "integer", default: 8080 },
        Given: { type: "string", default: "standard" },
      },
    };
    expect([creation.status, creation.body]).toMatchObject([201, { semanticVersion: "1.0.0", parameterSchema }]);
  });

  it("refuses what the template would refuse, and renders as if there were no schema", async () => {
    const version = await aTemplateVersion(token, await aTemplateSource(aPack({ "a.txt": "PORT CHOSEN" })));
    const refusal = await request(`POST /v1/templates/${version.templateId}/execute`, {
      token,
      body: {
        templateVersionId: version.templateVersionId,
        parameters: { Port: "many" },
        target: { repository: aRepository() },
      },
    });
    expect([refusal.status, refusal.body]).toMatchObject([
      422,
      { code: "PARAMETERS_INVALID", errors: [{ pointer: "/parameters/Port", code: "TYPE" }] },
    ]);
    // a schema default must not count as a value in the request
    for (const [parameters, text] of [
      [{}, "8080 other"],
      [{ Port: 1, Given: "mine" }, "1 mine"],
    ] as const) {
      const { output, error } = await executed(token, version, { parameters, target: { repository: aRepository() } });
      expect(error).toBeNull();
      const clone = await cloneOf(output?.repository ?? "", token);
      expect(await clone.read("a.txt")).toBe(text);
      await clone.remove();
    }
  });
});

describe("a replaced Draft", () => {
  it("is the base of a merge as it was when it was executed", async () => {
    const version = await aTemplateVersion(token, await aTemplateSource(aPack({ "a.txt": "one\n" })));
    const target = { repository: aRepository(), onConflict: "merge" };
    const parameters = { name: "Acme.Shop" };
    expect(await executed(token, version, { parameters, target })).toMatchObject({ status: "Completed" });
    const { body } = await replaceDraft(version, await aTemplateSource(aPack({ "a.txt": "two\n" })));
    expect(body.data["replaceTemplateVersion"]).toEqual({ revision: 2 });
    const { output, error } = await executed(token, version, { parameters, target });
    expect(error).toBeNull();
    const clone = await cloneOf(output?.repository ?? "", token);
    expect(await clone.read("a.txt")).toBe("two\n");
    await clone.remove();
  });

  it("is executed with a warning while its template is archived", async () => {
    const version = await aTemplateVersion(token, await aTemplateSource(aPack({})));
    await graphql("mutation ($id: ID!) { archiveTemplate(templateId: $id) { status } }", {
      token,
      variables: { id: version.templateId },
    });
    const execution = await executed(token, version, { target: { repository: aRepository() } });
    expect(execution).toMatchObject({ status: "Completed", warnings: [{ code: "TemplateArchived" }] });
    const answer = await request(`GET /v1/templates/${version.templateId}`, { token });
    expect(answer.body["status"]).toBe("Archived");
  });
});
