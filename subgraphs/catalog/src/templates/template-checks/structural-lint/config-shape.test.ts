import { tree } from "@factory/template-engine/template-pack.fixture";
import { codes, configPath, lint, lintFor, remarks, reported, sound } from "./lint-pack.fixture.js";
import { structuralLint } from "./structural-lint.js";

describe("StructuralLint of shapes", () => {
  it.each<[object, string]>([
    [{ description: 7 }, "/description"],
    [{ classifications: [1] }, "/classifications"],
    [{ tags: ["C#"] }, "/tags"],
    [{ sources: { source: "./" } }, "/sources"],
    [{ sources: ["./"] }, "/sources/0"],
    [{ sources: [{ include: { a: 1 } }] }, "/sources/0/include"],
    [{ sources: [{ modifiers: [{ condition: true }] }] }, "/sources/0/modifiers/0/condition"],
    [{ symbols: ["a"] }, "/symbols"],
    [{ symbols: { a: "b" } }, "/symbols/a"],
    [{ symbols: { a: { type: "parameter", replaces: ["a"] } } }, "/symbols/a/replaces"],
    [{ symbols: { a: { type: "parameter", replaces: 5080 } } }, "/symbols/a/replaces"],
    [{ symbols: { a: { type: "parameter", replaces: "a", onlyIf: { after: "b" } } } }, "/symbols/a/onlyIf"],
    [{ symbols: { a: { type: "parameter", replaces: "a", forms: ["identity"] } } }, "/symbols/a/forms"],
    [{ forms: { a: [] } }, "/forms/a"],
    [{ primaryOutputs: ["a.txt"] }, "/primaryOutputs/0"],
    [{ primaryOutputs: [{}] }, "/primaryOutputs/0"],
    [{ postActions: {} }, "/postActions"],
    [{ constraints: { a: { args: [] } } }, "/constraints/a"],
    [{ forms: { a: { pattern: "b" } } }, "/forms/a"],
  ])("warns about %j", (config, pointer) => {
    expect(lintFor("SchemaViolation", config)).toMatchObject([
      { severity: "Warning", pointer, path: configPath, line: expect.any(Number), column: expect.any(Number) },
    ]);
  });

  it.each<[object]>([
    [{ specialCustomOperations: { "*.txt": [] } }],
    [{ globalCustomOperations: "none" }],
    [{ symbols: { a: { type: "parameter", isRequired: [], replaces: "a" } } }],
    [{ AdditionalConfigFiles: ["more.json"] }],
  ])("refuses %j, as the template engine does", (config) => {
    const files = { "a.txt": "a", ".template.config/more.json": "{}" };
    expect(codes(lint(config, files))).toEqual(["Error SchemaViolation"]);
  });

  it.each<[object]>([
    [{ precedence: "100", shortName: "a", guids: "00000000-0000-0000-0000-000000000001" }],
    [{ DESCRIPTION: "a", Sources: [{ Include: "**/*", Rename: { a: "b" } }] }],
    [{ preferNameDirectory: "true", tags: { language: "C#" } }],
    [{ symbols: { a: { Type: "parameter", IsRequired: "true", DataType: "text", replaces: "a" } } }],
    [{ baselines: { app: { defaultOverrides: { a: "b" } } } }],
    [{ customOperations: { operations: [{ type: "replacement", configuration: { original: "a" } }] } }],
  ])("is content with %j", (config) => {
    expect(lint(config)).toEqual([]);
  });

  it("only remarks on members that nobody knows, and not on comments", () => {
    expect(lintFor("SchemaViolation", { thing: 1, _why: "a", "//": "b", $comment: "c", symbols: {} })).toMatchObject([
      { severity: "Info", pointer: "/thing", line: 5 },
    ]);
  });

  it("tells where a symbol has an unknown type or datatype", () => {
    const symbols = { a: { type: "magic" }, b: { type: "parameter", datatype: "money", replaces: "a" } };
    expect(lint({ symbols })).toMatchObject([
      { code: "SchemaViolation", pointer: "/symbols/a/type", line: 7 },
      { code: "SchemaViolation", pointer: "/symbols/b/datatype", line: 11 },
    ]);
  });

  it("warns about a default of choices that do not exist and about what is no guid", () => {
    const choices = [{ choice: "x" }];
    const many = { type: "parameter", datatype: "choice", allowMultipleValues: true, choices, defaultValue: "x|y" };
    expect(codes(lint({ symbols: { a: { ...many, replaces: "a" } }, guids: ["nothing"] }))).toEqual([
      "Warning SchemaViolation",
      "Warning SchemaViolation",
    ]);
  });
});

describe("StructuralLint of what a template says about itself", () => {
  it("remarks on what is missing", () => {
    expect(codes(remarks({}))).toEqual(
      ["SourceName", "Author", "GroupIdentity", "GeneratorVersions", "Precedence", "Classifications"].map(
        (member) => `Info Missing${member}`,
      ),
    );
    const complete = {
      sourceName: "Template.1",
      author: "a",
      groupIdentity: "a",
      generatorVersions: "[1.0.0.0-*)",
      precedence: 100,
      classifications: ["a"],
    };
    expect(remarks(complete)).toEqual([]);
  });

  it.each([
    ["App", "identity and safe_name and safe_namespace"],
    ["Company.App", "identity and safe_namespace"],
    ["app", "lower_safe_name"],
  ])("remarks on the sourceName %j, where %s are the same", (sourceName, forms) => {
    expect(lintFor("SourceNameAmbiguousForms", { sourceName })).toMatchObject([
      { severity: "Info", line: 5, message: expect.stringContaining(forms) },
    ]);
  });
});

describe("StructuralLint of constraints", () => {
  const codesFor = (constraint: object, framework?: string) =>
    codes(
      structuralLint(
        tree({ [configPath]: JSON.stringify({ ...sound, constraints: { c: constraint } }), "a.txt": "" }),
        framework === undefined ? {} : { targetFramework: framework },
      ).filter(({ code }) => code.startsWith("Constraint")),
    );

  it.each([
    { type: "os", args: "Linux" },
    { type: "host", args: [{ hostname: "vs" }] },
    { type: "workload", args: ["maui"] },
    { type: "project-capability", args: "CSharp" },
  ])("only remarks on %j", (constraint) => {
    expect(codesFor(constraint, "net8.0")).toEqual(["Info ConstraintNotChecked"]);
  });

  it.each<[unknown, string, string[]]>([
    ["[8.0.100,)", "net8.0", []],
    [["6.0.*", "8.0.*"], "net8.0", []],
    ["9.0.100", "net8.0", []],
    ["6.0.*", "net8.0", ["Warning ConstraintNotMet"]],
    ["[6.0,8.0)", "net8.0", ["Warning ConstraintNotMet"]],
    ["often", "net8.0", ["Warning ConstraintNotMet"]],
    ["6.0.*", "netstandard2.0", ["Info ConstraintNotChecked"]],
  ])("compares the SDK %j with %s", (args, framework, result) => {
    expect(codesFor({ type: "sdk-version", args }, framework)).toEqual(result);
  });

  it("warns about a constraint of unknown type", () => {
    expect(codesFor({ type: "moon-phase" })).toEqual(["Warning ConstraintNotMet"]);
  });
});

describe("StructuralLint of secrets", () => {
  const key = (...parts: string[]) => parts.join("");

  it.each([
    key("-----BEGIN ", "RSA PRIVATE KEY-----\n", "A".repeat(64)),
    key("AKIA", "ABCDEFGH12345678"),
    key("ghp", "_", "a1".repeat(18)),
    key("AccountKey", "=", "Ab1/".repeat(21), "AA=="),
    key("sk_", "live_", "a1".repeat(12)),
    key("oy2", "a".repeat(43)),
  ])("warns about secret %#, wherever it stands", (secret) => {
    const sources = [{ copyOnly: ["**/*"] }];
    expect(lint({ sources }, { "deep/a.txt": `x\n  ${secret}\n` })).toMatchObject([
      { severity: "Warning", code: "SecretLikeContent", path: "deep/a.txt", line: 2, column: 3 },
    ]);
  });

  it.each([
    "-----BEGIN PUBLIC KEY-----\nAAAA",
    "-----BEGIN PRIVATE KEY-----\n<your key>",
    "Password=Your_password123",
    "AccountKey=<key>",
    "6f9619ff-8b86-4d11-b42d-00c04fc964ff",
    "Bearer {token}",
  ])("passes %j", (text) => {
    expect(lint({}, { "a.txt": text })).toEqual([]);
  });

  it("looks even where there is no template", () => {
    const files = tree({ "a.txt": key("AKIA", "ABCDEFGH12345678") });
    expect(codes(reported(files))).toEqual(["Warning SecretLikeContent", "Error TemplateConfigMissing"]);
  });
});
