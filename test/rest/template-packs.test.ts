import { cloneOf } from "../kit/clone.js";
import { executed } from "../kit/executions.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

let token: string;
let source: string;

const group = (identity: string, language: string) => ({
  identity,
  groupIdentity: "Acme.Service",
  name: `Acme service in ${language}`,
  shortName: "acme-service",
  author: "Acme",
  tags: { language, type: "project" },
  sourceName: "App1",
  symbols: {
    Framework: {
      type: "parameter",
      datatype: "choice",
      description: "The target framework.",
      replaces: "FRAMEWORK",
      defaultValue: "net8.0",
      choices: [{ choice: "net8.0", description: "Target net8.0" }, { choice: "net9.0" }, { choice: "net9.0-windows" }],
    },
    Secret: { type: "parameter", datatype: "text", defaultValue: "none", replaces: "SECRET" },
  },
});
const hostFile = JSON.stringify({
  symbolInfo: { Framework: { longName: "framework", shortName: "f" }, Secret: { isHidden: true } },
});
const german = JSON.stringify({
  name: "Acme-Dienst",
  "symbols/Framework/description": "Das Zielframework.",
  "symbols/Framework/choices/net8.0/description": "Ziel net8.0",
});

/** A repository with four templates. */
const pack = {
  "csharp/.template.config/template.json": JSON.stringify(group("Acme.Service.CSharp", "C#")),
  "csharp/.template.config/dotnetcli.host.json": hostFile,
  "csharp/.template.config/localize/templatestrings.de.json": german,
  "csharp/App1.cs": "// FRAMEWORK SECRET\n",
  "fsharp/.template.config/template.json": JSON.stringify(group("Acme.Service.FSharp", "F#")),
  "fsharp/App1.fs": "// FRAMEWORK\n",
  "item/.template.config/template.json": JSON.stringify({
    identity: "Acme.Controller",
    name: "Controller",
    shortName: "acme-controller",
    tags: { language: "C#", type: "item" },
  }),
  "item/Controller.cs": "class Controller;\n",
  "broken/.template.config/template.json": "{",
};

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
  source = await aTemplateSource(pack);
});

const target = () => ({ repository: `acme/r${Math.random().toString(36).slice(2)}` });
const aVersion = (input: Record<string, unknown>) => aTemplateVersion(token, source, input);

async function scaffolded(version: TestVersion, parameters: Record<string, unknown> = {}) {
  const execution = await executed(token, version, { target: target(), parameters: { name: "Orders", ...parameters } });
  if (execution.output === null) throw new Error(JSON.stringify(execution.error));
  const clone = await cloneOf(execution.output.repository, token);
  const texts = await Promise.all(clone.files.map(async (path) => [path, await clone.read(path)]));
  await clone.remove();
  return Object.fromEntries(texts) as Record<string, string>;
}

const details = async ({ templateId, templateVersionId }: TestVersion, locale?: string) => {
  const { body } = await graphql<{ template: { versions: { templateVersionId: string; details: unknown }[] } }>(
    `query ($id: ID!, $locale: String) { template(templateId: $id) { versions: allVersions { templateVersionId details(locale: $locale) {
      name author language type culture parameters {
        name description aliases hidden required defaultValue datatype choices { choice description } } } } } }`,
    { token, variables: { id: templateId, locale } },
  );
  if (body.errors) return body;
  return body.data.template.versions.find((templateVersion) => templateVersion.templateVersionId === templateVersionId)
    ?.details;
};

describe("a version of one of several templates in a source", () => {
  it.each([
    [{ templateIdentity: "acme.service.fsharp" }, { "Orders.fs": "// net8.0\n" }],
    [{ templateIdentity: "acme-service" }, { "Orders.cs": "// net8.0 none\n" }],
    [{ templateIdentity: "Acme.Service", templateLanguage: "F#" }, { "Orders.fs": "// net8.0\n" }],
    [{ templateType: "item" }, { "Controller.cs": "class Controller;\n" }],
  ])("is chosen by %j", async (choice, files) => {
    expect(await scaffolded(await aVersion(choice))).toEqual(files);
  });

  it.each([
    [{}, "TemplateAmbiguous"],
    [{ templateLanguage: "C#" }, "TemplateAmbiguous"],
    [{ templateIdentity: "Acme.Unknown" }, "TemplateNotFound"],
  ])("names the candidates when %j does not choose one: %s", async (choice, code) => {
    const version = await aVersion(choice);
    const { error } = await executed(token, version, { target: target() });
    expect(error).toMatchObject({ code: "TEMPLATE_INVALID", details: { findings: [{ code }] } });
    expect(error?.message).toContain("item (Acme.Controller, C#, item)");
    const body = { templateVersionId: version.templateVersionId, checks: ["StructuralLint"] };
    const { body: validation } = await request(`POST /v1/templates/${version.templateId}/validate`, { token, body });
    expect(validation).toMatchObject({ outcome: "Failed", findings: [{ code }] });
  });
});

describe("parameters as dotnet new accepts them", () => {
  const properties = { Framework: { enum: ["net8.0", "net9.0"] }, Secret: { type: "string" } };
  let version: TestVersion;
  let closedVersion: TestVersion;

  beforeAll(async () => {
    version = await aVersion({ templateIdentity: "Acme.Service.CSharp" });
    closedVersion = await aVersion({
      templateIdentity: "Acme.Service.CSharp",
      parameterSchema: { type: "object", properties },
    });
    expect(await details(closedVersion)).toBeNull();
    expect(await scaffolded(closedVersion)).toEqual({ "Orders.cs": "// net8.0 none\n" });
  });

  it("may have long and short names, and the parameterSchema checks their values", async () => {
    expect(await scaffolded(closedVersion, { f: "net9.0" })).toEqual({ "Orders.cs": "// net9.0 none\n" });
    expect(await scaffolded(closedVersion, { framework: "net9.0", Secret: "s" })).toEqual({
      "Orders.cs": "// net9.0 s\n",
    });
    const execute = async (parameters: Record<string, unknown>) => {
      const body = { templateVersionId: closedVersion.templateVersionId, target: target(), parameters };
      return (
        await request<{ errors: unknown }>(`POST /v1/templates/${closedVersion.templateId}/execute`, { token, body })
      ).body;
    };
    expect(await execute({ f: "net9" })).toMatchObject({ errors: [{ pointer: "/parameters/Framework" }] });
    expect(await execute({ f: "net9.0", Framework: "net9.0" })).toMatchObject({
      errors: [{ pointer: "/parameters/f", code: "DUPLICATE" }],
    });
  });

  it("are refused by a derived schema where the template would refuse them", async () => {
    const body = { templateVersionId: version.templateVersionId, target: target(), parameters: { Framework: "NET" } };
    const answer = await request(`POST /v1/templates/${version.templateId}/execute`, { token, body });
    expect([answer.status, answer.body]).toMatchObject([422, { errors: [{ pointer: "/parameters/Framework" }] }]);
  });

  it("may have these names before the content was read, if the schema does not forbid them", async () => {
    expect(await scaffolded(version, { f: "NET9.0" })).toEqual({ "Orders.cs": "// net9.0 none\n" });
  });

  it("may have a choice in any case, or its unique prefix", async () => {
    expect(await scaffolded(version, { Framework: "net9.0-W" })).toEqual({ "Orders.cs": "// net9.0-windows none\n" });
    const open = await aVersion({
      templateIdentity: "Acme.Service.CSharp",
      parameterSchema: { type: "object" },
    });
    const { error } = await executed(token, open, { target: target(), parameters: { Framework: "NET" } });
    expect(error).toMatchObject({ code: "RENDER_FAILED" });
    expect(error?.message).toContain('several choices begin with "NET": "net8.0", "net9.0", "net9.0-windows"');
  });

  it("are described with their names, in the nearest language of the template", async () => {
    const framework = { name: "Framework", aliases: ["framework", "f"], hidden: false, datatype: "choice" };
    expect(await details(closedVersion)).toMatchObject({
      name: "Acme service in C#",
      author: "Acme",
      language: "C#",
      type: "project",
      culture: null,
      parameters: [
        { ...framework, description: "The target framework." },
        { name: "Secret", hidden: true },
      ],
    });
    expect(await details(closedVersion, "de-AT")).toMatchObject({
      name: "Acme-Dienst",
      author: "Acme",
      culture: "de",
      parameters: [
        {
          ...framework,
          description: "Das Zielframework.",
          choices: [{ choice: "net8.0", description: "Ziel net8.0" }, { choice: "net9.0" }, {}],
        },
        {},
      ],
    });
    expect(await details(closedVersion, "not a tag")).toMatchObject({
      errors: [{ extensions: { code: "VALIDATION_FAILED" } }],
    });
  });
});
