import { projectReferences } from "./project-references.js";

const tree = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: false }]));
const read = (files: Record<string, string>) => projectReferences(tree(files), "net8.0");
const project = (items: string, properties = "<TargetFramework>net9.0</TargetFramework>") =>
  `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>${properties}</PropertyGroup><ItemGroup>${items}</ItemGroup></Project>`;
const requested = (files: Record<string, string>) =>
  read(files).projects.flatMap(({ references }) =>
    references.map(({ packageName, requested: text }) => `${packageName} ${text}`),
  );

describe("the references of a render", () => {
  it("are those of every project, with its frameworks", () => {
    const files = {
      "src/App/App.csproj": project('<PackageReference Include="A" Version="1.0.0" />'),
      "src/Lib/Lib.fsproj": project(
        "<PackageReference Include='B'><Version>[2.0,3.0)</Version></PackageReference>",
        "<TargetFrameworks>net8.0; netstandard2.0</TargetFrameworks>",
      ),
      "old/Old.vbproj":
        "<Project><PropertyGroup><TargetFrameworkVersion>v4.7.2</TargetFrameworkVersion></PropertyGroup></Project>",
      "old/packages.config": '<packages><package id="C" version="3.1.0" targetFramework="net472" /></packages>',
      "none/None.csproj": "<Project />",
      "README.md": '<PackageReference Include="Z" Version="1.0.0" />',
    };
    expect(read(files).projects.map(({ path, frameworks, references }) => [path, frameworks, references])).toEqual([
      ["none/None.csproj", ["net8.0"], []],
      ["old/Old.vbproj", ["net472"], [{ packageName: "C", requested: "3.1.0" }]],
      ["src/App/App.csproj", ["net9.0"], [{ packageName: "A", requested: "1.0.0" }]],
      ["src/Lib/Lib.fsproj", ["net8.0", "netstandard2.0"], [{ packageName: "B", requested: "[2.0,3.0)" }]],
    ]);
  });

  it("have versions that can be stored, also where a cut divides a character", () => {
    const long = `${"1".repeat(199)}\u{1f600}`;
    const files = {
      "A.csproj": project(`<PackageReference Include="A" Version="${long}" />`),
      "old/B.csproj": "<Project />",
      "old/packages.config": `<packages><package id="B" version="${long}" /></packages>`,
    };
    expect(requested(files).map((text) => text.isWellFormed())).toEqual([true, true]);
  });

  it("get their versions from the nearest central file, unless a project overrides them", () => {
    const central = (version: string) =>
      project(
        `<PackageVersion Include="A" Version="${version}" /><PackageVersion Include="Unused" Version="9.0.0" />
         <GlobalPackageReference Include="Analyzer" Version="7.0.0" />`,
        "<ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>",
      );
    const files = {
      "Directory.Packages.props": central("1.0.0"),
      "near/Directory.Packages.props": central("2.0.0"),
      "near/App/App.csproj": project('<PackageReference Include="a" />'),
      "far/Lib.csproj": project(
        '<PackageReference Include="A" VersionOverride="1.5.0" /><PackageReference Include="Lost" />',
      ),
    };
    expect(requested(files)).toEqual(["A 1.5.0", "Lost null", "Analyzer 7.0.0", "A 2.0.0", "Analyzer 7.0.0"]);
  });

  it("do not come from central files that are not switched on", () => {
    const files = {
      "Directory.Packages.props": project('<PackageVersion Include="A" Version="1.0.0" />', ""),
      "App.csproj": project('<PackageReference Include="A" />'),
    };
    expect(requested(files)).toEqual(["A null"]);
  });

  it("have the properties of all files that MSBuild reads, whatever their order", () => {
    const files = {
      "Directory.Build.props": project(
        '<PackageReference Include="Shared" Version="$(SharedVersion)" />',
        "<SharedVersion>1.0.0</SharedVersion>",
      ),
      "App.csproj": project(
        '<PackageReference Include="A" Version="$( aVersion )" /><PackageReference Include="B" Version="$(Missing)" />',
        "<SharedVersion>2.0.0</SharedVersion><Major>3</Major><AVersion>$(Major).1.0</AVersion>",
      ),
    };
    expect(requested(files)).toEqual(["Shared 2.0.0", "A 3.1.0", "B $(Missing)"]);
  });

  it("count whatever a condition says, and follow updates and removals without one", () => {
    const items = `
      <PackageReference Include="A;B" Version="1.0.0" />
      <PackageReference Update="A" Version="2.0.0" />
      <PackageReference Update="B" Version="3.0.0" Condition="'$(X)' == ''" />
      <PackageReference Include="C" Version="1.0.0" Condition="'$(X)' == ''" />
      <PackageReference Include="D" Version="1.0.0" /><PackageReference Remove="D" />
      <PackageReference Include="E" Version="1.0.0" /><PackageReference Remove="E" Condition="'$(X)' == ''" />`;
    const files = { "App.csproj": project(items) };
    expect(requested(files)).toEqual(["A 2.0.0", "B 1.0.0", "B 3.0.0", "C 1.0.0", "E 1.0.0"]);
  });

  it("are pins of transitive packages too, where central management says so", () => {
    const files = {
      "Directory.Packages.props": project(
        '<PackageVersion Include="T" Version="4.0.0" />',
        "<ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally><CentralPackageTransitivePinningEnabled>true</CentralPackageTransitivePinningEnabled>",
      ),
      "App.csproj": project(""),
    };
    expect(read(files).projects[0]?.pins).toEqual([{ packageName: "T", requested: "4.0.0" }]);
  });

  it("end at the limits, and say so", () => {
    const one = project('<PackageReference Include="A" Version="1.0.0" />');
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`p${at}/P.csproj`, one]));
    expect(read(many)).toMatchObject({ limits: ["Projects"] });
    expect(read(many).projects).toHaveLength(100);
    const items = Array.from({ length: 2001 }, (_, at) => `<PackageReference Include="P${at}" Version="1.0.0" />`);
    const wide = read({ "App.csproj": project(items.join("")) });
    expect(wide.limits).toEqual(["References"]);
    expect(wide.projects[0]?.references).toHaveLength(2000);
  });

  it("are none of a file that is not well-formed or expands for ever", () => {
    const loop = "<A>$(B)$(B)</A><B>$(A)$(A)</B>";
    const files = {
      "Bad.csproj": "<Project",
      "Loop.csproj": project('<PackageReference Include="A" Version="$(A)" />', loop),
    };
    const { projects } = read(files);
    expect(projects.map(({ path, references }) => [path, references.length])).toEqual([
      ["Bad.csproj", 0],
      ["Loop.csproj", 1],
    ]);
  });
});
