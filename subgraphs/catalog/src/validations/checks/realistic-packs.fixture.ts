import type { FileTree } from "../../engine/file-tree.js";
import { tree } from "../../engine/pack-fixture.js";

export interface RealisticPack {
  readonly what: string;
  readonly files: FileTree;
  /** As a careful author describes the parameters. */
  readonly schema: unknown;
}

const restore = "210D431B-A78B-4D2F-B762-4ED3E3EA9025";
const openInEditor = "84C0DA21-51C8-4541-9940-6CA19AF04EE6";
const makeExecutable = "CB9A6CF3-4F5C-4860-B9D2-03A574959774";

const framework = {
  type: "parameter",
  description: "What the project targets.",
  datatype: "choice",
  choices: [{ choice: "net8.0", description: "Target net8.0" }, { choice: "net9.0" }],
  replaces: "net8.0",
  defaultValue: "net8.0",
};

const skipRestore = { type: "parameter", datatype: "bool", description: "No restore.", defaultValue: "false" };

function config(identity: string, more: object): string {
  const common = {
    $schema: "http://json.schemastore.org/template",
    author: "Example",
    classifications: ["Common"],
    identity: `Example.${identity}.CSharp`,
    groupIdentity: `Example.${identity}`,
    precedence: 8000,
    name: identity,
    shortName: [`example-${identity.toLowerCase()}`],
    tags: { language: "C#", type: "project" },
    preferNameDirectory: true,
  };
  return JSON.stringify({ ...common, ...more }, null, 2);
}

const restoring = (condition = "(!skipRestore)") => ({
  id: "restore",
  condition,
  description: "Restore the packages of the project.",
  manualInstructions: [{ text: "Run 'dotnet restore'" }],
  actionId: restore,
  continueOnError: true,
});

const consoleApp: RealisticPack = {
  what: "a console application with a language version",
  files: tree({
    ".template.config/template.json": config("Console", {
      sourceName: "Company.ConsoleApp1",
      symbols: {
        Framework: framework,
        skipRestore,
        langVersion: {
          type: "parameter",
          datatype: "text",
          description: "The LangVersion of the project",
          defaultValue: "",
          replaces: "$(ProjectLanguageVersion)",
        },
        HostIdentifier: { type: "bind", binding: "HostIdentifier" },
        withUsings: {
          type: "generated",
          generator: "regexMatch",
          datatype: "bool",
          parameters: { pattern: "^(|10(\\.0)?|1[1-9]|preview|latest(Major)?|default)$", source: "langVersion" },
        },
        ImplicitUsings: { type: "computed", value: 'withUsings == "true"' },
        UseProgramMain: { type: "parameter", datatype: "bool", defaultValue: "false", displayName: "Program.Main" },
      },
      primaryOutputs: [
        { path: "Company.ConsoleApp1.csproj" },
        { path: "Program.cs", condition: '(HostIdentifier != "dotnetcli" && HostIdentifier != "dotnetcli-preview")' },
      ],
      postActions: [
        restoring(),
        {
          id: "open",
          condition: '(HostIdentifier != "dotnetcli")',
          description: "Open Program.cs",
          manualInstructions: [],
          actionId: openInEditor,
          args: { files: "1" },
          continueOnError: true,
        },
      ],
    }),
    ".template.config/dotnetcli.host.json": '{ "symbolInfo": { "skipRestore": { "longName": "no-restore" } } }',
    ".template.config/localize/templatestrings.de.json": JSON.stringify({
      name: "Konsole",
      "symbols/skipRestore/description": "Kein Restore.",
      "postActions/restore/description": "Pakete holen.",
      "postActions/restore/manualInstructions/default/text": "'dotnet restore' ausführen",
    }),
    "Company.ConsoleApp1.csproj": `<Project Sdk="Microsoft.NET.Sdk">

  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net8.0</TargetFramework>
    <RootNamespace Condition="'$(name)' != '$(name{-VALUE-FORMS-}safe_namespace)'">Company.ConsoleApp1</RootNamespace>
    <LangVersion Condition="'$(langVersion)' != ''">$(ProjectLanguageVersion)</LangVersion>
    <ImplicitUsings Condition="'$(ImplicitUsings)' == 'true'">enable</ImplicitUsings>
  </PropertyGroup>

</Project>
`,
    "Program.cs": `#if (!ImplicitUsings)
using System;

#endif
#if (UseProgramMain)
namespace Company.ConsoleApp1;

class Program
{
    static void Main(string[] args)
    {
        Console.WriteLine("Hello");
    }
}
#else
Console.WriteLine("Hello");
#endif
`,
  }),
  schema: {
    type: "object",
    properties: {
      Framework: { enum: ["net8.0", "net9.0"], default: "net8.0" },
      skipRestore: { type: "boolean" },
      langVersion: { type: "string", pattern: "^(?:\\d{1,2}(?:\\.\\d)?|latest|preview|default|)$" },
      UseProgramMain: { type: "boolean" },
    },
  },
};

const library: RealisticPack = {
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

const webSite: RealisticPack = {
  what: "a web site with a choice of authentication",
  files: tree({
    ".template.config/template.json": config("Site", {
      sourceName: "Company.WebApplication1",
      symbols: {
        Framework: framework,
        auth: {
          type: "parameter",
          datatype: "choice",
          choices: [{ choice: "None" }, { choice: "Individual" }, { choice: "Windows" }],
          defaultValue: "None",
          description: "How people sign in",
        },
        IndividualAuth: { type: "computed", value: '(auth == "Individual")' },
        WindowsAuth: { type: "computed", value: '(auth == "Windows")' },
        NoAuth: { type: "computed", value: "(!(IndividualAuth || WindowsAuth))" },
        NoHttps: { type: "parameter", datatype: "bool", defaultValue: "false" },
        HasHttps: { type: "computed", value: '(!NoHttps && (NoAuth || auth == "Individual"))' },
        httpPort: { type: "parameter", datatype: "integer", description: "Port for http" },
        httpPortGenerated: { type: "generated", generator: "port", parameters: { low: 5000, high: 5300 } },
        httpPortChosen: {
          type: "generated",
          generator: "coalesce",
          parameters: { sourceVariableName: "httpPort", fallbackVariableName: "httpPortGenerated" },
          replaces: "5000",
          onlyIf: [{ after: "localhost:" }],
        },
        secretsId: {
          type: "generated",
          generator: "guid",
          parameters: { defaultFormat: "D" },
          replaces: "aspnet-app-secrets",
        },
        Title: {
          type: "parameter",
          replaces: "SITE_TITLE",
          forms: { global: ["identity", "xmlEncode"] },
          defaultValue: "Site",
        },
      },
      sources: [
        {
          copyOnly: ["wwwroot/lib/**"],
          modifiers: [
            { condition: "(!IndividualAuth)", exclude: ["Data/**"] },
            { condition: "(NoHttps)", exclude: ["certs/**"] },
          ],
        },
      ],
      primaryOutputs: [{ path: "Company.WebApplication1.csproj" }],
    }),
    "Company.WebApplication1.csproj": `<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <UserSecretsId Condition="'$(IndividualAuth)' == 'True'">aspnet-app-secrets</UserSecretsId>
  </PropertyGroup>
<!--#if (IndividualAuth) -->
  <ItemGroup>
    <PackageReference Include="Microsoft.AspNetCore.Identity.UI" Version="8.0.0" />
  </ItemGroup>
<!--#endif -->
</Project>
`,
    "Program.cs": `var builder = WebApplication.CreateBuilder(args);
#if (IndividualAuth)
builder.Services.AddAuthentication();
#elseif (WindowsAuth)
builder.Services.AddAuthorization();
#endif
var app = builder.Build();
#if (HasHttps)
app.UseHttpsRedirection();
#endif
app.Run();
`,
    "Views/_Layout.cshtml": `@using Company.WebApplication1
<title>SITE_TITLE</title>
@*#if (NoAuth)
<p>Open to all</p>
#elseif (WindowsAuth)
<p>@User.Identity?.Name</p>
#else
<partial name="_Login" />
#endif*@
`,
    "appsettings.json": `{
////#if (IndividualAuth)
//  "ConnectionStrings": { "Default": "DataSource=app.db" },
////#endif
  "Logging": {
    "LogLevel": { "Default": "Information" }
  }
}
`,
    "Properties/launchSettings.json": `{
  "profiles": {
    //#if (HasHttps)
    "https": { "applicationUrl": "https://localhost:7000;http://localhost:5000" },
    //#endif
    "http": { "applicationUrl": "http://localhost:5000" }
  }
}
`,
    "wwwroot/css/site.css": "/*#if (WindowsAuth)*/\n.user { color: blue; }\n/*#endif*/\nbody { margin: 0; }\n",
    "wwwroot/lib/vendor.js": "//#if (anything)\nvar a;\n",
    "Data/Store.cs": "namespace Company.WebApplication1.Data;\n\npublic sealed class Store;\n",
    "certs/README.md": "<!--#if (HasHttps) -->\nTrust the certificate.\n<!--#endif -->\n",
  }),
  schema: {
    type: "object",
    properties: {
      Framework: { enum: ["net8.0", "net9.0"] },
      auth: { enum: ["None", "Individual", "Windows"], default: "None" },
      NoHttps: { type: "boolean", default: false },
      httpPort: { type: "integer", minimum: 1024, maximum: 65535 },
      Title: { type: "string", maxLength: 80 },
    },
  },
};

const item: RealisticPack = {
  what: "an item for an existing project",
  files: tree({
    ".template.config/template.json": `{
  // an item template has neither project nor solution
  "author": "Example",
  "classifications": [ "Code" ],
  "name": "Handler",
  "identity": "Example.Handler.Item",
  "groupIdentity": "Example.Handler",
  "shortName": "handler",
  "tags": { "language": "C#", "type": "item" },
  "sourceName": "Handler1",
  "defaultName": "Handler1",
  "preferDefaultName": true,
  "constraints": {
    "csharp-only": { "type": "project-capability", "args": "CSharp" },
    "recent": { "type": "sdk-version", "args": [ "8.0.*", "[9.0,)" ] },
  },
  "symbols": {
    "DefaultNamespace": {
      "type": "bind",
      "binding": "msbuild:RootNamespace",
      "replaces": "%NAMESPACE%",
      "defaultValue": "Example"
    },
    "async": { "type": "parameter", "datatype": "bool", "defaultValue": "false" },
    "Verb": {
      "type": "parameter",
      "datatype": "choice",
      "choices": [ { "choice": "Get" }, { "choice": "Post" } ],
      "defaultValue": "Get",
      "isEnabled": "(async || !async)",
      "replaces": "VERB"
    }
  },
}
`,
    "Handler1.cs": `namespace %NAMESPACE%;

public sealed class Handler1
{
#if (async)
    public Task VERB() => Task.CompletedTask;
#else
    public void VERB() { }
#endif
}
`,
  }),
  schema: { type: "object", properties: { async: { type: "boolean" }, Verb: { enum: ["Get", "Post"] } } },
};

const worker: RealisticPack = {
  what: "a worker service that shares files with its neighbours in the package",
  files: tree({
    "content/worker/.template.config/template.json": config("Worker", {
      sourceName: "WorkerService1",
      symbols: {
        Framework: framework,
        Docker: { type: "parameter", datatype: "bool", defaultValue: "true" },
        Registry: {
          type: "parameter",
          datatype: "text",
          replaces: "registry.example.com",
          isEnabled: "Docker == true",
          defaultValue: "registry.example.com",
        },
        kebab: { type: "derived", valueSource: "name", valueTransform: "kebabCase", replaces: "worker-image" },
      },
      sources: [
        {
          source: "./",
          target: "./",
          modifiers: [{ condition: "(!Docker)", exclude: ["Dockerfile", "compose.yaml", "**/*.sh"] }],
        },
        { source: "../shared", target: "./" },
      ],
      primaryOutputs: [{ path: "WorkerService1.csproj" }],
      postActions: [
        {
          condition: "(Docker)",
          actionId: makeExecutable,
          args: { "+x": "build.sh" },
          manualInstructions: [{ text: "chmod +x build.sh" }],
        },
      ],
    }),
    "content/worker/WorkerService1.csproj": `<Project Sdk="Microsoft.NET.Sdk.Worker">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
  </PropertyGroup>
</Project>
`,
    "content/worker/Dockerfile": `FROM registry.example.com/runtime:8.0
#if (Framework == "net9.0")
ENV DOTNET_ROLL_FORWARD=Major
#endif
COPY . /app
`,
    "content/worker/compose.yaml": `services:
  worker:
    image: worker-image
    environment:
      - DOTNET_ENVIRONMENT=Development
    #if (Framework == "net8.0")
    labels: [ "net8" ]
    #else
    #labels: [ "later" ]
    #endif
`,
    "content/worker/build.sh": "#!/bin/sh\nset -e\n#if (Docker)\ndocker build -t worker-image .\n#endif\n",
    "content/shared/.editorconfig": "root = true\n#if (Docker)\n[*.sh]\nend_of_line = lf\n#endif\n",
    "content/shared/README.md": "# WorkerService1\n",
    "content/other/.keep": "",
  }),
  schema: {
    type: "object",
    properties: {
      Framework: { enum: ["net8.0", "net9.0"] },
      Docker: { type: "boolean" },
      Registry: { type: "string", format: "hostname" },
    },
  },
};

const basic: RealisticPack = {
  what: "a Visual Basic application beside one in F#",
  files: tree({
    ".template.config/template.json": config("Basic", {
      sourceName: "Company.App1",
      tags: { language: "VB", type: "solution" },
      symbols: {
        Language: {
          type: "parameter",
          datatype: "choice",
          choices: [{ choice: "VB" }, { choice: "F#" }, { choice: "both" }],
          defaultValue: "both",
        },
        Greeting: { type: "parameter", defaultValue: "Hello", replaces: "GREETING" },
        Loud: { type: "parameter", datatype: "bool" },
      },
      sources: [
        { source: "./basic", target: "./basic", condition: '(Language != "F#")' },
        { source: "./functional", target: "./functional", condition: '(Language != "VB")' },
      ],
    }),
    "basic/Company.App1.vbproj":
      '<Project Sdk="Microsoft.NET.Sdk">\n  <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>\n</Project>\n',
    "basic/Program.vb": `Module Program
    Sub Main()
#If (Loud) Then
        Console.WriteLine("GREETING!")
#Else
        Console.WriteLine("GREETING")
#End If
    End Sub
End Module
`,
    "functional/Company.App1.fsproj":
      '<Project Sdk="Microsoft.NET.Sdk">\n  <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>\n</Project>\n',
    "functional/Program.fs": '#if (Loud)\nprintfn "GREETING!"\n#else\nprintfn "GREETING"\n#endif\n',
  }),
  schema: {
    type: "object",
    properties: {
      Language: { enum: ["VB", "F#", "both"] },
      Greeting: { type: "string", maxLength: 40 },
      Loud: { type: "boolean" },
    },
  },
};

/** In the style of what is published for `dotnet new`. */
export const realisticPacks: readonly RealisticPack[] = [consoleApp, library, webSite, item, worker, basic];
