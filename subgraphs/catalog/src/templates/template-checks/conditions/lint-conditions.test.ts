import { codes, lint, lintApart, lintFor } from "../structural-lint/lint-pack.fixture.js";

describe("StructuralLint of conditionals", () => {
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
    expect(lintApart({}, { [path]: text })).toMatchObject([
      { severity: "Warning", code: "UnbalancedConditional", path, line },
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
    expect(lintApart({}, { [path]: text })).toEqual([]);
  });

  it("reads files by the template's sources", () => {
    const text = { "src/a.cs": "#if (A)\n" };
    expect(codes(lintApart({}, text))).toEqual(["Warning UnbalancedConditional"]);
    expect(lintApart({ sources: [{ source: "src", copyOnly: ["a.cs"] }] }, text)).toEqual([]);
    expect(lintApart({ sources: [{ source: "src", exclude: ["*.cs"] }] }, text)).toEqual([]);
    expect(lintApart({ sources: [{ modifiers: [{ condition: "X", copyOnly: ["src/**"] }] }] }, text)).toEqual([]);
    expect(lintApart({ specialCustomOperations: { "*.cs": {} } }, text)).toEqual([]);
  });

  it("reads what a modifier brings in and not what one without condition leaves out", () => {
    const text = { "src/a.cs": "#if (A)\n", "b.txt": "" };
    const brought = { exclude: ["src/**"], modifiers: [{ condition: "(X)", include: ["src/**"] }] };
    expect(codes(lintApart({ sources: [brought] }, text))).toEqual(["Warning UnbalancedConditional"]);
    expect(lintApart({ sources: [{ modifiers: [{ exclude: ["src/**"] }] }] }, text)).toEqual([]);
    expect(codes(lintApart({ sources: [{ modifiers: [{ condition: "(X)", exclude: ["src/**"] }] }] }, text))).toEqual([
      "Warning UnbalancedConditional",
    ]);
  });

  it("reads wide characters", () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("x\n#if (A)\n", "utf16le")]);
    expect(lintApart({}, { "a.cs": bytes })).toMatchObject([{ code: "UnbalancedConditional", line: 2 }]);
  });
});

describe("StructuralLint of conditions", () => {
  const symbols = {
    Flag: { type: "parameter", datatype: "bool", defaultValue: "true" },
    Text: { type: "parameter", datatype: "string", defaultValue: "x" },
    Kind: {
      type: "parameter",
      datatype: "choice",
      enableQuotelessLiterals: true,
      choices: [{ choice: "One" }, { choice: "net8.0" }],
      defaultValue: "One",
    },
    "my-flag": { type: "parameter", datatype: "bool" },
  };
  const tags = { language: "C#" };
  const unknownSymbols = (files: Record<string, string>, config: object = {}) =>
    lintFor("UnknownSymbolInCondition", { symbols, tags, ...config }, files);

  it.each<[string, string]>([
    ["a.cs", "x\n#if (Debug)\n#endif\n"],
    ["a.cs", "\n#elseif Flag\n#if (Flag && Debug)\n#endif\n"],
    ["a.json", "\n//#if (Debug)\n//#endif\n"],
    ["a.csproj", "<P>\n<!--#if (Debug)-->\n<!--#endif-->\n</P>"],
    ["a.razor", "\n@*#if (Flag || Debug)*@\n@*#endif*@\n"],
    ["a.vb", "\n#If Debug Then\n#End If\n"],
    ["a.yml", "\n#if (Debug)\nx: 1\n#endif\n"],
  ])("%s: %j names no symbol", (path, text) => {
    expect(unknownSymbols({ [path]: text })).toMatchObject([
      {
        severity: "Warning",
        path,
        line: text.startsWith("\n#else") ? 3 : 2,
        message: expect.stringContaining('"Debug"'),
      },
    ]);
  });

  it.each<[string, string]>([
    ["a.cs", '#if (Flag)\n#elseif (!Flag && Text != "Debug" || Kind == One)\n#endif\n'],
    ["a.cs", "#if (Flag) // Debug\n#endif\n"],
    ["a.cs", "#if (Kind == net8.0 || Text == 'y' || my-flag || 0x1F > 12)\n#endif\n"],
    ["a.cs", '#if (name == "x" || language == "C#" || OS != "Windows_NT")\n#endif\n'],
    ["a.cs", "//-:cnd:noEmit\n#if DEBUG\n#endif\n//+:cnd:noEmit\n"],
    ["a.csproj", "<P Condition=\"'$(Debug)' == ''\">\n<!--#if (Flag) -->\n<!--#endif -->\n</P>"],
    ["a.vb", '#If Not Flag AndAlso Text <> "x" Then\n#End If\n'],
    ["a.cs", "#region Debug\n#endregion\n"],
  ])("%s: %j names symbols only", (path, text) => {
    expect(unknownSymbols({ [path]: text })).toEqual([]);
  });

  it("says it once for a file", () => {
    expect(unknownSymbols({ "a.cs": "#if A\n#endif\n#if A\n#endif\n", "b.cs": "#if A\n#endif\n" })).toHaveLength(2);
  });

  it.each<[object, string]>([
    [{ sources: [{ condition: "(Debug)" }] }, "/sources/0/condition"],
    [{ sources: [{ modifiers: [{ condition: "Debug" }] }] }, "/sources/0/modifiers/0/condition"],
    [{ primaryOutputs: [{ path: "a.txt", condition: "(!Debug)" }] }, "/primaryOutputs/0/condition"],
    [{ postActions: [{ condition: "(Debug)" }] }, "/postActions/0/condition"],
    [{ symbols: { a: { type: "computed", value: "(Debug)" } } }, "/symbols/a/value"],
    [{ symbols: { a: { type: "parameter", isRequired: "Debug == 'x'" } } }, "/symbols/a/isRequired"],
    [
      {
        symbols: {
          a: { type: "generated", generator: "switch", parameters: { cases: [{ condition: "Debug", value: "" }] } },
        },
      },
      "/symbols/a/parameters/cases/0/condition",
    ],
    [
      { specialCustomOperations: { "*.x": { operations: [{ condition: "Debug" }] } } },
      "/specialCustomOperations/*.x/operations/0/condition",
    ],
  ])("%j names no symbol", (config, pointer) => {
    expect(unknownSymbols({ "a.txt": "" }, config)).toMatchObject([
      { pointer: pointer.replaceAll("~", "~0"), line: expect.any(Number) },
    ]);
  });

  it.each<[string, string]>([
    ["Text", "neither true nor false"],
    ["(Flag", "not closed"],
    ["Flag)", "has no opening one"],
    ["Flag Text", "operator is missing"],
    ["Text - 1", "requires two numbers"],
  ])("%j of template.json is not evaluated as it is written", (condition, why) => {
    const sources = [{ condition }];
    expect(lintFor("ConditionUnparseable", { symbols, sources })).toMatchObject([
      {
        severity: "Warning",
        pointer: "/sources/0/condition",
        line: expect.any(Number),
        message: expect.stringContaining(why),
      },
    ]);
  });

  it.each<[string, string]>([
    ["#if Flag == Kind && Text", "first operand"],
    ["#if (Text)", "neither true nor false"],
    ["#if (Flag", "not closed"],
  ])("%j of a file is not evaluated as it is written", (line, why) => {
    const files = { "a.cs": `x\n  ${line}\n#endif\n` };
    expect(lintFor("ConditionUnparseable", { symbols }, files)).toMatchObject([
      { severity: "Warning", path: "a.cs", line: 2, column: 3, message: expect.stringContaining(why) },
    ]);
  });

  describe("with symbols of single letters", () => {
    const letters = { e: { type: "parameter", datatype: "bool" }, f: { type: "parameter", datatype: "bool" } };
    const lintCodes = (condition: string, file = false) =>
      lint(file ? { symbols: letters } : { symbols: letters, sources: [{ condition }] }, {
        "a.cs": file ? `#if ${condition}\n#endif\n` : "",
      })
        .filter(({ code }) => code !== "UnusedSymbol")
        .map(({ code, message }) => [code, message.slice(message.indexOf('"') + condition.length + 3)]);

    it.each<[string, boolean]>([
      ["(e && f)", false],
      ["(e && !f)", true],
      ["e || f", false],
      ["(e == 'fee')", true],
    ])("finds nothing wrong in %s", (condition, file) => {
      expect(lintCodes(condition, file)).toEqual([]);
    });

    it.each<[string, boolean, string]>([
      ["(fun)", false, "f"],
      ["(fun)", true, "f"],
      ["(Debug)", false, "e"],
      ["Debug", true, "e"],
      ["!Debug && f", false, "e"],
    ])("tells that a symbol is read inside the name of %s (in a file: %s)", (condition, file, symbol) => {
      const name = /\w+/.exec(condition)?.[0];
      expect(lintCodes(condition, file)).toEqual([
        [
          "UnknownSymbolInCondition",
          `names "${name}". The template has no such symbol, so the symbol "${symbol}" is read inside of the name.`,
        ],
      ]);
    });

    it.each<[string, boolean, string]>([
      ["(e == true)", true, "true"],
      ["(f == 0x1f)", false, "0x1f"],
    ])("tells that a symbol is read inside the literal of %s", (condition, file, literal) => {
      expect(lintCodes(condition, file)).toEqual([
        [
          "ConditionUnparseable",
          expect.stringMatching(
            new RegExp(`^is not evaluated as it is written: the symbol "[ef]" is read inside of "${literal}"`),
          ),
        ],
      ]);
    });
  });

  it.each<[string, string]>([
    ["#if !Flag", 'the text behind its "!" is not read, so it is always true. Put it in parentheses'],
    ["#if !(Flag)", 'the text behind its "!" is not read, so it is always true. Put it in parentheses'],
    ["#if Flag == Kind", "only its first operand is read, so put it in parentheses"],
  ])("%j of a file says how it is read", (line, why) => {
    expect(lintFor("ConditionUnparseable", { symbols }, { "a.cs": `${line}\n#endif\n` })).toMatchObject([
      { message: `The condition "${line.slice(4)}" is not evaluated as it is written: ${why}.` },
    ]);
    expect(lintFor("ConditionUnparseable", { symbols }, { "a.cs": "#if (!Flag)\n#endif\n" })).toEqual([]);
    expect(lintFor("ConditionUnparseable", { symbols, sources: [{ condition: "!Flag" }] })).toEqual([]);
  });

  it("does not miss a parenthesis that is written behind what the evaluator understands", () => {
    const [only] = lintFor("ConditionUnparseable", { symbols }, { "a.vb": "#If (Flag && Flag) Then\n#End If\n" });
    expect(only?.message).toContain('it is read up to "(Flag" only');
  });

  it("decides nothing where the template cannot be rendered", () => {
    const broken = { type: "generated", generator: "constant", parameters: {} };
    const sources = [{ condition: "Text" }];
    expect(lintFor("ConditionUnparseable", { symbols: { ...symbols, broken }, sources })).toEqual([]);
  });
});
