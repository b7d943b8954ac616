import { tree } from "@factory/template-engine/template-pack.fixture";
import { config, framework, openInEditor, type RealisticPack, restoring, skipRestore } from "./pack-parts.fixture.js";

export const webSite: RealisticPack = {
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

export const consoleApp: RealisticPack = {
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
