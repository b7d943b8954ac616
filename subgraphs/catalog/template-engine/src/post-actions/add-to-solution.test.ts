import { renderFiles, texts } from "../rendering/template-pack.fixture.js";
import { withProjectInText } from "../solutions/sln-text.js";
import { withProjectInDocument } from "../solutions/slnx-document.js";
import { foldersOf, projectType } from "../solutions/solution-entry.js";

const addAction = "D396686C-DE0E-4DE6-906D-291CD29FC5DE";
const csharpType = "FAE04EC0-301F-11D3-BF4B-00C04F79EFBC";
const folderType = "2150E333-8FDC-42A3-9474-1A3956D46DE8";
const projectId = "11111111-2222-3333-4444-555555555555";
const header = ["Microsoft Visual Studio Solution File, Format Version 12.00", "# Visual Studio Version 17"];
const empty = [...header, "Global", "EndGlobal", ""].join("\r\n");
const newId = (folder: string) => `ID-${folder}`;
const app = { path: "src/App/App.csproj", id: projectId, folders: [] as string[] };
const lines = (text: string | undefined) => (text ?? "").split(/\r?\n/);

describe("a project in a .sln text", () => {
  it("gets the standard configurations where there are none", () => {
    const text = withProjectInText(empty, app, newId);
    expect(text).not.toMatch(/[^\r]\n/);
    const result = lines(text);
    expect(result.slice(0, 6)).toEqual([
      ...header,
      `Project("{${csharpType}}") = "App", "src\\App\\App.csproj", "{${projectId}}"`,
      "EndProject",
      "Global",
      "\tGlobalSection(SolutionConfigurationPlatforms) = preSolution",
    ]);
    expect(result).toContain("\t\tDebug|x64 = Debug|x64");
    expect(result).toContain(`\t\t{${projectId}}.Release|x86.ActiveCfg = Release|Any CPU`);
    expect(result).toContain(`\t\t{${projectId}}.Release|x86.Build.0 = Release|Any CPU`);
    expect(result.slice(-3)).toEqual(["\tEndGlobalSection", "EndGlobal", ""]);
  });

  it("gets the configurations of the solution, behind the projects that are there", () => {
    const before = [
      ...header,
      `Project("{${csharpType}}") = "Old", "Old.csproj", "{AAAAAAAA-2222-3333-4444-555555555555}"`,
      "EndProject",
      "Global",
      "\tGlobalSection(SolutionConfigurationPlatforms) = preSolution",
      "\t\tDebug|Any CPU = Debug|Any CPU",
      "\t\tTest|Any CPU = Test|Any CPU",
      "\tEndGlobalSection",
      "\tGlobalSection(ProjectConfigurationPlatforms) = postSolution",
      "\t\t{AAAAAAAA-2222-3333-4444-555555555555}.Debug|Any CPU.ActiveCfg = Debug|Any CPU",
      "\tEndGlobalSection",
      "\tGlobalSection(SolutionProperties) = preSolution",
      "\t\tHideSolutionNode = FALSE",
      "\tEndGlobalSection",
      "EndGlobal",
      "",
    ];
    const after = [
      ...before.slice(0, 4),
      `Project("{${csharpType}}") = "App", "src\\App\\App.csproj", "{${projectId}}"`,
      "EndProject",
      ...before.slice(4, 11),
      `\t\t{${projectId}}.Debug|Any CPU.ActiveCfg = Debug|Any CPU`,
      `\t\t{${projectId}}.Debug|Any CPU.Build.0 = Debug|Any CPU`,
      `\t\t{${projectId}}.Test|Any CPU.ActiveCfg = Debug|Any CPU`,
      `\t\t{${projectId}}.Test|Any CPU.Build.0 = Debug|Any CPU`,
      ...before.slice(11),
    ];
    expect(lines(withProjectInText(before.join("\n"), app, newId))).toEqual(after);
  });

  it("is not added twice, however it is spelled", () => {
    const once = withProjectInText(`\ufeff${empty}`, app, newId) ?? "";
    expect(once.startsWith("\ufeff")).toBe(true);
    expect(withProjectInText(once, { ...app, path: "SRC/app/App.csproj", id: "other" }, newId)).toBe(once);
  });

  it("stands in nested folders, which are made once", () => {
    const project = { ...app, folders: ["src", "core"] };
    const once = withProjectInText(empty, project, newId) ?? "";
    expect(lines(once)).toContain(`Project("{${folderType}}") = "src", "src", "{ID-src}"`);
    expect(lines(once)).toContain(`Project("{${folderType}}") = "core", "core", "{ID-src/core}"`);
    expect(lines(once)).toContain("\t\t{ID-src/core} = {ID-src}");
    expect(lines(once)).toContain(`\t\t{${projectId}} = {ID-src/core}`);
    const twice = withProjectInText(once, { ...project, path: "b/B.csproj", id: "B" }, (folder) => `X-${folder}`) ?? "";
    expect(twice).not.toContain("X-");
    expect(lines(twice).filter((line) => line.includes("{ID-SRC/CORE}") && line.includes("="))).toHaveLength(1);
  });

  it("makes the global part where it is missing", () => {
    const result = lines(withProjectInText(header.join("\n"), app, newId));
    expect(result.slice(2, 5)).toEqual([expect.stringContaining("App"), "EndProject", "Global"]);
    expect(result.slice(-2)).toEqual(["EndGlobal", ""]);
  });

  it("needs a solution", () => {
    expect(withProjectInText("", app, newId)).toBeUndefined();
    expect(withProjectInText("Global\nEndGlobal\n", app, newId)).toBeUndefined();
  });
});

describe("a project in a .slnx document", () => {
  it("goes to the end of an empty solution", () => {
    expect(withProjectInDocument("<Solution>\n</Solution>\n", app)).toBe(
      '<Solution>\n  <Project Path="src/App/App.csproj" />\n</Solution>\n',
    );
    expect(withProjectInDocument("<Solution />", app)).toBe(
      '<Solution>\n  <Project Path="src/App/App.csproj" />\n</Solution>',
    );
    expect(withProjectInDocument("\ufeff<Solution></Solution>\r\n", app)).toBe(
      '\ufeff<Solution>\r\n  <Project Path="src/App/App.csproj" />\r\n</Solution>\r\n',
    );
  });

  it("goes into its folder, which is made when it is missing", () => {
    const project = { ...app, folders: ["src", "core"] };
    const document = withProjectInDocument("<Solution>\n  <!-- why -->\n</Solution>\n", project);
    expect(document).toBe(
      [
        "<Solution>",
        "  <!-- why -->",
        '  <Folder Name="/src/" />',
        '  <Folder Name="/src/core/">',
        '    <Project Path="src/App/App.csproj" />',
        "  </Folder>",
        "</Solution>",
        "",
      ].join("\n"),
    );
    const second = withProjectInDocument(document ?? "", { ...project, path: "b/B.proj", folders: ["src"] });
    expect(second).toContain(
      '  <Folder Name="/src/">\n    <Project Path="b/B.proj" Type="13b669be-bb05-4ddf-9536-439f39a36129" />\n  </Folder>\n',
    );
    expect(withProjectInDocument(second ?? "", { ...project, path: "c/C.csproj" })).toContain(
      '    <Project Path="src/App/App.csproj" />\n    <Project Path="c/C.csproj" />\n  </Folder>\n',
    );
  });

  it("is not added twice", () => {
    const document = '<Solution><Project Path="src\\app\\App.csproj"/></Solution>';
    expect(withProjectInDocument(document, app)).toBe(document);
  });

  it.each(["", "<Solution>", "<Project />", "text"])("needs a solution, not %j", (document) => {
    expect(withProjectInDocument(document, app)).toBeUndefined();
  });
});

describe("solution entries", () => {
  it.each([
    ["src/App/App.csproj", ["src"]],
    ["src/App.csproj", ["src"]],
    ["App/App.csproj", []],
    ["App.csproj", []],
    ["src/app/App.csproj", ["src", "app"]],
    ["../App/App.csproj", []],
  ])("%s lies in %j", (path, folders) => {
    expect(foldersOf(path)).toEqual(folders);
  });

  it.each([
    ["a.fsproj", "F2A71F9B-5D33-465A-A702-920D77279786"],
    ["a.VBPROJ", "F184B08F-C81C-45F6-A57F-5ABD9991F28F"],
    ["a.sqlproj", "00D1A9C2-B5F0-4AF3-8072-F6C62B433612"],
    ["a.strangeproj", "13B669BE-BB05-4DDF-9536-439F39A36129"],
  ])("%s has the type %s", (path, id) => {
    expect(projectType(path).id).toBe(id);
  });
});

describe("adding projects to a solution", () => {
  const project = '<Project Sdk="Microsoft.NET.Sdk" />\n';
  const run = (args: Record<string, unknown>, files: Record<string, string>, config: Record<string, unknown> = {}) =>
    renderFiles(
      {
        sourceName: "App",
        primaryOutputs: [{ path: "App.Web/App.Web.csproj" }, { path: "readme.md" }, { path: "App.Lib.fsproj" }],
        postActions: [{ actionId: addAction, args, manualInstructions: [{ text: "Add them" }] }],
        ...config,
      },
      files,
    );
  const files = {
    "App.sln": empty,
    "App.Web/App.Web.csproj": project,
    "App.Lib.fsproj": project,
    "readme.md": "x",
  };
  const names = (result: { files: Map<string, { bytes: Uint8Array }> }, path = "MyApp.sln") =>
    Array.from(
      Buffer.from(result.files.get(path)?.bytes ?? [])
        .toString()
        .matchAll(/= "([^"]*)", "/g),
      ([, name]) => name,
    );

  it("adds the projects among the primary outputs", () => {
    const result = run({}, files);
    expect(names(result)).toEqual(["MyApp.Web", "MyApp.Lib"]);
    expect(result.manualInstructions).toEqual([]);
    expect(result.warnings).toEqual([]);
    expect(texts(run({}, files))).toEqual(texts(result));
  });

  it("adds what its arguments name", () => {
    expect(names(run({ primaryOutputIndexes: "2" }, files))).toEqual(["MyApp.Lib"]);
    expect(names(run({ primaryOutputIndexes: "0; 2;" }, files))).toEqual(["MyApp.Web", "MyApp.Lib"]);
    expect(names(run({ projectFiles: ["App.Lib.fsproj"] }, files))).toEqual(["MyApp.Lib"]);
    expect(names(run({ projectFiles: "**/*.csproj;./App.Lib.fsproj" }, files))).toEqual(["MyApp.Web", "MyApp.Lib"]);
    expect(names(run({ projectFiles: "none.csproj" }, files))).toEqual(["MyApp.Web", "MyApp.Lib"]);
  });

  it("knows solution folders", () => {
    const deep = { ...files, "src/App.Core/App.Core.csproj": project };
    const args = { projectFiles: "**/App.Core.csproj" };
    expect(names(run(args, deep))).toEqual(["src", "MyApp.Core"]);
    expect(names(run({ ...args, inRoot: true }, deep))).toEqual(["MyApp.Core"]);
    expect(names(run({ ...args, solutionFolder: "a\\b" }, deep))).toEqual(["a", "b", "MyApp.Core"]);
  });

  it("takes the project's own guid", () => {
    const content = `<Project><ProjectGuid>{${projectId.toLowerCase()}}</ProjectGuid></Project>`;
    expect(texts(run({ primaryOutputIndexes: "2" }, { ...files, "App.Lib.fsproj": content }))["MyApp.sln"]).toContain(
      `"MyApp.Lib.fsproj", "{${projectId}}"`,
    );
  });

  it("edits the newer format too, and the only solution elsewhere", () => {
    const { "App.sln": _, ...others } = files;
    const result = run({ inRoot: "true" }, { ...others, "all/App.slnx": "<Solution>\n</Solution>\n" });
    expect(texts(result)["all/MyApp.slnx"]).toBe(
      '<Solution>\n  <Project Path="../MyApp.Web/MyApp.Web.csproj" />\n  <Project Path="../MyApp.Lib.fsproj" />\n</Solution>\n',
    );
  });

  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    ["there is no solution", {}, { "App.Web/App.Web.csproj": project }],
    ["there are two", {}, { ...files, "Other.sln": empty }],
    ["there are two folders and none is asked for", { inRoot: true, solutionFolder: "x" }, files],
    ["an index is wrong", { primaryOutputIndexes: "7" }, files],
    ["an index is no number", { primaryOutputIndexes: "a" }, files],
    ["the solution is none", {}, { ...files, "App.sln": "text" }],
  ])("comes back as an instruction when %s", (_, args, input) => {
    const result = run(args, input, { primaryOutputs: [{ path: "App.Web/App.Web.csproj" }] });
    expect(result.manualInstructions).toMatchObject([{ text: "Add them", actionId: addAction }]);
    expect(result.warnings).toMatchObject([{ code: "PostActionSkipped" }]);
  });
});
