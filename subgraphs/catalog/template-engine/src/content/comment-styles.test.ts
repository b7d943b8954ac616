import { conditional, renderFiles, texts } from "../rendering/template-pack.fixture.js";

interface Family {
  path: string;
  if: string;
  elseif: string;
  else: string;
  endif: string;
}

const families: Family[] = [
  { path: "a.cs", if: "#if (A)", elseif: "#elseif (B)", else: "#else", endif: "#endif" },
  { path: "a.cpp", if: "#if (A)", elseif: "#elif (B)", else: "#else", endif: "#endif" },
  { path: "a.cake", if: "#if(A)", elseif: "#elif(B)", else: "#else", endif: "#endif" },
  { path: "a.ts", if: "//#if (A)", elseif: "//#elseif (B)", else: "//#else", endif: "//#endif" },
  { path: "a.json", if: "//#if (A)", elseif: "//#elif (B)", else: "//#else", endif: "////#endif" },
  { path: "a.unknown", if: "//#if (A)", elseif: "//#elseif (B)", else: "//#else", endif: "//#endif" },
  { path: "a.css", if: "/*#if (A)*/", elseif: "/*#elseif (B)*/", else: "/*#else*/", endif: "/*#endif*/" },
  { path: "a.razor", if: "@*#if (A)*@", elseif: "@*#elseif (B)*@", else: "@*#else*@", endif: "@*#endif*@" },
  {
    path: "a.csproj",
    if: "<!--#if (A) -->",
    elseif: "<!--#elseif (B) -->",
    else: "<!--#else -->",
    endif: "<!--#endif -->",
  },
  {
    path: "Directory.Build.props",
    if: "<!--#if (A)-->",
    elseif: "<!--#elif (B)-->",
    else: "<!--#else-->",
    endif: "<!--#endif-->",
  },
  {
    path: "a.xaml",
    if: "<!--#if (A) -->",
    elseif: "<!--#elseif (B) -->",
    else: "<!--#else -->",
    endif: "<!--#endif -->",
  },
  { path: "web.config", if: "<!--#if (A)", elseif: "#elseif (B)", else: "#else", endif: "#endif-->" },
  { path: "a.tsx", if: "{/*#if (A)", elseif: "#elseif (B)", else: "#else", endif: "#endif*/}" },
  { path: "a.bat", if: "rem #if (A)", elseif: "rem #elseif (B)", else: "rem #else", endif: "rem #endif" },
  { path: "a.haml", if: "-##if (A)", elseif: "-##elseif (B)", else: "-##else", endif: "-##endif" },
  { path: "sub/Dockerfile", if: "#if (A)", elseif: "#elseif (B)", else: "#else", endif: "#endif" },
  { path: "nginx.conf", if: "#if (A)", elseif: "#elif (B)", else: "#else", endif: "#endif" },
  { path: "a.ps1", if: "#if (A)", elseif: "#elseif (B)", else: "#else", endif: "#endif" },
  {
    path: "a.slnx",
    if: "<!--#if (A) -->",
    elseif: "<!--#elseif (B) -->",
    else: "<!--#else -->",
    endif: "<!--#endif -->",
  },
  { path: "a.vb", if: "'#If (A)", elseif: "'#ElseIf (B)", else: "'#Else", endif: "'#End If" },
];

const combinations = [
  [true, true, "1"],
  [true, false, "1"],
  [false, true, "2"],
  [false, false, "3"],
] as const;

describe.each(families)("conditions in $path: $if", (family) => {
  const block = (indent: string, newLine: string) =>
    ["before", family.if, "1", family.elseif, "2", family.else, "3", family.endif, "after", ""]
      .map((line) => (line.length > 1 && line !== "before" && line !== "after" ? indent + line : line))
      .join(newLine);

  it.each(combinations)("A is %s and B is %s", (A, B, branch) => {
    for (const newLine of ["\n", "\r\n"]) {
      for (const indent of ["", "  \t"]) {
        expect(conditional(family.path, block(indent, newLine), { A, B })).toBe(
          ["before", branch, "after", ""].join(newLine),
        );
      }
    }
  });

  it("nests two deep", () => {
    const text = [family.if, "a", family.if, "b", family.else, "c", family.endif, "d", family.endif, "e", ""].join(
      "\n",
    );
    expect(conditional(family.path, text, { A: true, B: false })).toBe("a\nb\nd\ne\n");
    expect(conditional(family.path, text, { A: false, B: false })).toBe("e\n");
  });
});

describe("built-in table", () => {
  const rewritten = (path: string) =>
    conditional(path, "#if (A)\nx\n#endif\n", { A: true }) === "x\n" ? "bare" : "commented";

  it.each([
    ["x.cs", "bare"],
    ["x.fs", "bare"],
    ["x.hxx", "bare"],
    ["deep/er/.gitignore", "bare"],
    ["x.CS", "commented"],
    ["dockerfile", "commented"],
    ["x.csx", "commented"],
    ["x.txt", "commented"],
  ])("%s is %s", (path, result) => {
    expect(rewritten(path)).toBe(result);
  });
});

describe("flags", () => {
  it.each([
    ["a.cs", "//"],
    ["a.json", "//"],
    ["a.css", "/*"],
    ["a.cshtml", "@*"],
    ["a.csproj", "<!--/"],
    ["a.xml", "<!--"],
    ["a.cmd", "rem --:"],
    ["a.sh", "#--"],
    ["a.ps1", "#--"],
    ["a.yml", "#-"],
    ["a.haml", "-#"],
    ["a.jsx", "{/*"],
    ["a.vb", "'"],
  ])("of %s begin with %s", (path, prefix) => {
    const text = [
      "App",
      `  ${prefix}-:replacements:noEmit end`,
      "App",
      `${prefix}+:replacements:noEmit`,
      "App",
      "",
    ].join("\n");
    expect(texts(renderFiles({ sourceName: "App" }, { [path]: text }))[path]).toBe("MyApp\n  App\nMyApp\n");
  });

  it("are plain text where they are not silent, and act all the same", () => {
    const text = "//+:flags\n//-:cnd:noEmit\n#if (A)\n//+:cnd:noEmit\n#if (!A)\nx\n#endif\n";
    expect(conditional("a.cs", text, { A: true })).toBe("//+:flags\n#if (A)\n");
  });
});

describe("tokens that look like comments", () => {
  it("finds a token directly behind a comment sign", () => {
    expect(texts(renderFiles({ sourceName: "App" }, { "a.json": '"http://App" //App ////App /App' }))["a.json"]).toBe(
      '"http://MyApp" //MyApp ////MyApp /MyApp',
    );
  });

  it("prefers a longer token of the template", () => {
    const symbols = { P: { type: "parameter", replaces: "//TOKEN", defaultValue: "value" } };
    expect(texts(renderFiles({ symbols }, { "a.json": "//TOKEN // ////TOKEN" }))["a.json"]).toBe("value // ////TOKEN");
  });

  it("leaves text before a keyword on its line out", () => {
    expect(conditional("a.cs", "int x; #if (A)\ny\n#endif z\nw\n", { A: true })).toBe("y\nw\n");
  });
});
