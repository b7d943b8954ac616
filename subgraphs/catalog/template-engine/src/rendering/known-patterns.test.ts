import { conditional, renderFiles, texts } from "./template-pack.fixture.js";

/** Idioms that widely used template packs rely on, each written anew. */
const lines = (...parts: string[]) => parts.map((part) => `${part}\n`).join("");

describe("forms of a symbol in conditions", () => {
  const project = lines(
    "<P>",
    `  <RootNamespace Condition="'$(name)' != '$(name{-VALUE-FORMS-}safe_namespace)'">Company.App1</RootNamespace>`,
    "</P>",
  );
  const render = (name: string) =>
    texts(renderFiles({ sourceName: "Company.App1" }, { "a.csproj": project }, { name }));

  it("decides whether a project needs a root namespace", () => {
    expect(render("Good.Name")["a.csproj"]).toBe(lines("<P>", "</P>"));
    expect(render("bad-name")["a.csproj"]).toBe(lines("<P>", "  <RootNamespace>bad_name</RootNamespace>", "</P>"));
  });

  it("knows own forms, derived symbols and no others", () => {
    const config = {
      forms: { loud: { identifier: "upperCase" } },
      symbols: {
        P: { type: "parameter", datatype: "text", defaultValue: "a", forms: { global: ["loud"] } },
        D: { type: "derived", valueSource: "P", valueTransform: "loud", forms: { global: ["lowerCase"] } },
        off: { type: "parameter", datatype: "text", defaultValue: "x", isEnabled: false },
      },
    };
    const text = lines(
      `<A Condition="'$(P{-VALUE-FORMS-}loud)|$(P{-VALUE-FORMS-}identity)' == 'A|a'">1</A>`,
      `<B Condition="'$(D{-VALUE-FORMS-}lowerCase)|$(D)' == 'a|A'">2</B>`,
      `<C Condition="'$(P{-VALUE-FORMS-}none)' == 'a'">3</C>`,
      `<D Condition="'$(off{-VALUE-FORMS-}identity)' == 'x'">4</D>`,
    );
    expect(texts(renderFiles(config, { "a.props": text }))["a.props"]).toBe(
      lines(
        "<A>1</A>",
        "<B>2</B>",
        `<C Condition="'$(P{-VALUE-FORMS-}none)' == 'a'">3</C>`,
        `<D Condition="'$(off{-VALUE-FORMS-}identity)' == 'x'">4</D>`,
      ),
    );
  });
});

describe("conditions that dotnet new counts as false", () => {
  it.each([true, false])("Visual Basic's `#If` with C's equality writes the other branch: A=%s", (A) => {
    const text = lines("#If (A == true) Then", "yes", "#Else", "no", "#End If", "end");
    expect(conditional("a.vb", text, { A })).toBe(lines("no", "end"));
  });

  it("an unfinished comparison in template.json", () => {
    const symbols = {
      A: { type: "parameter", datatype: "bool", defaultValue: "false" },
      open: { type: "computed", value: "A ==" },
    };
    const sources = [{ modifiers: [{ condition: "A != ", exclude: ["kept.txt"] }] }];
    const result = renderFiles({ symbols, sources }, { "kept.txt": lines("//#if (open)", "yes", "//#endif", "end") });
    expect(texts(result)).toEqual({ "kept.txt": lines("end") });
    expect(result.warnings.map(({ code }) => code)).toEqual(["ConditionUnparseable", "ConditionUnparseable"]);
  });
});

describe("Razor and markup idioms", () => {
  it.each([
    [true, true, lines("x", "y")],
    [true, false, lines("x", "y")],
    [false, true, lines("z", "y")],
    [false, false, lines("n", "y")],
  ])("a doubled hash keeps the closing comment whole: A=%s B=%s", (A, B, result) => {
    const text = lines("@*#if (A)", "x", "##elseif (B)", "z", "##else", "n", "##endif*@", "y");
    expect(conditional("a.razor", text, { A, B })).toBe(result);
  });

  it("may end the condition's comment in another style", () => {
    const text = lines("<a>", "    @*#if (A) -->", "    <b/>", "    ##endif*@", "</a>");
    expect(conditional("a.razor", text, { A: true })).toBe(lines("<a>", "    <b/>", "</a>"));
    expect(conditional("a.razor", text, { A: false })).toBe(lines("<a>", "</a>"));
  });

  it("has a comment around each keyword, which stands right behind the comment's start", () => {
    const text = lines("<!--#if(A)-->", "a", "<!-- #else -->", "<!--#else-->", "b", "<!--#endif -->", "c");
    expect(conditional("a.xaml", text, { A: true })).toBe(lines("a", "c"));
    // the first else begins the branch, the second one ends it
    expect(conditional("a.xaml", text, { A: false })).toBe("\nc\n");
    const usual = text.replace("<!-- #else -->\n", "");
    expect(conditional("a.xaml", usual, { A: false })).toBe(lines("b", "c"));
  });

  it("nests blocks in one another", () => {
    const text = lines(
      "<!--#if (A)",
      "1",
      "<!--#if (B) -->",
      "2",
      "<!--#else -->",
      "3",
      "<!--#endif -->",
      "4",
      "#endif-->",
      "5",
    );
    expect(conditional("a.html", text, { A: true, B: true })).toBe(lines("1", "2", "4", "5"));
    expect(conditional("a.html", text, { A: true, B: false })).toBe(lines("1", "3", "4", "5"));
    expect(conditional("a.html", text, { A: false, B: true })).toBe(lines("5"));
  });

  it("is the same in every file that holds markup", () => {
    for (const path of ["a.resx", "a.svg", "a.config.xml", "nuget.config", "a.nuspec", "Web.aspx", "a.appxmanifest"]) {
      expect(conditional(path, lines("<!--#if (A) -->", "1", "<!--#endif -->"), { A: false })).toBe("");
    }
  });
});

describe("actionable comments in chains", () => {
  const json = lines(
    "{",
    "////#if (A)",
    '//  "url": "https:////a.example/"',
    "////#elseif (B)",
    '//  "url": "https:////b.example/"',
    "////#else",
    '//  "url": "https:////c.example/"',
    "////#endif",
    "// stays",
    "}",
  );

  it.each([
    [true, true, "a"],
    [true, false, "a"],
    [false, true, "b"],
    [false, false, "c"],
  ])("A=%s B=%s", (A, B, host) => {
    expect(conditional("a.json", json, { A, B })).toBe(
      lines("{", `  "url": "https://${host}.example/"`, "// stays", "}"),
    );
  });

  it("takes comment signs from nested plain blocks too", () => {
    const text = lines(
      "////#if (A)",
      "//a",
      "//#if (B)",
      "//b",
      "//#else",
      "//c",
      "//#endif",
      "//d",
      "////#endif",
      "//e",
    );
    expect(conditional("a.js", text, { A: true, B: true })).toBe(lines("a", "b", "d", "//e"));
    expect(conditional("a.js", text, { A: true, B: false })).toBe(lines("a", "c", "d", "//e"));
    expect(conditional("a.js", text, { A: false, B: true })).toBe(lines("//e"));
  });

  it("replaces a token whose comment signs are doubled", () => {
    const symbols = { U: { type: "parameter", replaces: "https:////host/", defaultValue: "http://other/" } };
    const text = lines('"a": "https:////host/"', '"b": "https://host/"');
    expect(texts(renderFiles({ symbols }, { "a.json": text }))["a.json"]).toBe(
      lines('"a": "http://other/"', '"b": "https://host/"'),
    );
  });

  it.each([
    ["a.ps1", "##if (A)\n#x\n##else\n#y\n##endif\n#z\n", "x\n#z\n", "y\n#z\n"],
    ["a.cmd", "rem rem #if (A)\nrem x\nrem rem #else\nrem y\nrem rem #endif\nrem z\n", "x\nrem z\n", "y\nrem z\n"],
    ["a.haml", "-#-##if (A)\n-#x\n-#-##else\n-#y\n-#-##endif\n-#z\n", "x\n-#z\n", "y\n-#z\n"],
  ])("works the same in %s", (path, text, yes, no) => {
    expect(conditional(path, text, { A: true })).toBe(yes);
    expect(conditional(path, text, { A: false })).toBe(no);
  });
});

describe("MSBuild attribute conditions", () => {
  const csproj = (text: string, symbols: Record<string, unknown>) => conditional("a.csproj", text, symbols);

  it("decides several on one line and keeps what is not its own", () => {
    const text = `<P><A Condition="'$(F)' == 'x'" /><B Condition="'$(F)' == 'y'" /><C Condition="'$(TargetFramework)' == 'x'" /></P>\n`;
    expect(csproj(text, { F: "x" })).toBe(`<P><A />`);
    // the text after a removed element on its line is removed too
    expect(csproj(text, { F: "y" })).toBe("<P>");
    const unknown = `<P><B Condition="'$(F)' == 'y'" /><C Condition="'$(TargetFramework)' == 'x'" /></P>\n`;
    expect(csproj(unknown, { F: "y" })).toBe(`<P><B /><C Condition="'$(TargetFramework)' == 'x'" /></P>\n`);
  });

  it.each([
    // operators are written in capitals; reading ends at any other word
    [`<A Condition="'$(F)' == 'x' And '$(G)' == 'n'">1</A>\n`, "<A>1</A>\n"],
    [`<A Condition="'$(F)' == 'x' AND '$(G)' == 'y'">1</A>\n`, "<A>1</A>\n"],
    [`<A Condition="'$(F)' == 'x' AND ('$(G)' == 'n' OR '$(G)' == 'y')">1</A>\n`, "<A>1</A>\n"],
    [`<A Condition="!('$(F)' == 'x')">1</A>\n<B/>\n`, "<B/>\n"],
    [`<A Include="a" Condition="'$(F)' != 'x'" />\n<B/>\n`, "<B/>\n"],
    [`<A Condition='$(F)'>1</A>\n`, `<A Condition='$(F)'>1</A>\n`],
    [`<A Condition="'$(F)' == ''">1</A>\n<B/>\n`, "<B/>\n"],
    [`<A Condition = "'$(F)' == 'q'">1</A>\n`, `<A Condition = "'$(F)' == 'q'">1</A>\n`],
    [`<A Condition="Exists('x')">1</A>\n`, `<A Condition="Exists('x')">1</A>\n`],
    [`<A Condition="'$(F)' == 'x'">App</A>\n`, "<A>App</A>\n"],
  ])("%s", (text, result) => {
    expect(csproj(text, { F: "x", G: "y" })).toBe(result);
  });

  it("goes on looking for tokens inside a condition that it leaves", () => {
    const result = renderFiles({ sourceName: "App" }, { "a.props": `<A Condition="'$(X)' == 'App'" />\n` });
    expect(texts(result)["a.props"]).toBe(`<A Condition="'$(X)' == 'MyApp'" />\n`);
  });
});

describe("computed and generated chains", () => {
  it("reads a language version as the .NET class templates do", () => {
    const symbols = {
      langVersion: { type: "parameter", datatype: "text", defaultValue: "", replaces: "$(LanguageVersion)" },
      old: {
        type: "generated",
        generator: "regexMatch",
        datatype: "bool",
        parameters: { pattern: "^(ISO-1|[1-7]|[8-9]|[8-9]\\.0|7\\.[0-3])$", source: "langVersion" },
      },
      modern: { type: "computed", value: "!old" },
      fileScoped: { type: "computed", value: '(langVersion != "" || modern) && modern == "true"' },
    };
    const text = lines("#if (fileScoped)", "namespace X;", "#else", "namespace X {}", "#endif");
    const run = (langVersion: string) =>
      texts(renderFiles({ symbols }, { "a.cs": text }, { parameters: { langVersion } }))["a.cs"];
    expect(run("")).toBe(lines("namespace X;"));
    expect(run("12")).toBe(lines("namespace X;"));
    expect(run("7.3")).toBe(lines("namespace X {}"));
    expect(run("9.0")).toBe(lines("namespace X {}"));
  });

  it("takes a port from the request, else a generated one", () => {
    const symbols = {
      port: { type: "parameter", datatype: "integer" },
      free: { type: "generated", generator: "port", parameters: { low: 5000, high: 5300 } },
      used: {
        type: "generated",
        generator: "coalesce",
        parameters: { sourceVariableName: "port", fallbackVariableName: "free" },
        replaces: "5000",
      },
    };
    const run = (parameters: Record<string, unknown>) =>
      texts(renderFiles({ symbols }, { a: "5000" }, { parameters }))["a"];
    expect(run({ port: 8080 })).toBe("8080");
    expect(Number(run({}))).toBeGreaterThanOrEqual(5000);
    expect(Number(run({}))).toBeLessThan(5300);
  });

  it("cannot decide an operator between an unknown name and a truth value", () => {
    const symbols = {
      A: { type: "parameter", datatype: "bool", defaultValue: "true" },
      C: { type: "computed", value: "(Unknown || A)" },
    };
    const result = renderFiles({ symbols }, { "a.cs": lines("#if (C)", "1", "#endif") });
    expect(texts(result)["a.cs"]).toBe("");
    expect(result.warnings).toMatchObject([{ code: "ConditionUnparseable" }]);
  });
});

describe("renames of whole solutions", () => {
  const bool = (defaultValue: string) => ({ type: "parameter", datatype: "bool", defaultValue });

  it("moves a project's folder to the top", () => {
    const config = {
      sourceName: "Web-App",
      symbols: { wasm: bool("false") },
      sources: [
        {
          modifiers: [
            { condition: "(!wasm)", exclude: ["Web-App.Client/**", "*.sln"], rename: { "Web-App/": "./" } },
            { condition: "(wasm)", rename: { "Web-App/Layout/": "./Web-App.Client/Layout/" } },
          ],
        },
      ],
    };
    const files = {
      "Web-App.sln": "",
      "Web-App/Web-App.csproj": "",
      "Web-App/Layout/a.razor": "Web_App",
      "Web-App.Client/b.cs": "",
    };
    expect(texts(renderFiles(config, files))).toEqual({ "MyApp.csproj": "", "Layout/a.razor": "MyApp" });
    expect(Object.keys(texts(renderFiles(config, files, { parameters: { wasm: true } }))).sort()).toEqual([
      "MyApp.Client/Layout/a.razor",
      "MyApp.Client/b.cs",
      "MyApp.sln",
      "MyApp/MyApp.csproj",
    ]);
  });

  it("renames in modifiers without a condition", () => {
    const sources = [
      { modifiers: [{ rename: { "README.template.md": "README.md" } }, { condition: "true", copyOnly: ["*.md"] }] },
    ];
    expect(texts(renderFiles({ sourceName: "App", sources }, { "README.template.md": "App" }))).toEqual({
      "README.md": "App",
    });
  });
});

describe("a whole template", () => {
  it("keeps branches of unfinished comparisons and names of renamed arguments as dotnet new does", () => {
    const config = {
      sourceName: "Company.Lib1",
      symbols: {
        Area: { type: "parameter", datatype: "text", fileRename: "AREA", replaces: "AREA", defaultValue: "Sales" },
        Strict: { type: "parameter", datatype: "bool", defaultValue: "false" },
        lower: { type: "derived", valueSource: "name", valueTransform: "lowerCaseInvariant", replaces: "lib_lower" },
      },
      primaryOutputs: [{ path: "AREA/Company.Lib1.vbproj" }],
      postActions: [
        {
          actionId: "D396686C-DE0E-4DE6-906D-291CD29FC5DE",
          args: { projectFiles: ["AREA/Company.Lib1.vbproj"], solutionFolder: "AREA" },
          applyFileRenamesToArgs: ["solutionFolder"],
        },
        {
          actionId: "695A3659-EB40-4FF5-A6A6-C9C4E629FCB0",
          args: {
            jsonFileName: "settings.json",
            parentPropertyPath: "AREA",
            newJsonPropertyName: "Company.Lib1",
            newJsonPropertyValue: "AREA of Company.Lib1",
          },
          applyFileRenamesToArgs: ["parentPropertyPath", "newJsonPropertyName", "newJsonPropertyValue"],
        },
      ],
    };
    const files = {
      "AREA/Company.Lib1.vbproj": '<Project Sdk="Microsoft.NET.Sdk">\n</Project>\n',
      "AREA/Module.vb": lines(
        "#If (Strict == true) Then",
        "Option Strict On",
        "#Else",
        "Option Strict Off",
        "#End If",
        "' lib_lower",
      ),
      "Company.Lib1.slnx": "<Solution>\n</Solution>\n",
      "settings.json": '{\n  "AREA": {}\n}\n',
    };
    const result = renderFiles(config, files, { name: "Iı.İIK" });
    expect(texts(result)).toEqual({
      "Sales/Iı.İIK.vbproj": files["AREA/Company.Lib1.vbproj"],
      "Sales/Module.vb": lines("Option Strict Off", "' iı.İik"),
      "Iı.İIK.slnx": lines(
        "<Solution>",
        '  <Folder Name="/Sales/">',
        '    <Project Path="Sales/Iı.İIK.vbproj" />',
        "  </Folder>",
        "</Solution>",
      ),
      "settings.json": '{\n  "Sales": {\n    "Iı.İIK": "Sales of Iı.İIK"\n  }\n}\n',
    });
    expect(result.warnings).toMatchObject([
      { code: "ConditionUnparseable", message: expect.stringContaining("Module.vb") },
    ]);
  });
});
