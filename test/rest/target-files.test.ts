import { type Clone, cloneOf } from "../kit/clone.js";
import { executed } from "../kit/executions.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

let token: string;
let solution: TestVersion;
let service: TestVersion;
let item: TestVersion;

const project =
  '<Project Sdk="Microsoft.NET.Sdk">\n  <PropertyGroup>\n    <TargetFramework>net8.0</TargetFramework>\n  </PropertyGroup>\n</Project>\n';
const template = (identity: string, more: Record<string, unknown>) =>
  JSON.stringify({ identity, name: identity, shortName: identity.toLowerCase(), sourceName: "App1", ...more });

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
  const source = await aTemplateSource({
    "solution/.template.config/template.json": template("Acme.Solution", {}),
    "solution/App1.slnx": "<Solution>\n</Solution>\n",
    "service/.template.config/template.json": template("Acme.Service", {
      preferNameDirectory: true,
      primaryOutputs: [{ path: "App1.csproj" }],
      postActions: [
        {
          actionId: "D396686C-DE0E-4DE6-906D-291CD29FC5DE",
          args: { solutionFolder: "services" },
          manualInstructions: [{ text: "Add it" }],
        },
      ],
    }),
    "service/App1.csproj": project,
    "item/.template.config/template.json": template("Acme.Item", {
      symbols: {
        ns: { type: "bind", binding: "msbuild:RootNamespace", replaces: "NAMESPACE", defaultValue: "Company" },
      },
      postActions: [
        {
          actionId: "B17581D1-C5C9-4489-8F0A-004BE667B814",
          args: { referenceType: "package", reference: "Polly", version: "8.4.2" },
        },
      ],
    }),
    "item/App1.cs": "namespace NAMESPACE;\n",
  });
  const version = (templateIdentity: string) => aTemplateVersion(token, source, { templateIdentity });
  solution = await version("Acme.Solution");
  service = await version("Acme.Service");
  item = await version("Acme.Item");
});

const aRepository = () => `acme/r${Math.random().toString(36).slice(2)}`;
const run = (version: TestVersion, name: string, target: Record<string, unknown>) =>
  executed(token, version, { target, parameters: { name } });

async function cloned<T>(repository: string | undefined, look: (clone: Clone) => Promise<T>): Promise<T> {
  const clone = await cloneOf(repository ?? "", token);
  try {
    return await look(clone);
  } finally {
    await clone.remove();
  }
}

describe("a template rendered into a repository that has a solution and projects", () => {
  it("is added to the solution, and an item uses the namespace of the project above it and adds its package there", async () => {
    const repository = aRepository();
    await run(solution, "Shop", { repository });
    const execution = await run(service, "Acme.Orders", { repository, nameDirectory: true });
    expect(execution).toMatchObject({
      status: "Completed",
      warnings: [],
      manualInstructions: [],
      output: { filesCreated: 1, filesUpdated: 1, primaryOutputs: ["Acme.Orders/Acme.Orders.csproj"] },
    });
    const { output } = await run(item, "Thing", { repository, directory: "Acme.Orders/Models" });
    await cloned(output?.repository, async (clone) => {
      expect(clone.files).toEqual(["Acme.Orders/Acme.Orders.csproj", "Acme.Orders/Models/Thing.cs", "Shop.slnx"]);
      const text = await clone.read("Shop.slnx");
      expect(text).toContain('<Folder Name="/services/">');
      expect(text).toContain('<Project Path="Acme.Orders/Acme.Orders.csproj" />');
      expect(await clone.read("Acme.Orders/Models/Thing.cs")).toBe("namespace Acme.Orders;\n");
      expect(await clone.read("Acme.Orders/Acme.Orders.csproj")).toContain('Include="Polly" Version="8.4.2"');
    });
    // the second run finds all changes made already
    const again = await run(service, "Acme.Orders", { repository, nameDirectory: true, onConflict: "merge" });
    expect(again).toMatchObject({ status: "Completed", output: { changed: false } });
  });

  it("has a preview with the change of the solution", async () => {
    const repository = aRepository();
    await run(solution, "Shop", { repository });
    const input = { templateVersionId: service.templateVersionId, target: { repository }, parameters: { name: "A" } };
    const { body } = await graphql<{ previewExecution: unknown }>(
      `query ($id: ID!, $input: RequestExecutionInput!) { previewExecution(templateId: $id, input: $input) {
        error { code } manualInstructions { text } files { path change conflict } } }`,
      { token, variables: { id: service.templateId, input } },
    );
    expect(body.data.previewExecution).toEqual({
      error: null,
      manualInstructions: [],
      files: [
        { path: "A.csproj", change: "Created", conflict: false },
        { path: "Shop.slnx", change: "Updated", conflict: false },
      ],
    });
  });

  it("is written to the root by default, and has manual instructions where there is no solution", async () => {
    const execution = await run(service, "A", { repository: aRepository() });
    expect(execution).toMatchObject({
      manualInstructions: [{ text: "Add it" }],
      output: { primaryOutputs: ["A.csproj"] },
    });
  });

  it.each(["/etc", "../up", "a/.git/b", "a\\b", "nul"])("is refused for the folder %j", async (directory) => {
    const body = { templateVersionId: item.templateVersionId, target: { repository: aRepository(), directory } };
    const refusal = await request(`POST /v1/templates/${item.templateId}/execute`, { token, body });
    expect(refusal).toMatchObject({
      status: 422,
      body: { code: "TARGET_INVALID", errors: [{ pointer: "/target/directory" }] },
    });
  });
});
