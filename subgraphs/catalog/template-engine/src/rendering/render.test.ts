import { loadTemplatePack, TemplateError } from "../configuration/template-pack.js";
import { render } from "./render.js";
import { conditional, renderFiles, texts, tree } from "./template-pack.fixture.js";

const lines = (...parts: string[]) => parts.map((part) => `${part}\n`).join("");

describe("loading a template pack", () => {
  const code = (action: () => unknown) => {
    try {
      action();
    } catch (error) {
      if (error instanceof TemplateError) return error.findings[0];
      throw error;
    }
    return undefined;
  };

  it("names a missing configuration", () => {
    expect(code(() => loadTemplatePack(tree({ "a.txt": "" })))).toMatchObject({ code: "TemplateConfigMissing" });
  });

  it("names several templates", () => {
    const files = tree({ "a/.template.config/template.json": "{}", "b/.template.config/template.json": "{}" });
    expect(code(() => loadTemplatePack(files))).toMatchObject({ code: "TemplateAmbiguous" });
  });

  it("takes the template at the top, whatever its content holds", () => {
    const inner = "content/.template.config/template.json";
    const pack = loadTemplatePack(tree({ ".template.config/template.json": '{"identity":"outer"}', [inner]: "{}" }));
    expect(pack.config.identity).toBe("outer");
  });

  it("gives line and column of unreadable JSON", () => {
    const files = tree({ ".template.config/template.json": '{\n  "a": ,\n}' });
    expect(code(() => loadTemplatePack(files))).toMatchObject({ code: "TemplateConfigUnreadable", line: 2, column: 8 });
  });

  it("reads comments, trailing commas, a byte order mark and any casing of names", () => {
    const text =
      '\ufeff{ // comment\n "IDENTITY": "x", "ShortName": ["a", "b"], "Symbols": {"p": {"Type": "parameter", "dataType": "BOOL", "DefaultValue": "true",},}, }';
    const { config, root } = loadTemplatePack(
      tree({ "pack/web/.template.config/template.json": text, "other.txt": "" }),
    );
    expect(root).toBe("pack/web");
    expect(config.identity).toBe("x");
    expect(config.shortNames).toEqual(["a", "b"]);
    expect(config.symbols.get("p")).toMatchObject({ datatype: "bool", defaultValue: "true" });
  });

  it("reads what older SDKs accept beyond JSON", () => {
    const text = "{identity: 'x', shortName: ['a'], sourceName: \"App\", guids: [], precedence: 0x10} // end";
    const { config } = loadTemplatePack(tree({ ".template.config/template.json": text }));
    expect(config).toMatchObject({ identity: "x", shortNames: ["a"], sourceName: "App", precedence: 16 });
  });

  it("keeps only what lies below the template root", () => {
    const pack = loadTemplatePack(tree({ "t/.template.config/template.json": "{}", "t/a.txt": "1", "b.txt": "2" }));
    expect([...pack.files.keys()]).toEqual([".template.config/template.json", "a.txt"]);
  });

  it("survives a document nested too deeply", () => {
    const files = tree({ ".template.config/template.json": "[".repeat(200_000) });
    expect(code(() => loadTemplatePack(files))).toMatchObject({ code: "TemplateConfigUnreadable" });
  });

  it.each([
    ["{", "an object is not closed"],
    ['{"a" 1', "a colon is expected after the name of a member"],
    ["[1]", "the document is not an object"],
    ["[".repeat(200_000), "it nests too deeply"],
  ])("says in words what is wrong with a document", (text, words) => {
    const message = `.template.config/template.json cannot be read: ${words}.`;
    expect(() => loadTemplatePack(tree({ ".template.config/template.json": text }))).toThrow(message);
  });
});

describe("source name", () => {
  it("replaces contents and paths", () => {
    const result = renderFiles(
      { sourceName: "Company.App" },
      { "Company.App/Company.App.cs": "namespace Company.App;\n" },
    );
    expect(texts(result)).toEqual({ "MyApp/MyApp.cs": "namespace MyApp;\n" });
  });

  it("replaces the five built-in forms in contents, the name as it is in paths", () => {
    const result = renderFiles(
      { sourceName: "Company.App-1" },
      { "Company.App-1.txt": "Company.App-1 Company_App_1 company_app_1 Company.App_1 company.app_1" },
      { name: "1st my-Name" },
    );
    expect(texts(result)).toEqual({
      "1st my-Name.txt": "1st my-Name _1st_my_Name _1st_my_name _1st_my_Name _1st_my_name",
    });
  });

  it("follows a template that declares the name itself", () => {
    const symbols = { name: { type: "parameter", replaces: "Other" } };
    const result = renderFiles(
      { sourceName: "Company.App", symbols },
      { "Company.App.txt": "Company.App company.app Other" },
    );
    expect(texts(result)).toEqual({ "MyApp.txt": "Company.App company.app MyApp" });
  });

  it("is not applied again to what it wrote", () => {
    expect(texts(renderFiles({ sourceName: "App" }, { "App.txt": "App" }, { name: "AppApp" }))).toEqual({
      "AppApp.txt": "AppApp",
    });
  });

  it("is case-sensitive, also in lower case forms", () => {
    expect(texts(renderFiles({ sourceName: "App" }, { "a.txt": "App app APP" }))).toEqual({
      "a.txt": "MyApp myapp APP",
    });
  });

  it("passes through binary content that holds no token", () => {
    const bytes = Uint8Array.from({ length: 512 }, (_, index) => index & 255);
    const { files } = renderFiles({ sourceName: "Company.App" }, { "logo.png": bytes });
    expect(files.get("logo.png")?.bytes).toEqual(Buffer.from(bytes));
  });

  it("keeps byte order mark, line endings and a missing final newline", () => {
    const result = renderFiles({ sourceName: "App" }, { "a.cs": "\ufeffApp\r\nApp\rApp\nApp" });
    expect(texts(result)["a.cs"]).toBe("\ufeffMyApp\r\nMyApp\rMyApp\nMyApp");
  });

  it.each([["utf16le", 0xff, 0xfe] as const])("keeps the encoding %s", (encoding, first, second) => {
    const bytes = Buffer.concat([Buffer.from([first, second]), Buffer.from("App ü\n", encoding)]);
    const { files } = renderFiles({ sourceName: "App" }, { "a.txt": bytes });
    expect(files.get("a.txt")?.bytes).toEqual(
      Buffer.concat([Buffer.from([first, second]), Buffer.from("MyApp ü\n", encoding)]),
    );
  });

  it("keeps UTF-16 in the other byte order", () => {
    const bytes = Buffer.from("\ufeffApp", "utf16le").swap16();
    const { files } = renderFiles({ sourceName: "App" }, { "a.txt": bytes });
    expect(files.get("a.txt")?.bytes).toEqual(Buffer.from("\ufeffMyApp", "utf16le").swap16());
  });
});

describe("parameter symbols", () => {
  const symbols = {
    company: {
      type: "parameter",
      datatype: "string",
      replaces: "CompanyName",
      fileRename: "Company",
      defaultValue: "Contoso",
    },
    port: { type: "parameter", datatype: "int", replaces: "PORT_NUMBER", defaultValue: "8080" },
    flag: { type: "parameter", datatype: "bool", replaces: "FLAG_VALUE" },
    color: {
      type: "parameter",
      datatype: "choice",
      replaces: "COLOR",
      choices: [{ choice: "Red" }, { choice: "Green" }],
      defaultValue: "Green",
    },
  };
  const files = { "Company.txt": "CompanyName PORT_NUMBER FLAG_VALUE COLOR" };

  it("uses defaults", () => {
    expect(texts(renderFiles({ symbols }, files))).toEqual({ "Contoso.txt": "Contoso 8080 False Green" });
  });

  it("uses the request's values, typed or as text", () => {
    const parameters = { company: "Acme", port: 81, flag: true, color: "red", unknown: 1 };
    expect(texts(renderFiles({ symbols }, files, { parameters }))).toEqual({ "Acme.txt": "Acme 81 True Red" });
  });

  it("takes an explicit null as the option without value", () => {
    expect(texts(renderFiles({ symbols }, files, { parameters: { flag: null } }))["Contoso.txt"]).toContain("True");
  });

  it("reads an empty default of an option without value as true", () => {
    const flag = { type: "parameter", datatype: "bool", defaultIfOptionWithoutValue: "", replaces: "P" };
    expect(texts(renderFiles({ symbols: { flag } }, { a: "P" }, { parameters: { flag: null } }))).toEqual({
      a: "True",
    });
  });

  it.each([{ port: "x" }, { color: "Blue" }, { flag: "maybe" }, { company: { a: 1 } }])("refuses %j", (parameters) => {
    expect(() => renderFiles({ symbols }, files, { parameters })).toThrow(TemplateError);
  });

  it("asks for a required parameter even when there is a default", () => {
    const symbols = { p: { type: "parameter", isRequired: true, defaultValue: "x", replaces: "P" } };
    expect(() => renderFiles({ symbols: symbols }, {})).toThrow(/required/);
    expect(texts(renderFiles({ symbols: symbols }, { "a.txt": "P" }, { parameters: { p: "1" } }))).toEqual({
      "a.txt": "1",
    });
  });

  it("leaves the text alone that an optional parameter without a value would replace", () => {
    const symbols = { p: { type: "parameter", datatype: "text", replaces: "P", fileRename: "file" } };
    const bare = { p: { type: "parameter", datatype: "text", fileRename: "file" } };
    expect(texts(renderFiles({ symbols }, { "a.txt": "[P]" }))).toEqual({ "a.txt": "[P]" });
    expect(texts(renderFiles({ symbols: bare }, { "file.txt": "" }))).toEqual({ "file.txt": "" });
    expect(texts(renderFiles({ symbols }, { "a.txt": "[P]" }, { parameters: { p: "" } }))).toEqual({ "a.txt": "[]" });
  });

  it.each<[string, string, string]>([
    ["true", "True", "(p)"],
    ["05", "5", "(p == 5)"],
    ["1.50", "1.5", "(p == 1.5)"],
    ["0x1f", "31", "(p == 31)"],
    ["1.2.3", "1.2.3", "(p == '1.2.3')"],
    ['"5"', '"5"', "(p != 5)"],
    ["text", "text", "(p == 'TEXT')"],
  ])("reads %s as %s where no datatype is named", (value, result, condition) => {
    const symbols = { p: { type: "parameter", replaces: "VALUE", defaultValue: value } };
    const file = { "a.cs": `VALUE\n#if ${condition}\nyes\n#endif\n` };
    expect(texts(renderFiles({ symbols: symbols }, file))["a.cs"]).toBe(`${result}\nyes\n`);
  });

  it.each(["bool", "Boolean", "BOOL"])("takes texts and JSON values for the datatype %s", (datatype) => {
    const symbols = { p: { type: "parameter", datatype, replaces: "P" } };
    const run = (p: unknown) => texts(renderFiles({ symbols: symbols }, { a: "P" }, { parameters: { p } }))["a"];
    expect([run("true"), run(true), run("FALSE"), run(false)]).toEqual(["True", "True", "False", "False"]);
  });

  it("is as if it were not there when its condition switches it off", () => {
    const symbols = {
      on: { type: "parameter", datatype: "bool", defaultValue: "false" },
      p: { type: "parameter", replaces: "P", isEnabled: "on == true" },
    };
    const files = { "a.txt": "P" };
    expect(texts(renderFiles({ symbols: symbols }, files, { parameters: { p: "1" } }))["a.txt"]).toBe("P");
    expect(texts(renderFiles({ symbols: symbols }, files, { parameters: { p: "1", on: true } }))["a.txt"]).toBe("1");
  });

  it.each<[Record<string, unknown>, string]>([
    [{}, "B C"],
    [{ a: true, b: "1" }, "1 C"],
    [{ a: true, b: "1", c: "2" }, "1 2"],
    [{ b: "1", c: "2" }, "B C"],
  ])("decides conditions that look at a disabled parameter again without it: %j", (parameters, result) => {
    const symbols = {
      c: { type: "parameter", datatype: "text", replaces: "C", isEnabled: "b == '1'" },
      b: { type: "parameter", datatype: "text", replaces: "B", isEnabled: "a" },
      a: { type: "parameter", datatype: "bool" },
    };
    expect(texts(renderFiles({ symbols: symbols }, { "a.txt": "B C" }, { parameters }))["a.txt"]).toBe(result);
  });

  it("lets two parameters require each other", () => {
    const symbols = {
      a: { type: "parameter", datatype: "text", defaultValue: "", replaces: "A", isRequired: "b == ''" },
      b: { type: "parameter", datatype: "text", defaultValue: "", replaces: "B", isRequired: "a == ''" },
    };
    const run = (parameters: object) =>
      texts(renderFiles({ symbols: symbols }, { x: "A B" }, { parameters: { ...parameters } }));
    expect(run({ a: "1" })).toEqual({ x: "1 " });
    expect(run({ b: "2" })).toEqual({ x: " 2" });
    expect(() => run({})).toThrow(/required/);
  });

  it("lets two parameters switch each other off unless that never settles", () => {
    const symbols = {
      left: { type: "parameter", datatype: "bool", replaces: "A", isEnabled: "right != false" },
      right: { type: "parameter", datatype: "bool", replaces: "B", isEnabled: "left != true" },
    };
    const run = (left: boolean, right: boolean) =>
      texts(renderFiles({ symbols: symbols }, { x: "A B" }, { parameters: { left, right } }));
    expect(run(false, true)).toEqual({ x: "False True" });
    expect(() => run(true, false)).toThrow(/form a dependency cycle/);
  });

  it("takes the longest token and never rescans", () => {
    const symbols = {
      a: { type: "parameter", replaces: "ab", defaultValue: "abc" },
      b: { type: "parameter", replaces: "abc", defaultValue: "x" },
    };
    expect(texts(renderFiles({ symbols: symbols }, { "a.txt": "ab abc ababc" }))["a.txt"]).toBe("abc x abcx");
  });

  it("replaces only in the context that onlyIf names", () => {
    const symbols = {
      p: { type: "parameter", replaces: "1", defaultValue: "2", onlyIf: [{ after: "v", before: ";" }] },
    };
    expect(texts(renderFiles({ symbols: symbols }, { "a.txt": "v1; 1; v1 v1;" }))["a.txt"]).toBe("v2; 1; v1 v2;");
  });

  it("counts white space as a context of onlyIf", () => {
    const onlyIf = [{ after: " " }, { before: "\n" }];
    const symbols = { p: { type: "parameter", datatype: "text", replaces: "x", defaultValue: "y", onlyIf } };
    expect(texts(renderFiles({ symbols: symbols }, { a: "x x\nx\tx x;x\n" }))["a"]).toBe("x y\nx\tx y;y\n");
  });

  it("prefers a token with context in front to a longer one that reaches less far", () => {
    const symbols = {
      p: { type: "parameter", datatype: "text", replaces: "1", defaultValue: "P", onlyIf: [{ after: "key: " }] },
      q: { type: "parameter", datatype: "text", replaces: "123", defaultValue: "Q" },
    };
    expect(texts(renderFiles({ symbols: symbols }, { "a.txt": "key: 123 123" }))["a.txt"]).toBe("key: P23 Q");
  });

  it.each<[string[], string, string]>([
    [["net8.0", "net9.0"], "NET9", "net9.0"],
    [["net8.0", "net8.0-windows"], "net8.0", "net8.0"],
    [["net8.0", "net9.0"], "", ""],
    [["net8.0"], "", "net8.0"],
  ])("finds the choice of %j that %j means", (choices, value, result) => {
    const symbols = {
      p: { type: "parameter", datatype: "choice", replaces: "P", choices: choices.map((choice) => ({ choice })) },
    };
    expect(texts(renderFiles({ symbols: symbols }, { a: "P" }, { parameters: { p: value } }))["a"]).toBe(result);
  });

  it.each([
    ["net8", 'does not accept "net8": several choices begin with "net8": "net8.0", "net8.0-windows".'],
    ["NET8.0-W", undefined],
    ["net9", 'does not accept "net9". Use one of "net8.0", "net8.0-windows".'],
  ])("names the candidates where the choice %j is ambiguous or unknown", (value, message) => {
    const choices = [{ choice: "net8.0" }, { choice: "net8.0-windows" }];
    const symbols = { p: { type: "parameter", datatype: "choice", replaces: "P", choices } };
    const run = () => texts(renderFiles({ symbols: symbols }, { a: "P" }, { parameters: { p: value } }))["a"];
    if (message === undefined) expect(run()).toBe("net8.0-windows");
    else expect(run).toThrow(message);
  });

  it("joins several choices", () => {
    const symbols = {
      p: {
        type: "parameter",
        datatype: "choice",
        allowMultipleValues: true,
        choices: [{ choice: "A" }, { choice: "B" }, { choice: "C" }],
        replaces: "CHOICES",
        defaultValue: "A|C",
      },
    };
    const file = { "a.cs": 'CHOICES\n#if (p == "C")\nc\n#endif\n#if (p == "B")\nb\n#endif\n' };
    expect(texts(renderFiles({ symbols: symbols }, file))["a.cs"]).toBe("A|C\nc\n");
    expect(texts(renderFiles({ symbols: symbols }, file, { parameters: { p: ["B", "A"] } }))["a.cs"]).toBe("B|A\nb\n");
    expect(texts(renderFiles({ symbols: symbols }, file, { parameters: { p: "C" } }))["a.cs"]).toBe("C\nc\n");
    expect(texts(renderFiles({ symbols: symbols }, file, { parameters: { p: [] } }))["a.cs"]).toBe("\n");
  });

  it("drops an unknown choice from a default and refuses it in a request", () => {
    const symbol = {
      type: "parameter",
      datatype: "choice",
      allowMultipleValues: true,
      choices: [{ choice: "A" }, { choice: "B" }],
      replaces: "P",
      defaultValue: "X|B",
    };
    const result = renderFiles({ symbols: { p: symbol } }, { a: "P" });
    expect(texts(result)["a"]).toBe("B");
    expect(result.warnings).toMatchObject([{ code: "SchemaViolation", message: expect.stringContaining("X|B") }]);
    const parameters = { p: ["A", "X"] };
    expect(() => renderFiles({ symbols: { p: symbol } }, { a: "P" }, { parameters })).toThrow(/does not accept "A\|X"/);
  });

  it("reads a default that is no text as no default, and says so", () => {
    const symbols = {
      b: { type: "parameter", datatype: "bool", defaultValue: true, replaces: "B" },
      i: { type: "parameter", datatype: "int", defaultValue: 5, replaces: "I" },
      s: { type: "parameter", datatype: "text", defaultValue: null, replaces: "S" },
    };
    const result = renderFiles({ symbols: symbols }, { a: "B I S" });
    expect(texts(result)["a"]).toBe("False 0 S");
    expect(result.warnings.map(({ code }) => code)).toEqual(["SchemaViolation", "SchemaViolation"]);
  });

  it("reads an unknown datatype as a text, and says so", () => {
    const symbols = { p: { type: "parameter", datatype: "guid", defaultValue: "05", replaces: "P" } };
    const result = renderFiles({ symbols: symbols }, { a: "P" });
    expect(texts(result)["a"]).toBe("05");
    expect(result.warnings).toMatchObject([{ code: "SchemaViolation" }]);
  });

  it("reads choices without quotes where the symbol allows it", () => {
    const symbols = {
      p: {
        type: "parameter",
        datatype: "choice",
        enableQuotelessLiterals: true,
        choices: [{ choice: "A" }, { choice: "B" }],
        defaultValue: "A",
      },
    };
    expect(texts(renderFiles({ symbols: symbols }, { "a.cs": "#if (p == A)\nyes\n#endif\n" }))["a.cs"]).toBe("yes\n");
  });
});

describe("computed symbols", () => {
  it("may depend on each other in any order", () => {
    const symbols = {
      c: { type: "computed", value: "a && !b" },
      b: { type: "computed", value: '(x == "2")' },
      a: { type: "computed", value: '(x != "")' },
      x: { type: "parameter", datatype: "text", defaultValue: "1" },
    };
    const file = { "a.cs": "#if (c)\nc\n#else\nnot c\n#endif\n" };
    expect(texts(renderFiles({ symbols }, file))["a.cs"]).toBe("c\n");
    expect(texts(renderFiles({ symbols }, file, { parameters: { x: "2" } }))["a.cs"]).toBe("not c\n");
  });

  it("refuses a cycle", () => {
    const symbols = { a: { type: "computed", value: "b" }, b: { type: "computed", value: "a" } };
    expect(() => renderFiles({ symbols }, {})).toThrow(/form a dependency cycle: a → b → a/);
  });
});

describe("conditions by file type", () => {
  it.each<[string, string, string]>([
    ["a.cs", "#if (A)\nyes\n#endif\n", "yes\n"],
    ["a.fs", "#if (!A)\nno\n#else\nyes\n#endif\n", "yes\n"],
    ["a.js", "//#if (A)\nyes\n//#endif\n", "yes\n"],
    ["a.ts", "#if (A)\n", "#if (A)\n"],
    ["a.json", '{\n  //#if (A)\n  "a": 1\n  //#endif\n}\n', '{\n  "a": 1\n}\n'],
    ["other.txt", "//#if (B)\nno\n//#endif\nrest", "rest"],
    ["a.csproj", "<a>\n<!--#if (A) -->\n<b/>\n<!--#endif -->\n</a>\n", "<a>\n<b/>\n</a>\n"],
    ["a.xml", "<!--#if (B)-->\nno\n<!--#else-->\nyes\n<!--#endif-->\n", "yes\n"],
    ["README.md", "<!--#if (A)\nhidden comment\n#endif-->\n", "hidden comment\n"],
    [
      "index.html",
      "<p>\n  <!--#if (B) -->\n  b\n  <!--#elseif (A) -->\n  a\n  <!--#endif -->\n</p>\n",
      "<p>\n  a\n</p>\n",
    ],
    ["a.yml", "#if (A)\nyes: 1\n#endif\n", "yes: 1\n"],
    ["build.sh", "#if (B)\nno\n#endif\n", ""],
    ["App.sln", "#if (A)\nProject\n#endif\n", "Project\n"],
    ["Dockerfile", "#if (A)\nRUN a\n#endif\n", "RUN a\n"],
    [".gitignore", "#if (A)\n*.a\n#endif\n", "*.a\n"],
    ["a.css", "/*#if (A)*/\n.a {}\n/*#endif*/\n", ".a {}\n"],
    ["a.cshtml", "@*#if (A)\n@using A\n#endif*@\n", "@using A\n"],
    ["a.jsx", "{/*#if (A)\n<p/>\n#endif*/}\n", "<p/>\n"],
    ["a.cmd", "rem #if (A)\nset a=1\nrem #endif\n", "set a=1\n"],
    ["a.haml", "-##if (A)\n%p\n-##endif\n", "%p\n"],
    ["a.vb", "'#If (A)\nyes\n'#Else\nno\n'#End If\n", "yes\n"],
    ["a.cs", "#if (B)\nno\n#elif (A)\nyes\n#endif\n", "yes\n"],
  ])("%s: %j", (path, text, result) => {
    expect(conditional(path, text, { A: true, B: false })).toBe(result);
  });
});

describe("conditional blocks", () => {
  const cs = (text: string, symbols: Record<string, unknown> = { A: true, B: false }) =>
    conditional("a.cs", text, symbols);

  it("takes the indentation and the rest of keyword lines with it", () => {
    expect(cs("  #if (A) // why\n  yes\n\t#endif // A\nz\n")).toBe("  yes\nz\n");
  });

  it("nests", () => {
    expect(cs(lines("#if (A)", "1", "#if (B)", "2", "#else", "3", "#endif", "4", "#else", "5", "#endif", "6"))).toBe(
      lines("1", "3", "4", "6"),
    );
  });

  it("skips inner blocks of a branch that is not taken", () => {
    expect(cs(lines("#if (B)", "#if (A)", "x", "#else", "y", "#endif", "#else", "z", "#endif"))).toBe(lines("z"));
  });

  it("takes the first true branch only", () => {
    expect(cs(lines("0", "#if (B)", "1", "#elseif (A)", "2", "#elseif (A)", "3", "#else", "4", "#endif", "5"))).toBe(
      lines("0", "2", "5"),
    );
  });

  it("keeps Windows line endings around the block", () => {
    expect(cs("a\r\n#if (A)\r\nb\r\n#else\r\nc\r\n#endif\r\nd\r\n")).toBe("a\r\nb\r\nd\r\n");
  });

  it("ends an open block with the file", () => {
    expect(cs("a\n#if (B)\nb\n")).toBe("a\n");
    expect(cs("a\n#if (A)\nb\n")).toBe("a\nb\n");
  });

  it("emits an unbalanced keyword", () => {
    expect(cs("a\n#endif\nb\n")).toBe("a\n#endif\nb\n");
  });

  it("needs no final newline", () => {
    expect(cs("#if (A)\nb\n#endif")).toBe("b\n");
  });

  it("leaves conditions alone where the flag is off", () => {
    expect(cs(lines("//-:cnd:noEmit", "#if DEBUG", "x", "#endif", "//+:cnd:noEmit", "#if (B)", "y", "#endif"))).toBe(
      lines("#if DEBUG", "x", "#endif"),
    );
  });

  it("emits a flag that is not silent", () => {
    expect(cs(lines("//-:cnd", "#if (B)", "//+:cnd"))).toBe(lines("//-:cnd", "#if (B)", "//+:cnd"));
  });

  it("switches replacements off", () => {
    const result = renderFiles(
      { sourceName: "App" },
      { "a.cs": lines("App", "//-:replacements:noEmit", "App", "//+:replacements:noEmit", "App") },
    );
    expect(texts(result)["a.cs"]).toBe(lines("MyApp", "App", "MyApp"));
  });

  it("forgets flags and open blocks with the end of a file", () => {
    const files = {
      "a.cs": "//-:cnd:noEmit\n#if (A)\n",
      "b.cs": "#if (B)\nb\n#endif\nx\n",
      "c.cs": "#if (A)\nc\n",
      "d.cs": "d\n#else\ne\n#endif\n",
      "e.yml": "##if (A)\n#e: 1\n",
      "f.yml": "#f: 1\n",
    };
    const symbols = {
      A: { type: "parameter", datatype: "bool", defaultValue: "true" },
      B: { type: "parameter", datatype: "bool" },
    };
    expect(texts(renderFiles({ symbols }, files))).toEqual({
      "a.cs": "#if (A)\n",
      "b.cs": "x\n",
      "c.cs": "c\n",
      "d.cs": "d\n#else\ne\n#endif\n",
      "e.yml": "e: 1\n",
      "f.yml": "#f: 1\n",
    });
  });

  it.each([
    ["#if (A)", ""],
    ["#if (A)\na", "a"],
    ["#if (B)\na", ""],
    ["#if (B)\na\n#else", ""],
    ["#if (B)\na\n#else\nb", "b"],
    ["#if (A)\na\n#else", "a"],
    ["#if (A)\na\n#else\nb", "a"],
    ["#if (A)\n#if (B)\na\n#endif\nb", "b"],
    ["#if (B)\n#if (A)\na\n#endif\nb", ""],
    ["#if (B)\n#if (A)\na\n#else\nb", ""],
    ["x\n#endif", "x\n#endif"],
    ["x #else y", "x #else y"],
    ["#if (A)\n//-:cnd:noEmit\na\n#endif\n//+:cnd:noEmit\n#endif\nb", "a\n#endif\nb"],
    ["//-:cnd:noEmit", ""],
    ["x //-:cnd:noEmit", "x "],
    ["//-:cnd\n#if (A)", "//-:cnd\n#if (A)"],
  ])("reads %j to its end", (text, result) => {
    expect(cs(text)).toBe(result);
  });

  it("counts an unknown name as false", () => {
    expect(cs("#if (UNKNOWN)\nx\n#endif\n#if DEBUG\ny\n#endif\n")).toBe("");
  });
});

describe("actionable line comments", () => {
  const json = lines(
    "//#if (A)",
    "  // comment",
    "  first",
    "////#elseif (B)",
    "  //// comment",
    "  //second",
    "////#else",
    "  //// comment",
    "  // third",
    "//#endif",
    "// after",
  );

  it.each([
    [true, false, lines("  // comment", "  first", "// after")],
    [false, true, lines("  // comment", "  second", "// after")],
    [false, false, lines("  // comment", "   third", "// after")],
  ])("A=%s B=%s", (A, B, result) => {
    expect(conditional("a.json", json, { A, B })).toBe(result);
  });

  it("keeps acting inside nested blocks and stops behind the outer one", () => {
    const text = lines("////#if (A)", "//1", "//#if (A)", "//2", "//#endif", "//3", "//#endif", "//4");
    expect(conditional("a.json", text, { A: true })).toBe(lines("1", "2", "3", "//4"));
  });

  it("uses a double hash in hash files", () => {
    expect(conditional("a.yml", lines("##if (A)", "#x: 1", "#endif", "#y"), { A: true })).toBe(lines("x: 1", "#y"));
  });
});

describe("block comments", () => {
  it("repairs a comment inside", () => {
    const text = lines("<!--#if (A)", "<!-- inner -- >", "<a/>", "#endif-->", "<!-- x -- >");
    expect(conditional("a.xml", text, { A: true })).toBe(lines("<!-- inner -->", "<a/>", "<!-- x -- >"));
  });

  it("has else branches inside one comment", () => {
    const text = lines("<!--#if (A) -->", "a", "<!--#else", "b", "#endif-->");
    expect(conditional("a.xml", text, { A: true })).toBe(lines("a"));
    expect(conditional("a.xml", text, { A: false })).toBe(lines("b"));
  });
});

describe("MSBuild conditions", () => {
  const project = (text: string, symbols: Record<string, unknown>) => conditional("a.csproj", text, symbols);

  it("takes the attribute away where it is true", () => {
    expect(project(`<X Condition="'$(F)' == 'a'">1</X>\n`, { F: "a" })).toBe("<X>1</X>\n");
  });

  it("takes the element away where it is false", () => {
    expect(project(`<P>\n  <X Condition="'$(F)' == 'a'">1</X>\n  <Y/>\n</P>\n`, { F: "b" })).toBe(
      "<P>\n  <Y/>\n</P>\n",
    );
  });

  it("takes self-closing and nested elements away", () => {
    const text = `<P>\n  <I Condition="'$(F)' == 'a'">\n    <R Include="x" />\n    <!-- </I> -->\n  </I>\n  <R Condition="'$(F)' == 'a'" Include="y" />\n</P>\n`;
    expect(project(text, { F: "b" })).toBe("<P>\n</P>\n");
  });

  it("leaves conditions about other properties", () => {
    const text = `<X Condition="'$(Other)' == 'a' AND '$(F)' == 'b'">1</X>\n`;
    expect(project(text, { F: "b" })).toBe(text);
  });

  it("reads booleans, versions and operators", () => {
    expect(project(`<X Condition="'$(B)' == 'True' AND '$(F)' &gt;= '2.0'">1</X>\n`, { F: "10.0", B: true })).toBe(
      "<X>1</X>\n",
    );
    expect(project(`<X Condition="'$(B)' == 'True' OR '$(F)' != ''">1</X>\n`, { F: "", B: false })).toBe("");
  });

  it("can be switched off", () => {
    const text = `<P>\n<!--/-:msbuild-conditional:noEmit -->\n<X Condition="'$(F)' == 'a'">1</X>\n<!--/+:msbuild-conditional:noEmit -->\n<X Condition="'$(F)' == 'a'">1</X>\n</P>\n`;
    expect(project(text, { F: "b" })).toBe(`<P>\n<X Condition="'$(F)' == 'a'">1</X>\n</P>\n`);
  });
});

describe("sources", () => {
  const symbols = { extra: { type: "parameter", datatype: "bool", defaultValue: "false" } };
  const files = {
    "a.txt": "//#if (extra)\nx\n//#endif\n",
    "bin/b.dll": "b",
    "sub/c.txt": "c",
    "sub/obj/d": "d",
    "node_modules/e.js": "//#if (extra)",
  };

  it("leaves build output and the configuration away, copies node_modules", () => {
    expect(texts(renderFiles({ symbols }, files))).toEqual({
      "a.txt": "",
      "sub/c.txt": "c",
      "node_modules/e.js": "//#if (extra)",
    });
  });

  it("takes a folder to a target, with the name in it", () => {
    const result = renderFiles({ sourceName: "App", sources: [{ source: "./sub/", target: "./src/App/" }] }, files);
    expect(Object.keys(texts(result))).toEqual(["src/MyApp/c.txt"]);
  });

  it("includes and excludes, exclusion first", () => {
    const sources = [{ include: ["**/*.txt"], exclude: ["sub/**"] }];
    expect(Object.keys(texts(renderFiles({ symbols, sources }, files)))).toEqual(["a.txt"]);
  });

  it("matches whole paths, not names", () => {
    expect(Object.keys(texts(renderFiles({ symbols, sources: [{ include: ["*.txt"] }] }, files)))).toEqual(["a.txt"]);
  });

  it("copies without processing but still renames", () => {
    const sources = [{ copyOnly: ["a.txt"], rename: { "a.txt": "z.txt" } }];
    expect(texts(renderFiles({ symbols, sources }, files))["z.txt"]).toBe("//#if (extra)\nx\n//#endif\n");
  });

  it("applies modifiers where their condition holds, the last one first", () => {
    const sources = [
      {
        modifiers: [
          { condition: "(!extra)", exclude: ["sub/**"] },
          { condition: "(extra)", exclude: ["a.txt"], rename: { "c.txt": "extra.txt" } },
        ],
      },
    ];
    expect(Object.keys(texts(renderFiles({ symbols, sources }, files)))).toEqual(["a.txt", "node_modules/e.js"]);
    const on = renderFiles({ symbols, sources }, files, { parameters: { extra: true } });
    expect(Object.keys(texts(on))).toEqual(["sub/extra.txt", "node_modules/e.js"]);
  });

  it("leaves a source with a false condition out", () => {
    const sources = [{ source: "./sub", condition: "(extra)" }, { include: ["a.txt"] }];
    expect(Object.keys(texts(renderFiles({ symbols, sources }, files)))).toEqual(["a.txt"]);
  });

  it("takes a folder beside the template as long as it is in the package", () => {
    const config = { identity: "T", name: "T", shortName: "t", sourceName: "App" };
    const run = (source: string) => {
      const json = JSON.stringify({ ...config, sources: [{ source }] });
      const pack = loadTemplatePack(
        tree({ "a/t/.template.config/template.json": json, "a/t/x.txt": "", "a/s/App.txt": "App", "a/top.txt": "" }),
      );
      return texts(render(pack, { name: "Mine", parameters: {}, seed: "", now: new Date(0) }));
    };
    expect(run("../s")).toEqual({ "Mine.txt": "Mine" });
    expect(run("sub/../../s/")).toEqual({ "Mine.txt": "Mine" });
    for (const source of ["../../..", "/a/s", "\\a", "../../../a/s"]) expect(() => run(source)).toThrow(/outside/);
  });

  it("refuses a source outside the template", () => {
    expect(() => renderFiles({ sources: [{ source: "../other" }] }, files)).toThrow(/outside/);
  });

  it("warns about a source without files", () => {
    expect(renderFiles({ sources: [{ source: "./none" }] }, files).warnings).toMatchObject([{ code: "SourceMissing" }]);
  });

  it("reads a list of patterns from a file beside the configuration", () => {
    const result = renderFiles(
      { sources: [{ exclude: "skip.txt" }] },
      { ...files, ".template.config/skip.txt": "sub/**\r\n**/e.js\n.template.config/**\nbin/**\n" },
    );
    expect(Object.keys(texts(result))).toEqual(["a.txt"]);
  });

  it("renames parts of whole paths, source renames first", () => {
    const sources = [{ rename: { "sub/c": "App/x" } }];
    const symbols = { f: { type: "parameter", fileRename: "x.txt", defaultValue: "y.md" } };
    expect(Object.keys(texts(renderFiles({ sourceName: "App", symbols: symbols, sources }, files)))).toContain(
      "MyApp/y.md",
    );
  });

  it("does not write placeholder files", () => {
    expect(texts(renderFiles({}, { "a/-.-": "", "b/_._": "", "c/keep": "" }))).toEqual({ "c/keep": "" });
    expect(texts(renderFiles({ placeholderFilename: "keep" }, { "a/-.-": "", "c/keep": "" }))).toEqual({ "a/-.-": "" });
  });
});

describe("output paths", () => {
  it.each([
    [{ sources: [{ target: "../up" }] }, "MyApp"],
    [{ sources: [{ target: "/etc" }] }, "MyApp"],
    [{ sources: [{ target: "C:/x" }] }, "MyApp"],
    [{ sources: [{ rename: { "a.txt": "../../a.txt" } }] }, "MyApp"],
    [{ sources: [{ rename: { "a.txt": ".git/hooks/x" } }] }, "MyApp"],
    [{ sources: [{ rename: { "a.txt": "x\\y" } }] }, "MyApp"],
    [{ sourceName: "App" }, "../x"],
    [{ sourceName: "App" }, "a/../../x"],
    [{ sourceName: "App" }, "NUL"],
    [{ sourceName: "App" }, ".git"],
    [{ sourceName: "App" }, "x\u0000"],
  ])("refuses what %j makes of %j", (config, name) => {
    expect(() => renderFiles(config, { "a.txt": "a", "App/b.txt": "b" }, { name })).toThrow(
      expect.objectContaining({ code: "RENDER_FAILED" }),
    );
  });

  it("keeps and reports names that some file systems merge", () => {
    const result = renderFiles({ sourceName: "App" }, { "App.txt": "1", "myapp.txt": "2" }, { name: "MyApp" });
    expect(texts(result)).toEqual({ "MyApp.txt": "1", "myapp.txt": "2" });
    expect(result.warnings).toMatchObject([{ code: "OutputTwins" }]);
  });

  it("lets the last file of a path win, whichever source it comes from", () => {
    const result = renderFiles({ sourceName: "App" }, { "App.txt": "1", "myapp.txt": "2" }, { name: "myapp" });
    expect(texts(result)).toEqual({ "myapp.txt": "2" });
    expect(result.warnings).toMatchObject([{ code: "OutputReplaced" }]);
    const sources = [{ source: "a" }, { source: "b" }];
    const two = renderFiles({ sources }, { "a/x.txt": "1", "a/y.txt": "same", "b/x.txt": "2", "b/y.txt": "same" });
    expect(texts(two)).toEqual({ "x.txt": "2", "y.txt": "same" });
    expect(two.warnings).toMatchObject([{ code: "OutputReplaced", message: expect.stringContaining("x.txt") }]);
  });

  it("refuses a file that is also a folder", () => {
    const sources = [{ source: "a" }, { source: "b", target: "x" }];
    expect(() => renderFiles({ sources }, { "a/x": "1", "b/y": "2" })).toThrow(/to be a folder/);
  });
});

describe("primary outputs and post actions", () => {
  it("renames primary outputs and drops those with a false condition", () => {
    const config = {
      sourceName: "App",
      symbols: { extra: { type: "parameter", datatype: "bool" } },
      primaryOutputs: [{ path: "App.csproj" }, { path: "x.cs", condition: "(extra)" }],
    };
    expect(renderFiles(config, { "App.csproj": "<P/>" }).primaryOutputs).toEqual(["MyApp.csproj"]);
  });

  it("warns about a primary output that was not produced", () => {
    const result = renderFiles({ primaryOutputs: [{ path: "gone.csproj" }] }, { "a.txt": "" });
    expect(result.warnings).toMatchObject([{ code: "PrimaryOutputMissing" }]);
  });

  it("makes scripts executable", () => {
    const postActions = [{ actionId: "CB9A6CF3-4F5C-4860-B9D2-03A574959774", args: { "+x": ["*.sh", "tool"] } }];
    const { files, manualInstructions } = renderFiles(
      { postActions },
      { "a.sh": "", "sub/b.sh": "", tool: "", "c.txt": "" },
    );
    expect([...files].filter(([, file]) => file.executable).map(([path]) => path)).toEqual(["a.sh", "tool"]);
    expect(manualInstructions).toEqual([]);
  });

  it("gives instructions for what it never runs", () => {
    const postActions = [
      { actionId: "210D431B-A78B-4D2F-B762-4ED3E3EA9025", manualInstructions: [{ text: "Run 'dotnet restore'" }] },
      {
        actionId: "3A7C4B45-1F5D-4A30-959A-51B88E82B5D2",
        args: { executable: "rm" },
        manualInstructions: [{ text: "Run setup" }],
      },
      {
        actionId: "210D431B-A78B-4D2F-B762-4ED3E3EA9025",
        condition: "(false)",
        manualInstructions: [{ text: "never" }],
      },
    ];
    const { manualInstructions, warnings } = renderFiles({ postActions }, { "a.txt": "" });
    expect(manualInstructions).toEqual([
      { text: "Run 'dotnet restore'", actionId: "210D431B-A78B-4D2F-B762-4ED3E3EA9025" },
      { text: "Run setup", actionId: "3A7C4B45-1F5D-4A30-959A-51B88E82B5D2" },
    ]);
    expect(warnings).toMatchObject([{ code: "PostActionSkipped" }]);
  });

  it("chooses the last instruction whose condition holds", () => {
    const manualInstructions = [
      { text: "default" },
      { text: "one", condition: "(true)" },
      { text: "two", condition: "(false)" },
    ];
    const postActions = [{ actionId: "AC1156F7-BB77-4DB8-B28F-24EEBCCA1E5C", manualInstructions }];
    expect(renderFiles({ postActions }, {}).manualInstructions).toMatchObject([{ text: "one" }]);
  });
});

describe("limits", () => {
  it("copies a text file above 5 MiB without processing and says so", () => {
    const text = "App ".repeat(1_400_000);
    const result = renderFiles({ sourceName: "App" }, { "a.txt": text, "b.txt": "App" });
    expect(result.files.get("a.txt")?.bytes.length).toBe(text.length);
    expect(texts(result)["b.txt"]).toBe("MyApp");
    expect(result.warnings).toMatchObject([{ code: "FileTooLarge" }]);
  });

  it("stops a replacement that multiplies the output", () => {
    const symbols = { p: { type: "parameter", replaces: "x" } };
    const parameters = { p: "y".repeat(1_000_000) };
    expect(() => renderFiles({ symbols }, { "a.txt": "x".repeat(1_000) }, { parameters })).toThrow(
      expect.objectContaining({ code: "RENDER_FAILED" }),
    );
  });
});
