import type { Finding } from "@factory/template-engine/finding";
import { renderFiles, tree } from "@factory/template-engine/template-pack.fixture";
import { reported } from "../structural-lint/lint-pack.fixture.js";
import { differingPaths, sampleGeneration } from "./sample-generation.js";
import { sampleRequests } from "./sample-requests.js";
import { webApiSchema, webApiTemplate } from "./web-api-template.fixture.js";

type Files = Record<string, string>;

async function run(config: object, files: Files, subject: { schema?: unknown; framework?: string } = {}) {
  const full = { identity: "T", name: "T", shortName: "t", ...config };
  const pack = tree({ ".template.config/template.json": JSON.stringify(full), ...files });
  const { schema = { type: "object" }, framework = "net8.0" } = subject;
  return sampleGeneration(pack, { parameterSchema: schema, targetFramework: framework });
}

async function findings(...args: Parameters<typeof run>): Promise<Finding[]> {
  return (await run(...args)).findings;
}

const project = (framework: string) => `<Project>\n  <TargetFramework>${framework}</TargetFramework>\n</Project>\n`;

describe("sampleGeneration: a good template", () => {
  it("finds nothing, over many samples", async () => {
    const { findings, samples } = await sampleGeneration(webApiTemplate(), {
      parameterSchema: webApiSchema,
      targetFramework: "net8.0",
    });
    expect(findings).toEqual([]);
    expect(samples).toBeGreaterThanOrEqual(8);
    expect(samples).toBeLessThanOrEqual(50);
    expect(reported(webApiTemplate())).toEqual([]);
  });

  it.each([[{ type: "object" }], [{}], [undefined], [{ type: "text" }]])(
    "finds nothing with the schema %j",
    async (parameterSchema) => {
      const { findings, samples } = await sampleGeneration(webApiTemplate(), {
        parameterSchema,
        targetFramework: "net8.0",
      });
      expect(findings).toEqual([]);
      expect(samples).toBeGreaterThan(0);
    },
  );
});

describe("sampleGeneration: what it finds", () => {
  it("a template that cannot be read", async () => {
    const outcome = await sampleGeneration(tree({}), { parameterSchema: {}, targetFramework: "net8.0" });
    expect(outcome).toMatchObject({ samples: 0, findings: [{ severity: "Error", code: "SampleRenderFailed" }] });
  });

  it("parameters that fail to render, with their values", async () => {
    const symbols = { Port: { type: "parameter", datatype: "integer", replaces: "5080" } };
    const schema = { properties: { Port: { enum: [80, "http"] } } };
    const [first, ...others] = await findings({ symbols }, { "a.txt": "5080" }, { schema });
    expect(first).toMatchObject({
      severity: "Error",
      code: "SampleRenderFailed",
      message: expect.stringContaining('"Port":"http"'),
    });
    expect(others).toEqual([]);
  });

  it("a parameter that only the template requires", async () => {
    const symbols = { A: { type: "parameter", isRequired: true } };
    expect(await findings({ symbols }, { "a.txt": "" })).toMatchObject([
      { code: "SampleRenderFailed", message: expect.stringContaining("required") },
    ]);
  });

  it("a value that makes an unsafe path", async () => {
    const symbols = { A: { type: "parameter", fileRename: "dir", defaultValue: "ok" } };
    const schema = { properties: { A: { enum: ["ok", "../up"] } } };
    expect(await findings({ symbols }, { "dir/a.txt": "" }, { schema })).toMatchObject([
      { code: "SampleRenderFailed", path: "../up/a.txt" },
    ]);
  });

  it("a directive about a symbol in the result", async () => {
    const symbols = { Docker: { type: "parameter", datatype: "bool", defaultValue: "true" } };
    const sources = [{ copyOnly: ["Program.cs"] }];
    expect(await findings({ symbols, sources }, { "Program.cs": "x\n#if (Docker)\ny\n#endif\n" })).toMatchObject([
      { severity: "Warning", code: "DirectiveLeft", path: "Program.cs", line: 2 },
    ]);
    expect(await findings({ symbols, sources }, { "Program.cs": "#if DEBUG\n#endif\n" })).toEqual([]);
  });

  it("the source name in the result", async () => {
    const config = { sourceName: "Company.App1", sources: [{ copyOnly: ["*.txt"] }] };
    expect(await findings(config, { "a.txt": "x\n  Company.App1", "b.md": "Company.App1" })).toMatchObject([
      { severity: "Warning", code: "TokenLeft", path: "a.txt", line: 2, column: 3 },
    ]);
    expect(await findings(config, { "b.md": "COMPANY.APP1" })).toMatchObject([{ code: "TokenLeft", path: "b.md" }]);
    expect(await findings({ ...config, sourceName: "App" }, { "b.md": "apple" })).toEqual([]);
  });

  it("not a source name that a parameter brings back", async () => {
    const symbols = { A: { type: "parameter", replaces: "TOKEN", defaultValue: "Made from Company.App1" } };
    expect(await findings({ sourceName: "Company.App1", symbols }, { "a.md": "TOKEN" })).toEqual([]);
  });

  it.each<[string, string]>([
    ["a.csproj", "<Project>\n<A>\n</Project>"],
    ["a.xml", "<a>&nope;</a>"],
    ["a.props", "<a/><b/>"],
    ["a.json", '{ "a": }'],
    ["a.json", "{} {}"],
    ["a.yml", "a: 1\n\tb: 2\n"],
  ])("%s that is not well-formed: %j", async (path, text) => {
    expect(await findings({}, { [path]: text })).toMatchObject([
      { severity: "Warning", code: "NotWellFormed", path, line: expect.any(Number) },
    ]);
  });

  it.each<[string, string]>([
    ["a.csproj", '\ufeff<?xml version="1.0"?>\r\n<Project Sdk="x">\r\n</Project>\r\n'],
    ["a.json", '{ "a": 1, /* why */ }'],
    ["empty.json", "\n"],
    ["a.html", "<p>one<br>"],
    ["a.txt", "<a>"],
    ["a.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ])("not %s: %j", async (path, text) => {
    expect(await findings({}, { [path]: text })).toEqual([]);
  });

  it("a combination of parameters that breaks a file, once", async () => {
    const flag = { type: "parameter", datatype: "bool", defaultValue: "false" };
    const text = "<a>\n<!--#if (A && B)-->\n<b>\n<!--#endif-->\n</a>\n";
    const schema = { properties: { A: { type: "boolean" }, B: { type: "boolean" }, C: { type: "boolean" } } };
    const results = await findings({ symbols: { A: flag, B: flag, C: flag } }, { "a.xml": text }, { schema });
    expect(results.map(({ code }) => code)).toEqual(["NotWellFormed"]);
  });

  it("a primary output that is not produced", async () => {
    const symbols = { Web: { type: "parameter", datatype: "bool", defaultValue: "true" } };
    const config = {
      symbols,
      primaryOutputs: [{ path: "a.txt" }],
      sources: [{ modifiers: [{ condition: "(!Web)", exclude: ["a.txt"] }] }],
    };
    const schema = { properties: { Web: { type: "boolean" } } };
    expect(await findings(config, { "a.txt": "", "b.txt": "" }, { schema })).toMatchObject([
      {
        severity: "Warning",
        code: "PrimaryOutputNotProduced",
        path: "a.txt",
        message: expect.stringContaining('"Web":false'),
      },
    ]);
    expect(
      await findings(
        { ...config, primaryOutputs: [{ path: "a.txt", condition: "(Web)" }] },
        { "a.txt": "", "b.txt": "" },
        { schema },
      ),
    ).toEqual([]);
  });

  it("no files at all", async () => {
    expect(await findings({}, {})).toMatchObject([{ severity: "Warning", code: "NoFilesProduced" }]);
  });

  it("a condition that only some parameters break", async () => {
    const symbols = { A: { type: "parameter", datatype: "string", defaultValue: "true" } };
    const sources = [{ modifiers: [{ condition: "(A)", exclude: ["x"] }] }];
    const schema = { properties: { A: { enum: ["true", "perhaps"] } } };
    expect(await findings({ symbols, sources }, { "a.txt": "" }, { schema })).toMatchObject([
      {
        check: "SampleGeneration",
        severity: "Warning",
        code: "ConditionUnparseable",
        message: expect.stringContaining('"A":"perhaps"'),
      },
    ]);
    // StructuralLint reports it for the defaults
    const always = [{ modifiers: [{ condition: "(A", exclude: ["x"] }] }];
    expect(await findings({ symbols, sources: always }, { "a.txt": "" })).toEqual([]);
  });

  it("parameters for which two files become one", async () => {
    const symbols = { A: { type: "parameter", fileRename: "token", defaultValue: "a" } };
    const schema = { properties: { A: { enum: ["a", "other"] } } };
    expect(await findings({ symbols }, { "token.txt": "1", "other.txt": "2" }, { schema })).toMatchObject([
      {
        severity: "Warning",
        code: "PathCollision",
        path: "other.txt",
        message: expect.stringContaining('"A":"other"'),
      },
    ]);
    const capitalSchema = { properties: { A: { enum: ["a", "OTHER"] } } };
    expect(
      await findings({ symbols }, { "token.txt": "1", "other.txt": "2" }, { schema: capitalSchema }),
    ).toMatchObject([{ severity: "Warning", code: "PathCollision" }]);
    expect(await findings({ symbols }, { token: "1", "other/b.txt": "2" }, { schema })).toMatchObject([
      { severity: "Error", code: "PathCollision", path: "other/b.txt" },
    ]);
  });

  const reference = '<Project>\n  <PackageReference Include="A" Version="1.0.0" />\n</Project>\n';
  const central = (on: boolean) =>
    `<Project><PropertyGroup><ManagePackageVersionsCentrally>${on}</ManagePackageVersionsCentrally></PropertyGroup></Project>`;

  it.each<[string, Files, boolean]>([
    ["under Directory.Packages.props", { "src/a.csproj": reference, "Directory.Packages.props": central(true) }, true],
    ["under Directory.Build.props", { "src/a.csproj": reference, "Directory.Build.props": central(true) }, true],
    ["where it is switched off", { "src/a.csproj": reference, "Directory.Packages.props": central(false) }, false],
    [
      "in a project of its own will",
      {
        "a.csproj": reference.replace(
          "</Project>",
          "<ManagePackageVersionsCentrally>false</ManagePackageVersionsCentrally></Project>",
        ),
        "Directory.Packages.props": central(true),
      },
      false,
    ],
    ["beside the file", { "src/a.csproj": reference, "other/Directory.Packages.props": central(true) }, false],
    [
      "without version",
      { "a.csproj": reference.replace(' Version="1.0.0"', ""), "Directory.Packages.props": central(true) },
      false,
    ],
    [
      "in a comment",
      { "a.csproj": `<Project><!--${reference}--></Project>`, "Directory.Packages.props": central(true) },
      false,
    ],
  ])("a package reference %s", async (_what, files, messages) => {
    expect(await findings({}, files)).toMatchObject(
      messages
        ? [
            {
              severity: "Warning",
              code: "PackageReferenceWithVersionUnderCpm",
              path: "src/a.csproj",
              line: 2,
              column: 3,
            },
          ]
        : [],
    );
  });

  it.each<[string, string, boolean]>([
    ["net8.0", "net8.0", true],
    ["net6.0", "net8.0", true],
    ["netstandard2.0", "net8.0", true],
    ["net9.0", "net8.0", false],
    ["net472", "net8.0", false],
    ["net472;net8.0", "net8.0", true],
    ["$(Framework)", "net8.0", true],
  ])("projects of %s beside a version for %s", async (moniker, framework, fits) => {
    const results = await findings({}, { "a.csproj": project(moniker) }, { framework });
    expect(results.map(({ severity, code, path }) => `${severity} ${code} ${path}`)).toEqual(
      fits ? [] : ["Warning TargetFrameworkMismatch a.csproj"],
    );
  });

  it("a framework that some choice of the template reaches", async () => {
    const choices = [{ choice: "net9.0" }, { choice: "net8.0" }];
    const symbols = {
      F: { type: "parameter", datatype: "choice", choices, defaultValue: "net9.0", replaces: "net9.0" },
    };
    const schema = { properties: { F: { enum: ["net9.0", "net8.0"] } } };
    expect(await findings({ symbols }, { "a.csproj": project("net9.0") }, { schema })).toEqual([]);
  });

  it("a schema for which it knows no parameters", async () => {
    const schema = { properties: { A: { type: "string", pattern: "^x{3}-y{4}-z{5}$" } }, required: ["A"] };
    expect(await run({}, { "a.txt": "" }, { schema })).toMatchObject({
      samples: 0,
      findings: [{ severity: "Warning", code: "SampleRenderFailed" }],
    });
  });
});

describe("sampleRequests", () => {
  const requests = async (schema: object) =>
    (await sampleRequests(schema as never, new Map())).map((sample) => sample.given);

  it("begins with the defaults, then with what is required", async () => {
    const schema = { properties: { A: { default: 1 }, B: { enum: ["x", "y"] } } };
    expect((await requests(schema))[0]).toEqual({});
    expect((await requests({ ...schema, required: ["B"] }))[0]).toEqual({ B: "x" });
  });

  it("keeps to what the schema accepts", async () => {
    const schema = {
      properties: {
        A: { type: "string", pattern: "^[a-z]+$" },
        B: { type: "integer", minimum: 5, maximum: 6 },
        C: { format: "email", type: "string" },
      },
      required: ["A", "B", "C"],
      not: { properties: { B: { const: 6 } } },
    };
    const samples = await requests(schema);
    expect(samples.length).toBeGreaterThan(1);
    for (const { A, B, C } of samples) {
      expect(A).toMatch(/^[a-z]+$/);
      expect(B).toBe(5);
      expect(C).toContain("@");
    }
  });

  it("tries a dotted and a foreign name", async () => {
    const names = (await requests({ type: "object" })).map(({ name }) => name);
    expect(names).toEqual([undefined, "Sample.App-1", "Größe東京"]);
  });

  it("holds every pair of values within fifty samples", async () => {
    const flags = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}`, { type: "boolean" }]));
    const samples = await requests({ properties: flags });
    expect(samples.length).toBeLessThanOrEqual(50);
    for (const [a, b] of [
      ["f0", "f11"],
      ["f3", "f7"],
    ] as const) {
      const pairs = new Set(
        samples.filter((sample) => a in sample).map((sample) => JSON.stringify([sample[a], sample[b]])),
      );
      expect(pairs.size).toBe(4);
    }
  });

  it("never gives more than fifty", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`p${index}`, { enum: [1, 2, 3, 4, 5, 6, 7, 8, 9] }]),
    );
    expect(await requests({ properties: many })).toHaveLength(50);
  });
});

describe("differingPaths", () => {
  const render = (seed: string) => {
    const symbols = { Id: { type: "generated", generator: "guid", replaces: "ID" } };
    return renderFiles({ symbols }, { "a.txt": "ID", "b.txt": "b" }, { seed }).files;
  };

  it("names what two renders do not have in common", () => {
    expect(differingPaths(render("one"), render("one"))).toEqual([]);
    expect(differingPaths(render("one"), render("other"))).toEqual(["a.txt"]);
    expect(differingPaths(render("one"), new Map())).toEqual(["a.txt", "b.txt"]);
  });
});
