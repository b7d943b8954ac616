import { tree } from "@factory/template-engine/template-pack.fixture";
import { config, type RealisticPack, restoring } from "./pack-parts.fixture.js";

export const library: RealisticPack = {
  what: "a class library with central package management and a solution",
  files: tree({
    ".template.config/template.json": config("Library", {
      sourceName: "Template.1",
      guids: ["9A19103F-16F7-4668-BE54-9A1E7A4F7556"],
      symbols: {
        Platforms: {
          type: "parameter",
          datatype: "choice",
          allowMultipleValues: true,
          enableQuotelessLiterals: true,
          choices: [{ choice: "net8.0" }, { choice: "net9.0" }, { choice: "netstandard2.0" }],
          defaultValue: "net8.0|netstandard2.0",
        },
        Frameworks: {
          type: "generated",
          generator: "join",
          replaces: "JOINED_FRAMEWORKS",
          parameters: { symbols: [{ type: "ref", value: "Platforms" }], separator: ";", removeEmptyValues: true },
        },
        Owner: { type: "parameter", datatype: "text", replaces: "OWNER", defaultValue: "Example", isRequired: false },
        ownerLower: {
          type: "generated",
          generator: "casing",
          parameters: { source: "Owner", toLower: true },
          replaces: "owner_lc",
          fileRename: "owner_lc",
        },
        Year: { type: "generated", generator: "now", replaces: "1975", parameters: { format: "yyyy" } },
        License: {
          type: "parameter",
          datatype: "choice",
          choices: [{ choice: "MIT" }, { choice: "Apache-2.0" }, { choice: "None" }],
          defaultValue: "MIT",
        },
        LicenseLine: {
          type: "generated",
          generator: "switch",
          replaces: "LICENSE_LINE",
          parameters: {
            datatype: "string",
            cases: [
              { condition: '(License == "MIT")', value: "<PackageLicenseExpression>MIT</PackageLicenseExpression>" },
              {
                condition: '(License == "Apache-2.0")',
                value: "<PackageLicenseExpression>Apache-2.0</PackageLicenseExpression>",
              },
              { condition: "(true)", value: "" },
            ],
          },
        },
        shortNameOf: {
          type: "derived",
          valueSource: "name",
          valueTransform: "lastPart",
          fileRename: "LastPart",
          replaces: "LastPart",
        },
        HasTests: { type: "parameter", datatype: "bool", defaultValue: "true" },
      },
      forms: {
        lastPart: { identifier: "chain", steps: ["afterDot", "safe_name"] },
        afterDot: { identifier: "replace", pattern: "^.*\\.(?=[^\\.]+$)", replacement: "" },
      },
      sources: [
        {
          exclude: ["**/[Bb]in/**", "**/[Oo]bj/**", ".template.config/**/*", "**/*.user"],
          modifiers: [
            { condition: "(!HasTests)", exclude: ["tests/**/*"] },
            { condition: '(License == "None")', exclude: ["LICENSE-*.txt"] },
            {
              condition: '(License == "MIT")',
              exclude: ["LICENSE-APACHE.txt"],
              rename: { "LICENSE-MIT.txt": "LICENSE.txt" },
            },
            {
              condition: '(License == "Apache-2.0")',
              exclude: ["LICENSE-MIT.txt"],
              rename: { "LICENSE-APACHE.txt": "LICENSE.txt" },
            },
          ],
        },
      ],
      primaryOutputs: [
        { path: "src/Template.1/Template.1.csproj" },
        { path: "tests/Template.1.Tests/Template.1.Tests.csproj", condition: "(HasTests)" },
      ],
      postActions: [restoring("(true)")],
    }),
    "Directory.Packages.props": `<Project>
  <PropertyGroup>
    <ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>
  </PropertyGroup>
  <ItemGroup>
    <!--#if (HasTests) -->
    <PackageVersion Include="xunit" Version="2.9.2" />
    <!--#endif -->
  </ItemGroup>
</Project>
`,
    "Template.1.sln": `
Microsoft Visual Studio Solution File, Format Version 12.00
Project("{FAE04EC0-301F-11D3-BF4B-00C04F79EFBC}") = "Template.1", "src\\Template.1\\Template.1.csproj", "{9A19103F-16F7-4668-BE54-9A1E7A4F7556}"
EndProject
#if (HasTests)
Project("{FAE04EC0-301F-11D3-BF4B-00C04F79EFBC}") = "Template.1.Tests", "tests\\Template.1.Tests\\Template.1.Tests.csproj", "{8B2C1E70-0C3A-4D39-9F9B-6D1D7A7C5E11}"
EndProject
#endif
Global
EndGlobal
`,
    "src/Template.1/Template.1.csproj": `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFrameworks>JOINED_FRAMEWORKS</TargetFrameworks>
    <Authors>OWNER</Authors>
    LICENSE_LINE
  </PropertyGroup>
</Project>
`,
    "src/Template.1/LastPartOptions.cs": `// Copyright 1975 OWNER
namespace Template._1;

public sealed class LastPartOptions
{
//-:cnd:noEmit
#if NETSTANDARD
    public string Name { get; set; } = "owner_lc";
#else
    public required string Name { get; init; }
#endif
//+:cnd:noEmit
}
`,
    "src/Template.1/owner_lc.txt": "owner_lc\n",
    "tests/Template.1.Tests/Template.1.Tests.csproj": `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>
  <ItemGroup><PackageReference Include="xunit" /></ItemGroup>
</Project>
`,
    "LICENSE-MIT.txt": "Copyright 1975 OWNER\n",
    "LICENSE-APACHE.txt": "Copyright 1975 OWNER\n",
    ".github/workflows/build.yml": `name: build
on:
  push:
    branches: [ main ]
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    - name: Build
      run: |
        dotnet restore
        dotnet build --no-restore
    #if (HasTests)
    - run: dotnet test
    #endif
`,
  }),
  schema: {
    type: "object",
    properties: {
      Platforms: {
        type: "array",
        items: { enum: ["net8.0", "net9.0", "netstandard2.0"] },
        minItems: 1,
        uniqueItems: true,
      },
      Owner: { type: "string", pattern: "^[A-Za-z][A-Za-z ]*$", maxLength: 60 },
      License: { enum: ["MIT", "Apache-2.0", "None"] },
      HasTests: { type: "boolean" },
    },
  },
};
