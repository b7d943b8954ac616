/** The files in a small template pack with the sourceName `Company.App1`: one project and one text. */
export function aSmallPack(
  changes: { config?: Record<string, unknown>; files?: Record<string, string> } = {},
): Record<string, string> {
  const config = {
    $schema: "http://json.schemastore.org/template",
    author: "test",
    classifications: ["Web"],
    identity: "Company.App",
    name: "App",
    shortName: "app",
    sourceName: "Company.App1",
    tags: { language: "C#", type: "project" },
    ...changes.config,
  };
  return {
    ".template.config/template.json": JSON.stringify(config),
    "Company.App1/Company.App1.csproj": `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
  </PropertyGroup>
</Project>
`,
    "README.md": "# Company.App1\n",
    ...changes.files,
  };
}
