import { templateFacts } from "./template-facts.js";

const tree = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: false }]));
const config = (constraints: object) => JSON.stringify({ identity: "a", name: "a", shortName: "a", constraints });

describe("templateFacts", () => {
  it("finds the packages that projects reference at a fixed version", () => {
    const files = tree({
      "a/App.csproj": `<Project>
        <!--#if (Db)--><PackageReference Include="Npgsql" Version="8.0.4" /><!--#endif-->
        <PackageReference Version="1.2.3" Include="Serilog"></PackageReference>
        <PackageReference Include="Floating" Version="1.*" />
        <PackageReference Include="Filled" Version="$(FromAbove)" />
        <PackageReference Include="Central" />
      </Project>`,
      "Directory.Packages.props": '<PackageVersion Include="Central" Version="4.0.0" />',
      "notes.md": '<PackageReference Include="Not.A.Project" Version="1.0.0" />',
    });
    expect(templateFacts(files).pins).toEqual([
      { packageName: "Npgsql", version: "8.0.4" },
      { packageName: "Serilog", version: "1.2.3" },
      { packageName: "Central", version: "4.0.0" },
    ]);
  });

  it("names what a request may set", () => {
    const symbols = {
      Db: { type: "parameter" },
      UsesDb: { type: "computed", value: "Db" },
      Year: { type: "generated" },
    };
    const namesFor = (more: object) =>
      templateFacts(tree({ ".template.config/template.json": JSON.stringify({ identity: "a", ...more }) }))
        .parameterNames;
    expect(namesFor({ symbols, tags: { language: "C#" } })).toEqual(["name", "language", "Db"]);
    expect(namesFor({})).toEqual(["name"]);
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_, at) => [`p${at}${"x".repeat(100)}`, { type: "parameter" }]),
    );
    expect(namesFor({ symbols: many })).toBeNull();
  });

  it("finds the SDKs that the template asks for, and nothing in one that cannot be read", () => {
    const constraints = { sdk: { type: "sdk-version", args: ["8.0.*", "9.0.100"] }, os: { type: "os", args: "Linux" } };
    expect(templateFacts(tree({ ".template.config/template.json": config(constraints) })).sdkVersions).toEqual([
      "8.0.*",
      "9.0.100",
    ]);
    expect(templateFacts(tree({ ".template.config/template.json": "{" }))).toEqual({
      pins: [],
      sdkVersions: [],
      parameterNames: null,
      parameterAliases: {},
    });
  });
});
