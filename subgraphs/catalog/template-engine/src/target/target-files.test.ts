import { renderFiles, texts } from "../rendering/template-pack.fixture.js";
import { projectOfTarget } from "./project-properties.js";
import { pathInTarget, readableTargetPaths } from "./target-files.js";

const addToSolution = "D396686C-DE0E-4DE6-906D-291CD29FC5DE";
const addReference = "B17581D1-C5C9-4489-8F0A-004BE667B814";
const project = (...lines: string[]) => ['<Project Sdk="Microsoft.NET.Sdk">', ...lines, "</Project>", ""].join("\n");
const sln = "Microsoft Visual Studio Solution File, Format Version 12.00\nGlobal\nEndGlobal\n";
const slnx = "<Solution>\n</Solution>\n";

const target = (files: Record<string, string>, directory = "") => ({
  directory,
  files: new Map(Object.entries(files)),
});
const configFor = (actionId: string, args: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  sourceName: "App",
  primaryOutputs: [{ path: "App.csproj" }],
  postActions: [{ actionId, args, manualInstructions: [{ text: "By hand" }] }],
  ...more,
});

describe("a template in a folder of its target", () => {
  it("is produced there with its primary outputs", () => {
    const result = renderFiles(
      configFor("", {}, { postActions: [] }),
      { "App.csproj": project() },
      { target: target({}, "src/x") },
    );
    expect([...result.files.keys()]).toEqual(["src/x/MyApp.csproj"]);
    expect(result.primaryOutputs).toEqual(["src/x/MyApp.csproj"]);
  });
});

describe("adding to a solution of the target", () => {
  const run = (files: Record<string, string>, directory = "src/MyApp", outputs: Record<string, string> = {}) =>
    renderFiles(
      configFor(addToSolution, {}),
      { "App.csproj": project(), ...outputs },
      { target: target(files, directory) },
    );

  it("lists the project in the nearest solution above, by its path from there", () => {
    const { edits, manualInstructions } = run({ "All.sln": sln, "src/Part.slnx": slnx, "other/O.sln": sln });
    expect(edits).toMatchObject([{ path: "src/Part.slnx" }]);
    expect(edits[0]?.text).toContain('<Project Path="MyApp/MyApp.csproj" />');
    expect(manualInstructions).toEqual([]);
  });

  it("prefers the older format in one folder", () => {
    const { edits } = run({ "A.sln": sln, "B.slnx": slnx }, "");
    expect(edits.map(({ path }) => path)).toEqual(["A.sln"]);
    expect(edits[0]?.text).toContain('= "MyApp", "MyApp.csproj"');
  });

  it("takes a solution that was produced with it first", () => {
    const result = run({ "All.slnx": slnx }, "", { "App.slnx": slnx });
    expect(result.edits).toEqual([]);
    expect(texts(result)["MyApp.slnx"]).toContain('Path="MyApp.csproj"');
  });

  it.each([
    [{ "A.sln": sln, "B.sln": sln }, "exactly one solution file is needed"],
    [{ "below/A.sln": sln }, "exactly one solution file is needed"],
    [{ "A.sln": "no solution" }, "A.sln cannot be edited safely"],
    [{ "A.slnx": "<Solution>" }, "A.slnx cannot be edited safely"],
  ])("is left to a person where it cannot be done: %j", (files, reason) => {
    const { edits, warnings, manualInstructions } = run(files, "");
    expect(edits).toEqual([]);
    expect(warnings).toMatchObject([{ code: "PostActionSkipped", message: expect.stringContaining(reason) }]);
    expect(manualInstructions).toMatchObject([{ text: "By hand" }]);
  });
});

describe("adding a reference to a project of the target", () => {
  const item = { "Thing.cs": "class Thing;" };
  const run = (args: Record<string, unknown>, files: Record<string, string>, more: Record<string, unknown> = {}) =>
    renderFiles(configFor(addReference, args, { primaryOutputs: [], ...more }), item, {
      target: target(files, "src/Shop/Models"),
    });
  const polly = { referenceType: "package", reference: "Polly", version: "8.4.2" };

  it("edits the nearest project above", () => {
    const { edits } = run(polly, {
      "Top.csproj": project(),
      "src/Shop/Shop.csproj": project(),
      "src/B/B.csproj": project(),
    });
    expect(edits).toMatchObject([{ path: "src/Shop/Shop.csproj" }]);
    expect(edits[0]?.text).toContain('<PackageReference Include="Polly" Version="8.4.2" />');
  });

  it("edits a project that a parameter names, and refers to the produced one", () => {
    const symbols = { existing: { type: "parameter", datatype: "string", fileRename: "ExistingProject" } };
    const args = { referenceType: "project", reference: "App.csproj", targetFiles: ["ExistingProject"] };
    const postActions = [{ actionId: addReference, args, applyFileRenamesToArgs: ["targetFiles"] }];
    const { edits } = renderFiles(
      { sourceName: "App", symbols, postActions },
      { "App.csproj": project() },
      { parameters: { existing: "../Web/Web.csproj" }, target: target({ "src/Web/Web.csproj": project() }, "src/App") },
    );
    expect(edits).toMatchObject([{ path: "src/Web/Web.csproj" }]);
    expect(edits[0]?.text).toContain('<ProjectReference Include="..\\App\\MyApp.csproj" />');
  });

  it("makes all changes to one file, or none", () => {
    const twice = [polly, { ...polly, reference: "Serilog" }].map((args) => ({ actionId: addReference, args }));
    const { edits } = run(polly, { "src/Shop/Shop.csproj": project() }, { postActions: twice });
    expect(edits).toMatchObject([
      { changes: [{ reference: { include: "Polly" } }, { reference: { include: "Serilog" } }] },
    ]);
    const both = { ...polly, targetFiles: ["../Shop.csproj", "../Broken.csproj"] };
    const result = run(both, { "src/Shop/Shop.csproj": project(), "src/Shop/Broken.csproj": "<Project>" });
    expect(result.edits).toEqual([]);
  });

  it("is left to a person past a hundred changes", () => {
    const many = Array.from({ length: 102 }, (_, at) => ({
      actionId: addReference,
      args: { ...polly, reference: `Package${at}` },
    }));
    const { edits, warnings } = run(polly, { "src/Shop/Shop.csproj": project() }, { postActions: many });
    expect(edits[0]?.changes).toHaveLength(100);
    expect(warnings).toMatchObject([{ code: "PostActionSkipped" }]);
  });

  it.each<[string, Record<string, string>]>([
    ["two are as near", { "src/Shop/A.csproj": project(), "src/Shop/B.csproj": project() }],
    ["none is above", { "src/Other/A.csproj": project() }],
    [
      "versions are managed centrally",
      {
        "src/Shop/Shop.csproj": project(),
        "Directory.Packages.props":
          "<Project><PropertyGroup><ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally></PropertyGroup></Project>",
      },
    ],
  ])("is left to a person where %s", (_, files) => {
    const { edits, warnings } = run(polly, files);
    expect(edits).toEqual([]);
    expect(warnings).toMatchObject([{ code: "PostActionSkipped" }]);
  });
});

describe("bindings to the target's project", () => {
  const config = (binding: string) => ({
    symbols: { ns: { type: "bind", binding, replaces: "NAMESPACE", defaultValue: "Company.Default" } },
  });
  const namespaceFor = (binding: string, files: Record<string, string>, directory = "src/Shop/Models") =>
    texts(renderFiles(config(binding), { "a.cs": "NAMESPACE" }, { target: target(files, directory) }))[
      `${directory}/a.cs`
    ];
  const props = (...lines: string[]) => ["<PropertyGroup>", ...lines, "</PropertyGroup>"].join("");

  it.each<[string, Record<string, string>, string]>([
    ["msbuild:RootNamespace", { "src/Shop/Acme Shop.csproj": project() }, "Acme_Shop"],
    [
      "msbuild:rootnamespace",
      { "src/Shop/S.csproj": project(props("<RootNamespace>Acme.Shop</RootNamespace>")) },
      "Acme.Shop",
    ],
    ["MSBuild: AssemblyName", { "src/Shop/S.csproj": project() }, "S"],
    [
      "msbuild:RootNamespace",
      {
        "Directory.Build.props": `<Project>${props("<Company>Acme</Company>", "<RootNamespace>$(Company).$(MSBuildProjectName)</RootNamespace>")}</Project>`,
        "src/Shop/S.csproj": project(),
      },
      "Acme.",
    ],
    ["msbuild:TargetFramework", { "S.csproj": project(props("<TargetFramework>net9.0</TargetFramework>")) }, "net9.0"],
    ["msbuild:X", { "S.csproj": project(props('<X Condition="true">1</X>')) }, "Company.Default"],
    [
      "msbuild:X",
      { "S.csproj": project(`<PropertyGroup Condition="true"><X>1</X></PropertyGroup>`) },
      "Company.Default",
    ],
    ["msbuild:X", { "S.csproj": project(props("<X>$([System.DateTime]::Now)</X>")) }, "Company.Default"],
    [
      "msbuild:X",
      { "S.csproj": project("<Target><PropertyGroup><X>1</X></PropertyGroup></Target>") },
      "Company.Default",
    ],
    ["msbuild:RootNamespace", { "S.csproj": "<Project>" }, "Company.Default"],
    ["msbuild:RootNamespace", { "S.csproj": "<Project></Project>" }, "Company.Default"],
    ["msbuild:RootNamespace", { "A.csproj": project(), "B.csproj": project() }, "Company.Default"],
    ["msbuild:RootNamespace", {}, "Company.Default"],
  ])("%s in %j is %s", (binding, files, result) => {
    expect(namespaceFor(binding, files)).toBe(result.endsWith(".") ? `${result}S` : result);
  });

  it("ends values that multiply themselves", () => {
    const doubling = Array.from({ length: 40 }, (_, at) => `<P${at + 1}>$(P${at})$(P${at})</P${at + 1}>`);
    const files = { "S.csproj": project(props("<P0>0123456789</P0>", ...doubling)) };
    const { properties } = projectOfTarget(target(files));
    expect(Math.max(...[...(properties?.values() ?? [])].map((value) => value.length))).toBeLessThanOrEqual(4096);
  });
});

describe("what a template may look at", () => {
  it("is solutions, projects and build properties, the nearest first", () => {
    const paths = [
      "a/A.csproj",
      "README.md",
      "src/S.sln",
      "src/x/X.fsproj",
      "Directory.Build.props",
      "All.slnx",
      "a.slnf",
    ];
    expect(readableTargetPaths(paths, "src/x")).toEqual([
      "src/x/X.fsproj",
      "src/S.sln",
      "All.slnx",
      "Directory.Build.props",
      "a/A.csproj",
    ]);
  });

  it("never lies above the top", () => {
    expect(pathInTarget({ directory: "src/x" }, "..\\Y\\Y.csproj")).toBe("src/Y/Y.csproj");
    expect(pathInTarget({ directory: "src" }, "../../etc/passwd")).toBeUndefined();
    expect(pathInTarget({ directory: "" }, "/etc/passwd")).toBeUndefined();
  });
});
