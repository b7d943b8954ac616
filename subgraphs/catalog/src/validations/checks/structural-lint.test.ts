import fc from "fast-check";
import type { Finding } from "../../engine/finding.js";
import { tree } from "../../engine/pack-fixture.js";
import { runCheck } from "./run-check.js";
import { structuralLint } from "./structural-lint.js";

const sound = { identity: "T.One", name: "One", shortName: "one" };
type Files = Record<string, string | Uint8Array>;

function pack(config: object, files: Files = { "a.txt": "a" }) {
  return tree({ ".template.config/template.json": JSON.stringify({ ...sound, ...config }, null, 2), ...files });
}

function lint(config: object, files?: Files): Finding[] {
  return structuralLint(pack(config, files));
}

function codes(findings: readonly Finding[]): string[] {
  return findings.map(({ severity, code }) => `${severity} ${code}`);
}

describe("structuralLint: the configuration", () => {
  it("finds nothing in a sound template", () => {
    expect(lint({})).toEqual([]);
  });

  it("asks for template.json", () => {
    expect(codes(structuralLint(tree({ "a.txt": "a" })))).toEqual(["Error TemplateConfigMissing"]);
    expect(codes(structuralLint(tree({})))).toEqual(["Error TemplateConfigMissing"]);
  });

  it("tells where template.json is unreadable", () => {
    const findings = structuralLint(tree({ ".template.config/template.json": '{\n  "name": oops\n}' }));
    expect(findings).toMatchObject([
      {
        severity: "Error",
        code: "TemplateConfigUnreadable",
        path: ".template.config/template.json",
        line: 2,
        column: 11,
      },
    ]);
  });

  it.each(["", "[]", "7", "{", "\u0000"])("finds %j unreadable", (text) => {
    expect(codes(structuralLint(tree({ ".template.config/template.json": text })))).toEqual([
      "Error TemplateConfigUnreadable",
    ]);
  });

  it("reads comments, trailing commas and names in any case", () => {
    const text = '{ // why\n "Identity": "a", "NAME": "a", "shortname": ["a"], }';
    expect(structuralLint(tree({ ".template.config/template.json": text }))).toEqual([]);
  });

  it("reports several templates", () => {
    const one = JSON.stringify(sound);
    const findings = structuralLint(
      tree({ "a/.template.config/template.json": one, "b/.template.config/template.json": one }),
    );
    expect(codes(findings)).toEqual(["Error TemplateAmbiguous"]);
  });

  it.each([
    [{ identity: "" }, "MissingIdentity"],
    [{ identity: undefined }, "MissingIdentity"],
    [{ name: " " }, "MissingName"],
    [{ name: undefined }, "MissingName"],
    [{ shortName: [] }, "MissingShortName"],
    [{ shortName: undefined }, "MissingShortName"],
  ])("%j: %s", (config, code) => {
    expect(lint(config)).toMatchObject([{ severity: "Error", code, line: 1 }]);
  });

  it("names the file of a template in a folder", () => {
    const findings = structuralLint(
      tree({ "web/.template.config/template.json": JSON.stringify({ ...sound, name: "" }) }),
    );
    expect(findings).toMatchObject([{ code: "MissingName", path: "web/.template.config/template.json" }]);
  });

  it("warns about a symbol of unknown type", () => {
    expect(lint({ symbols: { x: { type: "magic" } } })).toMatchObject([
      { severity: "Warning", code: "SchemaViolation", path: ".template.config/template.json" },
    ]);
  });
});

describe("structuralLint: paths", () => {
  it.each([
    "../up",
    "a/../../b",
    "/etc/passwd",
    "C:/x",
    "a\\b",
    ".git/config",
    "a/.GIT/hooks/x",
    "a\u0000b",
    "x.",
    "git~1/x",
  ])("finds %j unsafe", (path) => {
    expect(lint({}, { [path]: "" })).toMatchObject([{ severity: "Error", code: "PathTraversal", path }]);
  });

  it.each(["NUL", "a/con.txt", "COM1", "lpt9.md"])("finds %j reserved", (path) => {
    expect(lint({}, { [path]: "" })).toMatchObject([{ severity: "Error", code: "ReservedFileName", path }]);
  });

  it.each([[{ "A.txt": "", "a.txt": "" }], [{ "src/x": "", "SRC/y": "" }], [{ "e\u0301": "", "\u00e9": "" }]])(
    "finds %j to collide",
    (files) => {
      expect(codes(lint({}, files))).toEqual(["Error CaseCollision"]);
    },
  );

  it.each([
    [{ sources: [{ target: "../up" }] }, "/sources/0/target"],
    [{ sources: [{ target: "/etc" }] }, "/sources/0/target"],
    [{ sources: [{ target: "C:\\x" }] }, "/sources/0/target"],
    [{ sources: [{ rename: { "a.txt": "../../b" } }] }, "/sources/0/rename/a.txt"],
    [{ sources: [{ modifiers: [{ rename: { "a.txt": "/b" } }] }] }, "/sources/0/modifiers/0/rename/a.txt"],
    [{ primaryOutputs: [{ path: "../a.csproj" }] }, "/primaryOutputs/0/path"],
  ])("finds %j to leave the result", (config, pointer) => {
    expect(lint(config)).toMatchObject([{ severity: "Error", code: "PathTraversal", pointer }]);
  });
});

describe("structuralLint: sources and outputs", () => {
  const files = { "src/App.csproj": "<P/>", "a.txt": "a" };

  it.each([
    [{ source: "./none/" }, "SourceMissing"],
    [{ source: "a.txt" }, "SourceNotDirectory"],
    [{ source: "../other" }, "SourceOutsidePackage"],
    [{ source: "/srv" }, "SourceOutsidePackage"],
    [{ source: "src/../../x" }, "SourceOutsidePackage"],
    [{ source: "C:/x" }, "SourceOutsidePackage"],
  ])("%j: %s", (source, code) => {
    expect(lint({ sources: [source] }, files)).toMatchObject([
      { severity: "Error", code, pointer: "/sources/0/source" },
    ]);
  });

  it.each([[{}], [{ source: "./" }], [{ source: "src" }], [{ source: "./src/" }], [{ source: "" }]])(
    "%j is sound",
    (source) => {
      expect(lint({ sources: [source] }, files)).toEqual([]);
    },
  );

  it.each([
    [{ primaryOutputs: [{ path: "src/App.csproj" }] }],
    [{ primaryOutputs: [{ path: "./src/App.csproj" }] }],
    [{ sources: [{ source: "src", target: "out" }], primaryOutputs: [{ path: "out/App.csproj" }] }],
    [{ sources: [{ rename: { "src/": "lib/" } }], primaryOutputs: [{ path: "lib/App.csproj" }] }],
    [
      {
        sources: [{ modifiers: [{ condition: "x", rename: { App: "Web" } }] }],
        primaryOutputs: [{ path: "src/Web.csproj" }],
      },
    ],
  ])("%j names a file", (config) => {
    expect(lint(config, files)).toEqual([]);
  });

  it("misses a primary output that no file becomes", () => {
    expect(lint({ primaryOutputs: [{ path: "src/App.csproj" }, { path: "src/Gone.csproj" }] }, files)).toMatchObject([
      { severity: "Error", code: "PrimaryOutputMissing", pointer: "/primaryOutputs/1/path", line: 10 },
    ]);
  });

  it("warns about text that is too large to be processed, not about what is only copied", () => {
    const large = "x".repeat(5 * 1024 * 1024 + 1);
    expect(lint({}, { "large.txt": large })).toMatchObject([
      { severity: "Warning", code: "FileTooLarge", path: "large.txt" },
    ]);
    expect(lint({ sources: [{ copyOnly: ["*.txt"] }] }, { "large.txt": large })).toEqual([]);
    expect(lint({}, { "large.bin": new Uint8Array(large.length) })).toEqual([]);
  });
});

describe("structuralLint: symbols", () => {
  it("refuses a separator in the choice of a multi-value parameter", () => {
    const choices = [{ choice: "a" }, { choice: "b|c" }, { choice: "d,e" }];
    const symbols = (multiple: boolean) => ({
      x: { type: "parameter", datatype: "choice", allowMultipleValues: multiple, choices },
    });
    expect(codes(lint({ symbols: symbols(true) }))).toEqual(["Error InvalidMultiChoice", "Error InvalidMultiChoice"]);
    expect(lint({ symbols: symbols(false) })).toEqual([]);
  });

  const generated = (generator: string, parameters: object) => ({
    symbols: { x: { type: "generated", generator, parameters } },
  });

  it.each<[string, object, string]>([
    ["an unknown generator", generated("magic", {}), "UnknownGenerator"],
    ["no generator", { symbols: { x: { type: "generated" } } }, "UnknownGenerator"],
    [
      "an unreadable step",
      generated("regex", { source: "y", steps: [{ regex: "(", replacement: "" }] }),
      "InvalidRegex",
    ],
    ["a step without expression", generated("regex", { source: "y", steps: [{ replacement: "" }] }), "InvalidRegex"],
    ["an unreadable pattern", generated("regexMatch", { source: "y", pattern: "[" }), "InvalidRegex"],
    [
      "an unknown form",
      { symbols: { x: { type: "parameter", replaces: "x", forms: { global: ["nope"] } } } },
      "UnknownValueForm",
    ],
    [
      "an unknown transform",
      { symbols: { x: { type: "derived", valueSource: "name", valueTransform: "nope" } } },
      "UnknownValueForm",
    ],
    [
      "an unknown step of a chain",
      { forms: { c: { identifier: "chain", steps: ["identity", "nope"] } } },
      "UnknownValueForm",
    ],
    ["an unknown identifier", { forms: { c: { identifier: "nope" } } }, "UnknownValueForm"],
    ["an unreadable form", { forms: { c: { identifier: "replace", pattern: "(", replacement: "" } } }, "InvalidRegex"],
    [
      "forms that chain each other",
      { forms: { c: { identifier: "chain", steps: ["d"] }, d: { identifier: "chain", steps: ["c"] } } },
      "SymbolCycle",
    ],
    ["a form that chains itself", { forms: { c: { identifier: "chain", steps: ["c"] } } }, "SymbolCycle"],
    [
      "computed symbols in a circle",
      { symbols: { a: { type: "computed", value: "b" }, b: { type: "computed", value: "(a)" } } },
      "SymbolCycle",
    ],
    [
      "conditions in a circle",
      { symbols: { a: { type: "parameter", isEnabled: "b" }, b: { type: "parameter", isRequired: "a == 'x'" } } },
      "SymbolCycle",
    ],
  ])("finds %s", (_what, config, code) => {
    expect(lint(config)).toMatchObject([{ severity: "Error", code, line: expect.any(Number) }]);
  });

  it.each<[string, object]>([
    ["each generator", generated("Casing", { source: "name" })],
    [
      "an expression of .NET",
      generated("regex", { source: "name", steps: [{ regex: "(?i)\\w+(?<n>\\d)$", replacement: "${n}" }] }),
    ],
    [
      "forms by any of their names",
      { forms: { c: { identifier: "chain", steps: ["lc", "safe_name"] }, lc: { identifier: "lowerCaseInvariant" } } },
    ],
    ["a symbol that mentions itself", { symbols: { a: { type: "computed", value: "a" } } }],
    [
      "names inside quotes",
      { symbols: { a: { type: "computed", value: '(b == "a")' }, b: { type: "computed", value: 'x == "b"' } } },
    ],
  ])("accepts %s", (_what, config) => {
    expect(lint(config)).toEqual([]);
  });
});

describe("structuralLint: post actions", () => {
  const action = (actionId: string | undefined) => ({ postActions: [{ actionId, description: "do it" }] });

  it("warns about scripts and unknown actions", () => {
    expect(codes(lint(action("3A7C4B45-1F5D-4A30-959A-51B88E82B5D2")))).toEqual(["Warning RunScriptPostAction"]);
    expect(codes(lint(action("00000000-0000-0000-0000-000000000000")))).toEqual(["Warning PostActionUnknown"]);
    expect(lint(action(undefined))).toMatchObject([{ code: "PostActionUnknown", pointer: "/postActions/0/actionId" }]);
  });

  it("is content with the others", () => {
    expect(lint(action("210D431B-A78B-4D2F-B762-4ED3E3EA9025"))).toEqual([]);
    expect(lint(action("cb9a6cf3-4f5c-4860-b9d2-03a574959774"))).toEqual([]);
  });
});

describe("structuralLint: conditionals", () => {
  it.each<[string, string, number]>([
    ["a.cs", "x\n#if (A)\ny\n", 2],
    ["a.cs", "#if (A)\n#endif\n#endif\n", 3],
    ["a.cs", "  #else\n", 1],
    ["a.cs", "#if A\n#if B\n#endif\n", 1],
    ["a.json", "{\n  //#if (A)\n}\n", 2],
    ["a.json", "{}\n////#endif\n", 2],
    ["other.txt", "//#elseif (A)\n", 1],
    ["a.csproj", "<P>\n<!--#if (A) -->\n<X/>\n</P>\n", 2],
    ["README.md", "<!--#endif-->\n", 1],
    ["a.xml", "<!--#if (A)\nx\n<!--#if (B)\n#endif-->\n", 1],
    ["a.css", "/*#if (A)*/\n", 1],
    ["a.cshtml", "@*#if (A)\n", 1],
    ["a.tsx", "{/*#if (A)\n", 1],
    ["a.yml", "#if (A)\nx: 1\n", 1],
    ["a.yml", "##if (A)\n#x: 1\n", 1],
    ["a.sh", "#endif\n", 1],
    ["Dockerfile", "FROM x\n#if (A)\n", 2],
    ["App.sln", "#endif\n", 1],
    ["a.cmd", "rem #if (A)\n", 1],
    ["a.haml", "-##if (A)\n", 1],
    ["a.vb", "'#If (A)\n", 1],
  ])("%s: %j is unbalanced", (path, text, line) => {
    expect(lint({}, { [path]: text })).toMatchObject([
      { severity: "Error", code: "UnbalancedConditional", path, line },
    ]);
  });

  it.each<[string, string]>([
    ["a.cs", "#if (A)\n#elif (B)\n#else\n#endif\n"],
    ["a.cs", '#region x\n#endregion\nvar s = "#if";\n// #endif\n'],
    ["a.cs", "//-:cnd:noEmit\n#if DEBUG\n//+:cnd:noEmit\n"],
    ["a.cs", "\r\n#if (A)\r\nx\r\n#endif\r\n"],
    ["a.cs", "#iffy\n"],
    ["a.ts", "#if (A)\n"],
    ["a.json", "//#if (A)\n//#else\n//#endif\n"],
    ["a.xml", "<a/><!--#if (A)--><b/><!--#else--><c/><!--#endif--><d/>"],
    ["a.xml", "<!--#if (A)\n<b/>\n#else\n<c/>\n#endif-->\n"],
    ["README.md", "#endif\n#if this\n# else\n"],
    ["a.yml", "# if you like\n#else is a word\nx: 1 #endif\n"],
    ["a.yml", "#if (A)\nx: 1\n#else\ny: 1\n#endif\n"],
    ["a.vb", "#If A Then\n#Else\n#End If\n"],
    ["bin/a.cs", "#if (A)\n"],
    ["node_modules/a.cs", "#if (A)\n"],
    ["data.cs", "#if (A)\u0000"],
  ])("%s: %j is sound", (path, text) => {
    expect(lint({}, { [path]: text })).toEqual([]);
  });

  it("reads files by the template's sources", () => {
    const text = { "src/a.cs": "#if (A)\n" };
    expect(codes(lint({}, text))).toEqual(["Error UnbalancedConditional"]);
    expect(lint({ sources: [{ source: "src", copyOnly: ["a.cs"] }] }, text)).toEqual([]);
    expect(lint({ sources: [{ source: "src", exclude: ["*.cs"] }] }, text)).toEqual([]);
    expect(lint({ sources: [{ modifiers: [{ condition: "X", copyOnly: ["src/**"] }] }] }, text)).toEqual([]);
    expect(lint({ specialCustomOperations: { "*.cs": {} } }, text)).toEqual([]);
  });

  it("reads wide characters", () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("x\n#if (A)\n", "utf16le")]);
    expect(lint({}, { "a.cs": bytes })).toMatchObject([{ code: "UnbalancedConditional", line: 2 }]);
  });
});

describe("runCheck", () => {
  it("orders findings by path, line and code and reports no Info", async () => {
    const files = pack({ name: "", identity: "" }, { "b.cs": "#if A\n", "a.cs": "\n#endif\n", NUL: "" });
    const { findings } = await runCheck("StructuralLint", files, { parameterSchema: {}, targetFramework: "net8.0" });
    expect(findings.map(({ path, line, code }) => `${path}:${line} ${code}`)).toEqual([
      ".template.config/template.json:1 MissingIdentity",
      ".template.config/template.json:1 MissingName",
      "NUL:null ReservedFileName",
      "a.cs:2 UnbalancedConditional",
      "b.cs:1 UnbalancedConditional",
    ]);
  });

  it("reports two hundred findings and no more", async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.cs`, "#endif\n"]));
    const { findings } = await runCheck("StructuralLint", pack({}, files), {
      parameterSchema: {},
      targetFramework: "net8.0",
    });
    expect(findings).toHaveLength(200);
  });
});

describe("structuralLint: anything at all", () => {
  const names = fc.constantFrom("a.cs", "b.csproj", "c.json", "d.md", "e.yml", "f.vb", "../g", "Ä", "h.cshtml");
  const words = fc.constantFrom(
    "#if (A)",
    "#endif",
    "//#else",
    "<!--#if",
    "-->",
    "//-:cnd",
    "\n",
    "\r\n",
    "(",
    "\u0000",
    "x",
  );
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(words, { maxLength: 20 }).map((parts) => parts.join("")),
  );

  it("never throws on random files", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(names, fc.string()), content), content, (files, config) => {
        structuralLint(tree({ ...files, ".template.config/template.json": config }));
      }),
      { numRuns: 300 },
    );
  });

  it("never throws on random configuration", () => {
    const members = [
      ..."identity name shortName sources symbols forms primaryOutputs postActions guids tags sourceName".split(" "),
    ];
    const parts = [
      ..."type source target rename modifiers choices steps regex generator parameters value global path actionId".split(
        " ",
      ),
    ];
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie("any"), { maxLength: 3 }),
        tie("object"),
      ),
      object: fc.dictionary(fc.constantFrom(...parts, "parameter", "generated", "x"), tie("any"), { maxKeys: 4 }),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...members), value), (config) => {
        structuralLint(tree({ ".template.config/template.json": JSON.stringify(config), "a.cs": "#if (A)\n#endif" }));
      }),
      { numRuns: 300 },
    );
  });
});
