import { projectReferences } from "./project-references.js";

const tree = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: false }]));
const readReferences = (files: Record<string, string>) => projectReferences(tree(files), "net8.0");
const project = (items: string, properties = "<TargetFramework>net9.0</TargetFramework>") =>
  `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>${properties}</PropertyGroup><ItemGroup>${items}</ItemGroup></Project>`;
const requestedVersions = (files: Record<string, string>) =>
  readReferences(files).projects.flatMap(({ references }) =>
    references.map(({ packageName, requested: text }) => `${packageName} ${text}`),
  );

/** The references under each condition combination. */
const sets = (files: Record<string, string>) =>
  readReferences(files).projects.map(({ references }) =>
    references.map(({ packageName, requested: text }) => `${packageName} ${text}`).join(", "),
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
    expect(
      readReferences(files).projects.map(({ path, frameworks, references }) => [path, frameworks, references]),
    ).toEqual([
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
    expect(requestedVersions(files).map((text) => text.isWellFormed())).toEqual([true, true]);
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
    expect(requestedVersions(files)).toEqual(["A 1.5.0", "Lost null", "Analyzer 7.0.0", "A 2.0.0", "Analyzer 7.0.0"]);
  });

  it("do not come from central files that are not switched on", () => {
    const files = {
      "Directory.Packages.props": project('<PackageVersion Include="A" Version="1.0.0" />', ""),
      "App.csproj": project('<PackageReference Include="A" />'),
    };
    expect(requestedVersions(files)).toEqual(["A null"]);
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
    expect(requestedVersions(files)).toEqual(["Shared 2.0.0", "A 3.1.0", "B $(Missing)"]);
  });

  it("follow updates and removals, and a condition that no file decides counts both ways", () => {
    const items = `
      <PackageReference Include="A;B" Version="1.0.0" />
      <PackageReference Update="A" Version="2.0.0" />
      <PackageReference Update="B" Version="3.0.0" Condition="'$(X)' == 'a'" />
      <PackageReference Include="C" Version="1.0.0" Condition="'$(X)' == 'a'" />
      <PackageReference Include="D" Version="1.0.0" /><PackageReference Remove="D" />
      <PackageReference Include="E" Version="1.0.0" /><PackageReference Remove="E" Condition="'$(X)' != 'a'" />`;
    expect(sets({ "App.csproj": project(items) })).toEqual(["A 2.0.0, B 3.0.0, C 1.0.0, E 1.0.0", "A 2.0.0, B 1.0.0"]);
  });

  it.each([
    [
      "a property that a condition may set",
      `<V>1.0.0</V><V Condition="'$(Never)'=='x'">2.0.0</V>`,
      ["A 2.0.0", "A 1.0.0"],
    ],
    [
      "a group in Choose",
      `</PropertyGroup><Choose><When Condition="$(Never)"><PropertyGroup><V>1.0.0</V></PropertyGroup></When>
         <Otherwise><PropertyGroup><V>2.0.0</V></PropertyGroup></Otherwise></Choose><PropertyGroup>`,
      ["A 1.0.0", "A 2.0.0"],
    ],
    [
      "a condition about what the files set",
      `<X>on</X><V Condition="('$(x)' == 'ON') and !Exists('none')">1.0.0</V><V Condition="'$(X)' != 'on' or false">2.0.0</V>
         <V Condition="'$(V)' == ''">3.0.0</V>`,
      ["A 3.0.0", "A 1.0.0"],
    ],
    ["a default", `<V Condition="'$(V)' == ''">1.0.0</V><V Condition="'$(V)' == ''">2.0.0</V>`, ["A 1.0.0"]],
    ["a property that is set later", "<V>$(W)</V><W>1.0.0</W>", ["A $(W)"]],
  ])("take each value that is possible: %s", (_, properties, expectedVersions) => {
    const framework = "<TargetFramework>net9.0</TargetFramework>";
    const files = { "App.csproj": project('<PackageReference Include="A" Version="$(V)" />', framework + properties) };
    expect(sets(files)).toEqual(expectedVersions);
    expect(readReferences(files).limits).toEqual([]);
  });

  it("are those of each framework, where a condition is about it", () => {
    const items = `<PackageReference Include="A" Version="1.0.0" Condition="'$(TargetFramework)' == 'net8.0'" />
      <PackageReference Include="A"><Version>2.0.0</Version><Version Condition="'$(X)'">3.0.0</Version></PackageReference>
      <PackageReference Remove="A" Condition=" '$(TargetFramework)' != 'net8.0' " />`;
    const files = { "App.csproj": project(items, "<TargetFrameworks>net8.0;net9.0</TargetFrameworks>") };
    expect(
      readReferences(files).projects.map(({ frameworks, references }) => [
        frameworks,
        references.map(({ requested: version }) => version),
      ]),
    ).toEqual([
      [["net8.0"], ["1.0.0"]],
      [["net8.0"], ["3.0.0"]],
      [["net8.0"], ["2.0.0"]],
      [["net9.0"], []],
    ]);
  });

  it("include those of imported files and of targets", () => {
    const files = {
      "Directory.Build.props":
        "<Project><PropertyGroup><Eng>$(MSBuildThisFileDirectory)eng/</Eng></PropertyGroup></Project>",
      "eng/common.props": `<Project><Import Project="..\\more.props" /><PropertyGroup><V>1.0.0</V></PropertyGroup></Project>`,
      "more.props": project('<PackageReference Include="More" Version="$(V)" />'),
      "src/Directory.Build.props": `<Project><Import Project="$([MSBuild]::GetPathOfFileAbove('Directory.Build.props', '$(MSBuildThisFileDirectory)../'))" /></Project>`,
      "src/App.csproj": `<Project Sdk="X"><Import Project="$(Eng)common.props" /><Import Project="Sdk.props" Sdk="Y" />
        <Import Project="$(MSBuildExtensionsPath)\\Common.props" Condition="Exists('x')" /><Import Project="gone.props" />
        <Target Name="T"><ItemGroup><PackageReference Include="Late" Version="2.0.0" /></ItemGroup></Target></Project>`,
    };
    expect(sets(files)).toEqual(["More 1.0.0, Late 2.0.0", "More 1.0.0"]);
    expect(readReferences(files).limits).toEqual([]);
  });

  it.each([
    ["an import that only a build can find", '<Project><Import Project="$(Unknown)/x.props" /></Project>', "Files"],
    ["a file that is not well-formed", "<Project", "Files"],
    ["a property that imports", project("", "<DirectoryBuildPropsPath>x</DirectoryBuildPropsPath>"), "Files"],
    ["names that nothing tells", project('<PackageReference Include="@(Others)" Version="1.0.0" />'), "Names"],
    [
      "more conditions than are evaluated",
      project(
        Array.from({ length: 7 }, (_, at) => `<PackageReference Include="P${at}" Condition="$(X${at})" />`).join(""),
      ),
      "Conditions",
    ],
    [
      "conditions without an end",
      project(
        '<PackageReference Include="A" Version="$(P0)" />',
        Array.from({ length: 200 }, (_, at) => `<P${200 - at}>$(P${201 - at})</P${200 - at}>`).join("") +
          "<P0>$(P1)</P0>",
      ),
      "Conditions",
    ],
  ])("name a limit for %s", (_, file, limit) => {
    expect(readReferences({ "App.csproj": file }).limits).toEqual([limit]);
  });

  it("are pins of transitive packages too, where central management says so", () => {
    const files = {
      "Directory.Packages.props": project(
        '<PackageVersion Include="T" Version="4.0.0" />',
        "<ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally><CentralPackageTransitivePinningEnabled>true</CentralPackageTransitivePinningEnabled>",
      ),
      "App.csproj": project(""),
    };
    expect(readReferences(files).projects[0]?.pins).toEqual([{ packageName: "T", requested: "4.0.0" }]);
  });

  it("end at the limits, and say so", () => {
    const oneProject = project('<PackageReference Include="A" Version="1.0.0" />');
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`p${at}/P.csproj`, oneProject]));
    expect(readReferences(many)).toMatchObject({ limits: ["Projects"] });
    expect(readReferences(many).projects).toHaveLength(100);
    const items = Array.from({ length: 2001 }, (_, at) => `<PackageReference Include="P${at}" Version="1.0.0" />`);
    const wide = readReferences({ "App.csproj": project(items.join("")) });
    expect(wide.limits).toEqual(["References"]);
    expect(wide.projects[0]?.references).toHaveLength(2000);
  });

  it("are none of a file that is not well-formed or expands for ever", () => {
    const loop = "<A>$(B)$(B)</A><B>$(A)$(A)</B>";
    const files = {
      "Bad.csproj": "<Project",
      "Loop.csproj": project('<PackageReference Include="A" Version="$(A)" />', loop),
    };
    const { projects } = readReferences(files);
    expect(projects.map(({ path, references }) => [path, references.length])).toEqual([
      ["Bad.csproj", 0],
      ["Loop.csproj", 1],
    ]);
  });
});
