import { withJsonProperty } from "../json/json-property.js";
import { renderFiles, texts } from "../rendering/template-pack.fixture.js";
import { withReference } from "./project-reference.js";

const addReference = "B17581D1-C5C9-4489-8F0A-004BE667B814";
const addToSolution = "D396686C-DE0E-4DE6-906D-291CD29FC5DE";
const chmodAction = "CB9A6CF3-4F5C-4860-B9D2-03A574959774";
const addJson = "695A3659-EB40-4FF5-A6A6-C9C4E629FCB0";
const project = (...lines: string[]) => ['<Project Sdk="Microsoft.NET.Sdk">', ...lines, "</Project>", ""].join("\n");
const newtonsoft = { element: "PackageReference", include: "Newtonsoft.Json", version: "13.0.3" } as const;

describe("adding a reference", () => {
  it("joins the group that has such references", () => {
    const before = project("  <ItemGroup>", '    <PackageReference Include="A" Version="1" />', "  </ItemGroup>");
    const after = project(
      "  <ItemGroup>",
      '    <PackageReference Include="A" Version="1" />',
      '    <PackageReference Include="Newtonsoft.Json" Version="13.0.3" />',
      "  </ItemGroup>",
    );
    expect(withReference(before, newtonsoft)).toBe(after);
  });

  it("makes a group where there is none, with the file's line endings and mark", () => {
    const before = "\ufeff<Project>\r\n</Project>";
    const group =
      '  <ItemGroup>\r\n    <PackageReference Include="Newtonsoft.Json" Version="13.0.3" />\r\n  </ItemGroup>\r\n\r\n';
    expect(withReference(before, newtonsoft)).toBe(`\ufeff<Project>\r\n${group}</Project>`);
  });

  it("leaves conditional groups alone", () => {
    const before = project(
      `  <ItemGroup Condition="'$(X)' == ''">`,
      '    <PackageReference Include="A" Version="1" />',
      "  </ItemGroup>",
    );
    expect(withReference(before, newtonsoft)).toContain(
      '</ItemGroup>\n  <ItemGroup>\n    <PackageReference Include="Newtonsoft.Json"',
    );
  });

  it("updates a reference that is there, ignoring case", () => {
    const before = project(
      "  <ItemGroup>",
      "    <PackageReference Version='1' Include=\"newtonsoft.json\" />",
      "  </ItemGroup>",
    );
    expect(withReference(before, newtonsoft)).toBe(before.replace("'1'", '"13.0.3"'));
  });

  it.each([
    "",
    "no xml",
    "<Project>",
    "<Project/>",
    project("<PropertyGroup><ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally></PropertyGroup>"),
  ])("does not touch %j", (text) => {
    expect(withReference(text, newtonsoft)).toBeUndefined();
  });

  it("is done for the primary output", () => {
    const config = {
      sourceName: "App",
      primaryOutputs: [{ path: "App.csproj" }],
      postActions: [
        {
          actionId: addReference,
          args: { referenceType: "package", reference: "X", version: "1.0.0" },
          manualInstructions: [{ text: "Add X" }],
        },
      ],
    };
    const result = renderFiles(config, { "App.csproj": project(), "Other.csproj": project() });
    expect(texts(result)["MyApp.csproj"]).toContain('<PackageReference Include="X" Version="1.0.0" />');
    expect(texts(result)["Other.csproj"]).toBe(project());
    expect(result.manualInstructions).toEqual([]);
  });

  it("writes a project's path from the referring project", () => {
    const args = { referenceType: "project", reference: "lib/Lib.csproj", targetFiles: ["src/App.csproj"] };
    const result = renderFiles(
      { postActions: [{ actionId: addReference, args }] },
      { "src/App.csproj": project(), "lib/Lib.csproj": project() },
    );
    expect(texts(result)["src/App.csproj"]).toContain('<ProjectReference Include="..\\lib\\Lib.csproj" />');
  });

  it("finds projects by their places in the template", () => {
    const args = { referenceType: "project", reference: "./lib/App.Lib.csproj", targetFiles: "**/App.Web.csproj" };
    const result = renderFiles(
      { sourceName: "App", postActions: [{ actionId: addReference, args }] },
      { "App/App.Web.csproj": project(), "lib/App.Lib.csproj": project() },
    );
    expect(texts(result)["MyApp/MyApp.Web.csproj"]).toContain(
      '<ProjectReference Include="..\\lib\\MyApp.Lib.csproj" />',
    );
    expect(result.warnings).toEqual([]);
  });

  it("comes back as an instruction when it cannot be done", () => {
    const postActions = [
      {
        actionId: addReference,
        args: { referenceType: "package", reference: "X" },
        manualInstructions: [{ text: "Add X" }],
      },
    ];
    const result = renderFiles({ postActions }, { "App.csproj": project() });
    expect(result.manualInstructions).toMatchObject([{ text: "Add X" }]);
    expect(result.warnings).toMatchObject([{ code: "PostActionSkipped" }]);
  });
});

describe("adding a JSON property", () => {
  const property = { parentPath: ["a"], name: "b", value: '{"c": 1}', createsPath: false };

  it("keeps comments, indentation and line endings", () => {
    const before = '{\r\n    // why\r\n    "a": {\r\n        "x": 1\r\n    }\r\n}\r\n';
    const after =
      '{\r\n    // why\r\n    "a": {\r\n        "x": 1,\r\n        "b": {\r\n            "c": 1\r\n        }\r\n    }\r\n}\r\n';
    expect(withJsonProperty(before, property)).toBe(after);
  });

  it("takes text that is no JSON as text", () => {
    expect(withJsonProperty('{"a":{}}', { ...property, value: "plain text" })).toContain('"b": "plain text"');
  });

  it("needs its parent unless it may make it", () => {
    expect(withJsonProperty("{}", property)).toBeUndefined();
    expect(JSON.parse(withJsonProperty("{}", { ...property, createsPath: true }) ?? "")).toEqual({
      a: { b: { c: 1 } },
    });
    expect(withJsonProperty('{"a": 1}', { ...property, createsPath: true })).toBeUndefined();
    expect(withJsonProperty("[]", property)).toBeUndefined();
  });

  it("is done in the one file of the name, or in a new one", () => {
    const args = {
      jsonFileName: "settings.json",
      newJsonPropertyName: "n",
      newJsonPropertyValue: "1",
      allowFileCreation: "true",
    };
    const run = (files: Record<string, string>) => renderFiles({ postActions: [{ actionId: addJson, args }] }, files);
    expect(JSON.parse(texts(run({ "src/settings.json": "{}" }))["src/settings.json"] ?? "")).toEqual({ n: 1 });
    expect(JSON.parse(texts(run({ "a.txt": "" }))["settings.json"] ?? "")).toEqual({ n: 1 });
    expect(run({ "a/settings.json": "{}", "b/settings.json": "{}" }).warnings).toMatchObject([
      { code: "PostActionSkipped" },
    ]);
  });
});

describe("arguments that are renamed like files", () => {
  const names = (...args: string[]) => ({ applyFileRenamesToArgs: args });
  const config = (action: Record<string, unknown>) => ({
    sourceName: "App",
    symbols: { Area: { type: "parameter", datatype: "text", fileRename: "AREA", defaultValue: "Sales" } },
    postActions: [action],
  });

  it("name, value and parent of a JSON property are renamed where that is asked for", () => {
    const args = {
      jsonFileName: "App.json",
      parentPropertyPath: "AREA:App",
      newJsonPropertyName: "AREA",
      newJsonPropertyValue: "App in AREA",
      allowPathCreation: true,
    };
    const run = (more: Record<string, unknown>) =>
      JSON.parse(
        texts(renderFiles(config({ actionId: addJson, args, ...more }), { "App.json": "{}" }))["MyApp.json"] ?? "",
      );
    const all = names("JSONFileName", "parentPropertyPath", "newJsonPropertyName", "newJsonPropertyValue");
    expect(run(all)).toEqual({ Sales: { MyApp: { Sales: "MyApp in Sales" } } });
    expect(run(names("jsonFileName"))).toEqual({ AREA: { App: { AREA: "App in AREA" } } });
    expect(run(names("jsonFileName", "newJsonPropertyName"))).toEqual({ AREA: { App: { Sales: "App in AREA" } } });
  });

  it("the solution folder is renamed where that is asked for", () => {
    const args = { projectFiles: ["App.csproj"], solutionFolder: "AREA/src" };
    const run = (more: Record<string, unknown>) =>
      texts(
        renderFiles(config({ actionId: addToSolution, args, ...more }), {
          "App.csproj": project(),
          "App.slnx": "<Solution>\n</Solution>\n",
        }),
      )["MyApp.slnx"];
    expect(run(names("solutionFolder"))).toContain('<Folder Name="/Sales/src/">');
    expect(run({})).toContain('<Folder Name="/AREA/src/">');
  });

  it("type, name and version of a reference are renamed, and files whose mode is set", () => {
    const args = { referenceType: "package", reference: "AREA.App", version: "AREA", targetFiles: ["AREA.csproj"] };
    const result = renderFiles(
      config({ actionId: addReference, args, ...names("reference", "version", "targetFiles") }),
      { "App.csproj": project(), "AREA.csproj": project() },
    );
    expect(texts(result)["Sales.csproj"]).toContain('<PackageReference Include="Sales.MyApp" Version="Sales" />');
    const chmod = { actionId: chmodAction, args: { "+x": ["AREA.sh"] }, ...names("+x") };
    expect(renderFiles(config(chmod), { "AREA.sh": "" }).files.get("Sales.sh")?.executable).toBe(true);
  });
});
