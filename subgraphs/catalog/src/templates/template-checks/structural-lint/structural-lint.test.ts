import { tree } from "@factory/template-engine/template-pack.fixture";
import fc from "fast-check";
import { runCheck } from "../run-check.js";
import { codes, lint, lintApart, pack, reported, sound } from "./lint-pack.fixture.js";

describe("structuralLint: the configuration", () => {
  it("finds nothing in a sound template", () => {
    expect(lint({})).toEqual([]);
  });

  it("asks for template.json", () => {
    expect(codes(reported(tree({ "a.txt": "a" })))).toEqual(["Error TemplateConfigMissing"]);
    expect(codes(reported(tree({})))).toEqual(["Error TemplateConfigMissing"]);
  });

  it("tells where template.json is unreadable", () => {
    const findings = reported(tree({ ".template.config/template.json": '{\n  "name": oops\n}' }));
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
    expect(codes(reported(tree({ ".template.config/template.json": text })))).toEqual([
      "Error TemplateConfigUnreadable",
    ]);
  });

  it("reads comments, trailing commas and names in any case", () => {
    const text = '{ // why\n "Identity": "a", "NAME": "a", "shortname": ["a"], }';
    expect(reported(tree({ ".template.config/template.json": text }))).toEqual([]);
  });

  it("reports several templates", () => {
    const config = JSON.stringify(sound);
    const findings = reported(
      tree({ "a/.template.config/template.json": config, "b/.template.config/template.json": config }),
    );
    expect(codes(findings)).toEqual(["Error TemplateAmbiguous"]);
  });

  it.each([
    [{ identity: "" }, "MissingIdentity", 2],
    [{ identity: undefined }, "MissingIdentity", 1],
    [{ name: " " }, "MissingName", 3],
    [{ name: undefined }, "MissingName", 1],
    [{ shortName: [] }, "MissingShortName", 4],
    [{ shortName: undefined }, "MissingShortName", 1],
  ])("%j: %s", (config, code, line) => {
    expect(lint(config)).toMatchObject([{ severity: "Error", code, line }]);
  });

  it("names the file of a template in a folder", () => {
    const findings = reported(tree({ "web/.template.config/template.json": JSON.stringify({ ...sound, name: "" }) }));
    expect(findings).toMatchObject([{ code: "MissingName", path: "web/.template.config/template.json" }]);
  });

  it("warns about a symbol of unknown type", () => {
    expect(lint({ symbols: { x: { type: "magic" } } })).toMatchObject([
      { severity: "Warning", code: "SchemaViolation", path: ".template.config/template.json" },
    ]);
  });
});

describe("structuralLint: paths", () => {
  it.each(["../up", "a/../../b", "/etc/passwd", "C:/x", "a\\b", ".git/config", "a/.GIT/hooks/x", "x.", "git~1/x"])(
    "finds %j unsafe",
    (path) => {
      expect(lint({}, { [path]: "" })).toMatchObject([{ severity: "Error", code: "PathTraversal", path }]);
    },
  );

  it("finds a NUL unsafe, and names it in its escaped form", () => {
    expect(lint({}, { "a\u0000b": "" })).toMatchObject([{ code: "PathTraversal", path: "a\\u0000b" }]);
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
  const beside = (source: string) =>
    reported(
      tree({
        "web/.template.config/template.json": JSON.stringify({ ...sound, sources: [{ source }] }),
        "web/a.txt": "a",
        "shared/b.txt": "b",
      }),
    );

  it.each(["../shared", "./../shared/", "../web", "a/../../shared", ".."])(
    "takes the source %j beside the template in its package",
    (source) => {
      expect(beside(source)).toEqual([]);
    },
  );

  it.each([
    ["../../shared", "SourceOutsidePackage"],
    ["../none", "SourceMissing"],
    ["../shared/b.txt", "SourceNotDirectory"],
  ])("does not take the source %j: %s", (source, code) => {
    expect(codes(beside(source))).toEqual([`Error ${code}`]);
  });

  it("takes dots that stay inside", () => {
    expect(lint({ sources: [{ source: "src/../src", target: "a/../b" }] }, files)).toEqual([]);
    expect(lint({ primaryOutputs: [{ path: "a/../src/App.csproj" }] }, files)).toEqual([]);
  });

  it("asks for the source even where its condition does not hold", () => {
    const sources = [{ source: "none", condition: "(false)" }];
    expect(codes(lint({ sources }, files))).toEqual(["Error SourceMissing"]);
  });

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
    expect(lintApart(config, files)).toEqual([]);
  });

  it("misses a primary output that no file becomes", () => {
    expect(lint({ primaryOutputs: [{ path: "src/App.csproj" }, { path: "src/Gone.csproj" }] }, files)).toMatchObject([
      { severity: "Warning", code: "PrimaryOutputMissing", pointer: "/primaryOutputs/1/path", line: 10 },
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

  it("misses the content of each file that is a pointer of Git LFS and may be produced", () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"4d7a".repeat(16)}\nsize 12345\n`;
    const images = { "a.png": pointer, "b/b.png": pointer, "c.md": `A pointer:\n\n${pointer}` };
    const missing = (...paths: string[]) =>
      paths.map((path) => expect.objectContaining({ severity: "Error", code: "LfsObjectMissing", path }));
    expect(lint({}, images)).toEqual(missing("a.png", "b/b.png"));
    expect(lint({ sources: [{ copyOnly: ["*.png"] }] }, images)).toEqual(missing("a.png", "b/b.png"));
    expect(lint({ sources: [{ exclude: ["**/*.png"] }] }, images)).toEqual([]);
    const sometimes = { modifiers: [{ condition: "false", exclude: ["**/*.png"] }] };
    expect(lint({ sources: [sometimes] }, images)).toEqual(missing("a.png", "b/b.png"));
  });
});

describe("runCheck", () => {
  it("orders findings by path, line and code and reports no Info", async () => {
    const symbols = { A: { type: "parameter", datatype: "bool" } };
    const files = pack({ name: "", identity: "", symbols }, { "b.cs": "#if A\n", "a.cs": "\n#endif\n", NUL: "" });
    const { findings } = await runCheck("StructuralLint", files, { parameterSchema: {}, targetFramework: "net8.0" });
    expect(findings.map(({ path, line, code }) => `${path}:${line} ${code}`)).toEqual([
      ".template.config/template.json:2 MissingIdentity",
      ".template.config/template.json:3 MissingName",
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
        reported(tree({ ...files, ".template.config/template.json": config }));
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
        reported(tree({ ".template.config/template.json": JSON.stringify(config), "a.cs": "#if (A)\n#endif" }));
      }),
      { numRuns: 300 },
    );
  });
});
