import { codes, type Files, lintApart, lintFor } from "./lint-pack.fixture.js";

describe("StructuralLint of symbols", () => {
  it("refuses a separator in the choice of a multi-value parameter", () => {
    const choices = [{ choice: "a" }, { choice: "b|c" }, { choice: "d,e" }];
    const symbols = (multiple: boolean) => ({
      x: { type: "parameter", datatype: "choice", allowMultipleValues: multiple, choices },
    });
    expect(codes(lintApart({ symbols: symbols(true) }))).toEqual([
      "Error InvalidMultiChoice",
      "Error InvalidMultiChoice",
    ]);
    expect(lintApart({ symbols: symbols(false) })).toEqual([]);
  });

  const configOf = (generator: string, parameters: object) => ({
    symbols: { x: { type: "generated", generator, parameters } },
  });

  it.each<[string, object, string, string]>([
    ["an unknown generator", configOf("magic", {}), "Warning", "UnknownGenerator"],
    ["no generator", { symbols: { x: { type: "generated" } } }, "Warning", "UnknownGenerator"],
    [
      "an unreadable step",
      configOf("regex", { source: "y", steps: [{ regex: "(", replacement: "" }] }),
      "Error",
      "InvalidRegex",
    ],
    [
      "a step without expression",
      configOf("regex", { source: "y", steps: [{ replacement: "" }] }),
      "Error",
      "SchemaViolation",
    ],
    ["an unreadable pattern", configOf("regexMatch", { source: "y", pattern: "[" }), "Error", "InvalidRegex"],
    [
      "an unknown form",
      { symbols: { x: { type: "parameter", replaces: "x", forms: { global: ["nope"] } } } },
      "Warning",
      "UnknownValueForm",
    ],
    [
      "an unknown transform",
      { symbols: { x: { type: "derived", valueSource: "name", valueTransform: "nope" } } },
      "Warning",
      "UnknownValueForm",
    ],
    [
      "an unknown step of a chain",
      { forms: { c: { identifier: "chain", steps: ["identity", "nope"] } } },
      "Warning",
      "UnknownValueForm",
    ],
    ["an unknown identifier", { forms: { c: { identifier: "nope" } } }, "Warning", "UnknownValueForm"],
    [
      "an unreadable form",
      { forms: { c: { identifier: "replace", pattern: "(", replacement: "" } } },
      "Error",
      "InvalidRegex",
    ],
    [
      "forms that chain each other",
      { forms: { c: { identifier: "chain", steps: ["d"] }, d: { identifier: "chain", steps: ["c"] } } },
      "Warning",
      "SymbolCycle",
    ],
    ["a form that chains itself", { forms: { c: { identifier: "chain", steps: ["c"] } } }, "Warning", "SymbolCycle"],
    [
      "a chain in a circle that a symbol uses",
      {
        symbols: { x: { type: "parameter", replaces: "a", forms: { global: ["c"] } } },
        forms: { c: { identifier: "chain", steps: ["c"] } },
      },
      "Error",
      "SymbolCycle",
    ],
    [
      "an unknown step of a chain that a symbol uses",
      {
        symbols: { x: { type: "derived", valueSource: "name", valueTransform: "outer", replaces: "a" } },
        forms: { outer: { identifier: "chain", steps: ["c"] }, c: { identifier: "chain", steps: ["nope"] } },
      },
      "Error",
      "UnknownValueForm",
    ],
    [
      "a form that replaces nothing",
      { forms: { c: { identifier: "replace", replacement: "" } } },
      "Error",
      "SchemaViolation",
    ],
    ["a computed symbol without value", { symbols: { a: { type: "computed" } } }, "Warning", "SchemaViolation"],
    [
      "an unknown evaluator",
      { symbols: { a: { type: "computed", value: "true", evaluator: "JS" } } },
      "Error",
      "SchemaViolation",
    ],
    ["a constant without value", configOf("constant", {}), "Error", "SchemaViolation"],
    ["a random number without a lower bound", configOf("random", { high: 5 }), "Error", "SchemaViolation"],
    ["a switch without cases", configOf("switch", {}), "Error", "SchemaViolation"],
    ["a case without value", configOf("switch", { cases: [{ condition: "true" }] }), "Error", "SchemaViolation"],
    ["a part to join without value", configOf("join", { symbols: [{ type: "ref" }] }), "Error", "SchemaViolation"],
    [
      "a match that is to be a text",
      {
        symbols: { x: { ...configOf("regexMatch", { source: "name", pattern: "a" }).symbols.x, datatype: "string" } },
      },
      "Warning",
      "SchemaViolation",
    ],
    [
      "the same choice twice",
      { symbols: { x: { type: "parameter", datatype: "choice", choices: [{ choice: "a" }, { choice: "a" }] } } },
      "Error",
      "SchemaViolation",
    ],
    [
      "a choice without name",
      { symbols: { x: { type: "parameter", datatype: "choice", choices: [{ description: "a" }] } } },
      "Warning",
      "SchemaViolation",
    ],
    [
      "what only .NET's expressions can say",
      configOf("regexMatch", { source: "name", pattern: "^(?<n>a)(?(n)b|c)$" }),
      "Warning",
      "InvalidRegex",
    ],
    [
      "an expression that backtracks",
      configOf("regex", { source: "name", steps: [{ regex: "^(\\w+\\s?)*$", replacement: "" }] }),
      "Warning",
      "RegexTooSlow",
    ],
    [
      "a form that backtracks",
      { forms: { c: { identifier: "replace", pattern: "^v(\\d+)+$", replacement: "" } } },
      "Warning",
      "RegexTooSlow",
    ],
    [
      "computed symbols in a circle",
      { symbols: { a: { type: "computed", value: "b" }, b: { type: "computed", value: "(a)" } } },
      "Error",
      "SymbolCycle",
    ],
    [
      "conditions in a circle",
      { symbols: { a: { type: "parameter", isEnabled: "b" }, b: { type: "parameter", isRequired: "a == 'x'" } } },
      "Warning",
      "SymbolCycle",
    ],
  ])("finds %s", (_what, config, severity, code) => {
    expect(lintApart(config)).toMatchObject([{ severity, code, line: expect.any(Number) }]);
  });

  it.each<[string, object]>([
    ["each generator", configOf("Casing", { source: "name" })],
    [
      "an expression of .NET",
      configOf("regex", { source: "name", steps: [{ regex: "(?i)\\w+(?<n>\\d)$", replacement: "${n}" }] }),
    ],
    [
      "forms by any of their names",
      { forms: { c: { identifier: "chain", steps: ["lc", "safe_name"] }, lc: { identifier: "lowerCaseInvariant" } } },
    ],
    [
      "an expression with many harmless parts",
      configOf("regexMatch", { source: "name", pattern: "^[a-z]+(?:-[a-z]+)*(?:\\.\\d+){0,3}$" }),
    ],
    ["a symbol that mentions itself", { symbols: { a: { type: "computed", value: "a" } } }],
    [
      "names inside quotes",
      { symbols: { a: { type: "computed", value: '(b == "a")' }, b: { type: "computed", value: 'x == "b"' } } },
    ],
  ])("accepts %s", (_what, config) => {
    expect(lintApart(config)).toEqual([]);
  });
});

describe("StructuralLint of symbols that change nothing", () => {
  const text = (more: object = {}) => ({ type: "parameter", datatype: "string", ...more });

  it.each<[string, object, Files]>([
    ["nothing mentions it", { symbols: { Lonely: text() } }, { "a.txt": "a" }],
    ["what it replaces stands nowhere", { symbols: { Lonely: text({ replaces: "TOKEN" }) } }, { "a.txt": "a" }],
    ["no path holds what it renames", { symbols: { Lonely: text({ fileRename: "token" }) } }, { "a.txt": "token" }],
    [
      "only a copied file holds it",
      { symbols: { Lonely: text({ replaces: "TOKEN" }) }, sources: [{ copyOnly: ["*.txt"] }] },
      { "a.txt": "TOKEN" },
    ],
    ["only a description mentions it", { description: "Lonely", symbols: { Lonely: text() } }, { "a.txt": "a" }],
  ])("warns where %s", (_what, config, files) => {
    expect(lintFor("UnusedSymbol", config, files)).toMatchObject([
      { severity: "Warning", pointer: "/symbols/Lonely", line: expect.any(Number) },
    ]);
  });

  it.each<[string, object, Files]>([
    ["a file holds what it replaces", { symbols: { A: text({ replaces: "TOKEN" }) } }, { "a.txt": "x TOKEN" }],
    [
      "a form of it",
      { symbols: { A: text({ replaces: "TOKEN", forms: { global: ["lowerCase"] } }) } },
      { "a.txt": "token" },
    ],
    ["a path", { symbols: { A: text({ fileRename: "token" }) } }, { "token/a.txt": "" }],
    [
      "a rename",
      { symbols: { A: text({ fileRename: "token" }) }, sources: [{ rename: { a: "token" } }] },
      { "a.txt": "" },
    ],
    ["a condition of a file", { symbols: { A: text() } }, { "a.cs": '#if (A == "x")\n#endif\n' }],
    ["an attribute", { symbols: { A: text() } }, { "a.csproj": "<P><X Condition=\"'$(A)' == 'x'\" /></P>" }],
    ["a condition of a source", { symbols: { A: text() }, sources: [{ condition: "(A == 'x')" }] }, { "a.txt": "" }],
    [
      "another symbol",
      { symbols: { A: text(), B: { type: "derived", valueSource: "A", valueTransform: "identity", replaces: "T" } } },
      { "a.txt": "T" },
    ],
    [
      "a generator",
      {
        symbols: {
          A: text(),
          B: { type: "generated", generator: "casing", parameters: { source: "A" }, replaces: "T" },
        },
      },
      { "a.txt": "T" },
    ],
    [
      "a wide file",
      { symbols: { A: text({ replaces: "TOKEN" }) } },
      { "a.txt": Buffer.from("\ufeffTOKEN", "utf16le") },
    ],
    ["a template that names the scaffold", { symbols: { name: text() } }, { "a.txt": "" }],
  ])("is content with %s", (_what, config, files) => {
    expect(lintFor("UnusedSymbol", config, files)).toEqual([]);
  });
});

describe("StructuralLint of members that the engine reads of parameters only", () => {
  it.each<[string, object]>([
    ["generated", { generator: "now", parameters: {} }],
    ["computed", { value: "(A)" }],
    ["derived", { valueSource: "A", valueTransform: "identity" }],
    ["bind", { binding: "HostIdentifier" }],
  ])("says that they have no effect on a %s symbol, and nothing of a parameter", (type, more) => {
    const parameter = { type: "parameter", datatype: "bool", isEnabled: "true", isRequired: "false" };
    const symbols = { A: parameter, B: { type, ...more, isEnabled: "(A)", ISREQUIRED: true } };
    expect(lintFor("SchemaViolation", { symbols })).toMatchObject([
      {
        severity: "Warning",
        pointer: "/symbols/B/isEnabled",
        message: `The engine reads isEnabled of parameters only, so it has no effect on the ${type} symbol "B".`,
      },
      { severity: "Warning", message: expect.stringContaining("isRequired of parameters only") },
    ]);
  });
});
