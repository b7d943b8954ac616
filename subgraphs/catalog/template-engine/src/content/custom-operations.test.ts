import { renderFiles, texts } from "../rendering/template-pack.fixture.js";

const symbolA = { A: { type: "parameter", datatype: "bool", defaultValue: "true" } };
const run = (custom: unknown, files: Record<string, string>, parameters = {}) =>
  texts(renderFiles({ sourceName: "App", symbols: symbolA, specialCustomOperations: custom }, files, { parameters }));

describe("operations of the template", () => {
  it("replaces in files of one glob only", () => {
    const custom = {
      "*.txt": { operations: [{ type: "replacement", configuration: { original: "x", replacement: "y" } }] },
    };
    expect(run(custom, { "a/b.txt": "x App", "c.md": "x App" })).toEqual({ "a/b.txt": "y MyApp", "c.md": "x MyApp" });
  });

  it("replaces only in the contexts that are listed", () => {
    const run1 = (onlyIf: unknown) => {
      const operation = { type: "replacement", configuration: { original: "x", replacement: "y", onlyIf } };
      return run({ "*.txt": { operations: [operation] } }, { "a.txt": "x (x) [x]" })["a.txt"];
    };
    expect(run1([{ after: "(", before: ")" }])).toBe("x (y) [x]");
    expect(run1([{ after: "(" }, { before: "]" }])).toBe("x (y) [y]");
    expect(run1([{}])).toBe("y (y) [y]");
    expect(run1([])).toBe("x (x) [x]");
    expect(run1(undefined)).toBe("y (y) [y]");
  });

  it("leaves an operation out whose condition is false", () => {
    const custom = {
      "*.txt": {
        operations: [{ type: "replacement", condition: "(!A)", configuration: { original: "x", replacement: "y" } }],
      },
    };
    expect(run(custom, { "a.txt": "x" })).toEqual({ "a.txt": "x" });
    expect(run(custom, { "a.txt": "x" }, { A: false })).toEqual({ "a.txt": "y" });
  });

  it("has no conditions in a glob that the table does not know", () => {
    expect(run({ "*.txt": {} }, { "a.txt": "//#if (A)\n//#endif\n" })).toEqual({ "a.txt": "//#if (A)\n//#endif\n" });
  });

  it("keeps the conditions of a glob that the table knows", () => {
    const custom = {
      "**/*.json": { operations: [{ type: "replacement", configuration: { original: "x", replacement: "y" } }] },
    };
    expect(run(custom, { "a.json": "//#if (A)\nx\n//#endif\n" })).toEqual({ "a.json": "y\n" });
  });

  it("puts an own conditional in place of the built-in one", () => {
    const configuration = { if: ["---#if"], endif: ["---#endif"], else: ["---#else"], wholeLine: true, trim: true };
    const custom = { "**/*.json": { operations: [{ type: "conditional", configuration }] } };
    expect(run(custom, { "a.json": "---#if (A)\n1\n---#else\n2\n---#endif\n//#if (A)\n" })).toEqual({
      "a.json": "1\n//#if (A)\n",
    });
  });

  it("builds line and block styles", () => {
    const line = { type: "conditional", configuration: { style: "line", token: "%%" } };
    const block = {
      type: "conditional",
      configuration: { style: "block", startToken: "{-", endToken: "-}", ifKeyword: "wenn" },
    };
    const custom = { "*.tex": { operations: [line] }, "*.hs": { operations: [block] } };
    const files = { "a.tex": "%%%%#if (A)\n%%x\n%%#endif\n", "b.hs": "{-#wenn (A)\nx\n#endif-}\n" };
    expect(run(custom, files)).toEqual({ "a.tex": "x\n", "b.hs": "x\n" });
  });

  it("works inside a line", () => {
    const configuration = { if: ["<<if"], else: ["<<else>>"], endif: ["<<end>>"], trim: false, wholeLine: false };
    const custom = { "*.txt": { operations: [{ type: "conditional", configuration }] } };
    expect(run(custom, { "a.txt": "a <<if (!A) no<<else>>yes<<end>> b" })).toEqual({ "a.txt": "a yes b" });
  });

  it("takes regions away or keeps them without their marks", () => {
    const drop = { type: "region", configuration: { start: "[[", end: "]]" } };
    const keep = { type: "region", configuration: { start: "<keep>", end: "</keep>", include: true, wholeLine: true } };
    expect(run({ "*.txt": { operations: [drop, keep] } }, { "a.txt": "a[[b]]c\n<keep>\nd\n</keep>\ne" })).toEqual({
      "a.txt": "ac\nd\ne",
    });
  });

  it("includes another file of the template", () => {
    const include = { type: "include", configuration: { start: "@include(", end: ")" } };
    const files = { "a.txt": "1 @include(part.inc) 2 @include(none)", "part.inc": "App" };
    expect(run({ "*.txt": { operations: [include] } }, files)["a.txt"]).toBe("1 App 2 @include(none)");
  });

  it("sets flags that switch other operations", () => {
    const operations = [
      { type: "flags", configuration: { name: "mine", on: "+mine", off: "", onNoEmit: "#+mine", offNoEmit: "#-mine" } },
      { type: "replacement", configuration: { original: "x", replacement: "y", id: "mine" } },
    ];
    expect(run({ "*.txt": { operations } }, { "a.txt": "x\n#+mine\nx\n#-mine\nx" })).toEqual({ "a.txt": "x\ny\nx" });
  });

  it("applies operations for all other files", () => {
    const config = {
      symbols: symbolA,
      globalCustomOperations: {
        operations: [{ type: "replacement", configuration: { original: "x", replacement: "y" } }],
      },
    };
    expect(texts(renderFiles(config, { "a.unknown": "x\n//#if (!A)\n//#endif\n", "b.cs": "x" }))).toEqual({
      "a.unknown": "y\n",
      "b.cs": "x",
    });
  });

  it("reads symbols in another spelling and expands them", () => {
    const custom = {
      "*.txt": {
        variableFormat: { fallbackFormat: "%{0}%", expand: true },
        flagPrefix: "!!",
        operations: [{ type: "conditional", configuration: { style: "line", token: "//" } }],
      },
    };
    expect(run(custom, { "a.txt": "//#if (%A%)\n%A% %name%\n//#endif\n" })).toEqual({ "a.txt": "True MyApp\n" });
  });

  it("takes the built-in row away with its condition", () => {
    const custom = { "**/*.cs": { condition: "(!A)" } };
    expect(run(custom, { "a.cs": "#if (A)\n" })).toEqual({ "a.cs": "#if (A)\n" });
  });

  it("reports what it does not know", () => {
    const config = { globalCustomOperations: { operations: [{ type: "magic" }] } };
    expect(renderFiles(config, { "a.unknown": "" }).warnings).toMatchObject([{ code: "CustomOperationUnknown" }]);
  });
});
