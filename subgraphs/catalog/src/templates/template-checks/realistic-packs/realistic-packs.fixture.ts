import { tree } from "@factory/template-engine/template-pack.fixture";
import { library } from "./library-pack.fixture.js";
import { config, framework, makeExecutable, type RealisticPack } from "./pack-parts.fixture.js";
import { consoleApp, webSite } from "./site-pack.fixture.js";

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

/** In the style of published `dotnet new` packs. */
export const realisticPacks: readonly RealisticPack[] = [consoleApp, library, webSite, item, worker, basic];
