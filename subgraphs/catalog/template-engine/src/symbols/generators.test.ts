import { TemplateError } from "../findings/template-error.js";
import { renderFiles, texts } from "../rendering/template-pack.fixture.js";
import { formatDate } from "./date-format.js";
import { formatGuid, parseGuid, seededGuid, seededInteger } from "./seeded-values.js";

const generate = (
  generator: string,
  parameters: unknown,
  more: Record<string, unknown> = {},
  values: Record<string, unknown> = {},
) => {
  const symbols = { ...more, G: { type: "generated", generator, parameters, replaces: "@G@" } };
  return texts(renderFiles({ symbols }, { a: "@G@" }, { parameters: values }))["a"];
};
const p = (defaultValue: string, datatype = "string") => ({ type: "parameter", datatype, defaultValue });

describe("generators", () => {
  it("casing", () => {
    expect(generate("casing", { source: "P", toLower: false }, { P: p("aB") })).toBe("AB");
    expect(generate("casing", { source: "P", toLower: true }, { P: p("aB") })).toBe("ab");
  });

  it("constant", () => {
    expect(generate("constant", { value: "5001" })).toBe("5001");
    expect(() => generate("constant", {})).toThrow(TemplateError);
  });

  it("coalesce takes the request's value, else the fallback", () => {
    const parameters = { sourceVariableName: "P", fallbackVariableName: "Q" };
    const more = {
      P: { type: "parameter", datatype: "int" },
      Q: { type: "generated", generator: "constant", parameters: { value: "7" } },
    };
    expect(generate("coalesce", parameters, more)).toBe("7");
    expect(generate("coalesce", parameters, more, { P: 3 })).toBe("3");
    expect(generate("coalesce", { ...parameters, defaultValue: "3" }, more, { P: 3 })).toBe("7");
  });

  it("switch takes the first case that holds, or nothing", () => {
    const cases = [
      { condition: "(P == 'a')", value: "A" },
      { condition: "(P == 'b')", value: "B" },
    ];
    expect(generate("switch", { cases }, { P: p("b") })).toBe("B");
    expect(generate("switch", { cases: [...cases, { value: "Z" }] }, { P: p("c") })).toBe("Z");
    expect(generate("switch", { evaluator: "C++", cases }, { P: p("c") })).toBe("");
  });

  it("regex runs its steps in order", () => {
    const steps = [
      { regex: "^a", replacement: "b" },
      { regex: "b", replacement: "[$0]" },
    ];
    expect(generate("regex", { source: "P", steps }, { P: p("ab") })).toBe("[b][b]");
  });

  it("regexMatch is true or false", () => {
    const more = { P: p("10.0") };
    expect(generate("regexMatch", { source: "P", pattern: "^10\\.0$" }, more)).toBe("True");
    expect(generate("regexMatch", { source: "P", pattern: "^x" }, more)).toBe("False");
  });

  it("evaluate decides an expression", () => {
    expect(generate("evaluate", { action: '(P == "x")' }, { P: p("x") })).toBe("True");
  });

  it("join puts constants, symbols and choices together", () => {
    const symbols = [
      { type: "const", value: "x" },
      { type: "ref", value: "P" },
      { type: "ref", value: "M" },
      { type: "ref", value: "Q" },
    ];
    const more = {
      P: p("p"),
      Q: { type: "parameter" },
      M: {
        type: "parameter",
        datatype: "choice",
        allowMultipleValues: true,
        choices: [{ choice: "a" }, { choice: "b" }],
        defaultValue: "a,b",
      },
    };
    expect(generate("join", { symbols, separator: "/" }, more)).toBe("x/p/a/b/");
    expect(generate("join", { symbols, separator: "/", removeEmptyValues: true }, more)).toBe("x/p/a/b");
  });

  it("now formats the request's time", () => {
    expect(generate("now", { format: "yyyy-MM-dd'T'HH:mm:ss.fff" })).toBe("2024-02-03T04:05:06.078");
    expect(generate("now", {})).toBe("02/03/2024 04:05:06");
  });

  it("now marks local and universal times like .NET", () => {
    expect(generate("now", { format: "K|zzz|zz|z" })).toBe("+00:00|+00:00|+00|+0");
    expect(generate("now", { format: "K|zzz", utc: true })).toBe("Z|+00:00");
    expect(generate("now", { format: "K", utc: "true" })).toBe("Z");
    expect(generate("now", { format: "o" })).toBe("2024-02-03T04:05:06.0780000+00:00");
    expect(generate("now", { format: "O", utc: true })).toBe("2024-02-03T04:05:06.0780000Z");
  });

  it("guid, random and port depend on the seed and the symbol only", () => {
    const symbols = {
      A: { type: "generated", generator: "guid", replaces: "A", parameters: { defaultFormat: "N" } },
      B: { type: "generated", generator: "guid", replaces: "B", parameters: { defaultFormat: "X" } },
      C: { type: "generated", generator: "random", replaces: "C", parameters: { low: 10, high: 20 } },
      D: { type: "generated", generator: "port", replaces: "D", parameters: { low: 5000, high: 5300 } },
    };
    const run = (seed: string) => texts(renderFiles({ symbols }, { x: "A C D B" }, { seed }))["x"];
    expect(run("1")).toBe(run("1"));
    expect(run("1")).not.toBe(run("2"));
    const [guid, random, port, hex] = run("1")?.split(" ") ?? [];
    expect(guid).toMatch(/^[0-9A-F]{32}$/);
    expect(Number(random)).toBeGreaterThanOrEqual(10);
    expect(Number(random)).toBeLessThan(20);
    expect(Number(port)).toBeGreaterThanOrEqual(5000);
    expect(hex).toMatch(/^\{0X[0-9A-F]{8},0X/);
  });

  it("reports an unknown generator", () => {
    const symbols = { G: { type: "generated", generator: "dice", replaces: "g" } };
    const result = renderFiles({ symbols }, { a: "g" });
    expect(result.warnings).toMatchObject([{ code: "UnknownGenerator" }]);
    expect(texts(result)).toEqual({ a: "g" });
  });

  it("feeds generators into each other and into file names", () => {
    const symbols = {
      C: { type: "generated", generator: "casing", parameters: { source: "B", toLower: false }, fileRename: "file" },
      B: {
        type: "generated",
        generator: "regex",
        parameters: { source: "name", steps: [{ regex: "^My", replacement: "our" }] },
      },
    };
    expect(Object.keys(texts(renderFiles({ symbols }, { "file.txt": "" })))).toEqual(["OURAPP.txt"]);
  });

  it("keeps a text a text whatever its datatype says", () => {
    const constant = { type: "generated", generator: "constant", datatype: "bool", parameters: { value: "true" } };
    const symbols = { S: { ...constant, replaces: "@S@" } };
    const text = "@S@\n#if (S)\nyes\n#endif\n#if (S == 'true')\ntext\n#endif\n";
    expect(texts(renderFiles({ symbols }, { "a.cs": text }))["a.cs"]).toBe("true\nyes\ntext\n");
  });

  it("knows a guid under the names of its formats", () => {
    const join = (...values: string[]) => ({
      symbols: values.map((value) => ({ type: "ref", value })),
      separator: " ",
    });
    const guid = { type: "generated", generator: "guid", parameters: { format: "nB" } };
    const [plain, old, braces, other] = (generate("join", join("I", "I-n", "I-uc-B", "I-d"), { I: guid }) ?? "").split(
      " ",
    );
    expect(plain).toMatch(/^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
    expect(old).toBe(plain?.toLowerCase().replaceAll("-", ""));
    expect(braces).toBe(`{${plain}}`);
    expect(other).toBe("");
  });
});

describe("derived, bind and guids", () => {
  it("derives a value by a form", () => {
    const config = {
      symbols: {
        D: {
          type: "derived",
          valueSource: "name",
          valueTransform: "last",
          replaces: "@D@",
          fileRename: "Application1",
        },
      },
      forms: { last: { identifier: "replace", pattern: "^.*\\.(?=[^\\.]+$)", replacement: "" } },
    };
    expect(texts(renderFiles(config, { "Application1.cs": "@D@" }, { name: "My.Big.App" }))).toEqual({
      "App.cs": "App",
    });
  });

  it("applies forms to the token and to the value", () => {
    const config = {
      symbols: {
        S: { type: "parameter", replaces: '"Hi"', forms: { global: ["encode", "upper"] }, defaultValue: "a<b" },
      },
      forms: { encode: { identifier: "xmlEncode" }, upper: { identifier: "upperCase" } },
    };
    expect(texts(renderFiles(config, { a: '"Hi" "HI"' }))["a"]).toBe("a&lt;b A<B");
  });

  it("leaves the identity out when asked to", () => {
    const config = {
      symbols: {
        S: {
          type: "parameter",
          replaces: "Hi",
          forms: { global: { forms: ["upper"], addIdentity: false } },
          defaultValue: "x",
        },
      },
      forms: { upper: { identifier: "upperCase" } },
    };
    expect(texts(renderFiles(config, { a: "Hi HI" }))["a"]).toBe("Hi X");
  });

  it("reports an unknown form", () => {
    const config = { symbols: { S: { type: "parameter", replaces: "Hi", forms: { global: ["none"] } } } };
    expect(renderFiles(config, { a: "" }).warnings).toMatchObject([{ code: "UnknownValueForm" }]);
  });

  it("binds the fixed host only", () => {
    const symbols = {
      H: { type: "bind", binding: "host:HostIdentifier", replaces: "@H@" },
      E: { type: "bind", binding: "env:PATH", replaces: "@E@" },
      C: { type: "bind", binding: "host:constructor", replaces: "@C@" },
      D: { type: "bind", binding: "env:HOME", defaultValue: "d", replaces: "@D@" },
      B: { type: "bind", binding: "env:FLAG", defaultValue: "true", replaces: "@B@" },
      T: { type: "bind", binding: "env:FLAG", defaultValue: "true", datatype: "string", replaces: "@T@" },
      N: { type: "bind", binding: "HostIdentifier", replaces: "@N@" },
      X: { type: "bind", binding: "host:HostIdentifier:x", defaultValue: "x", replaces: "@X@" },
      Y: { type: "bind", binding: "msbuild:TargetFramework", defaultValue: "net10.0", replaces: "@Y@" },
      Z: { type: "bind", binding: "env:HostIdentifier", replaces: "@Z@" },
    };
    expect(texts(renderFiles({ symbols }, { a: "@H@ @E@ @D@ @C@ @B@ @T@ @N@ @X@ @Y@ @Z@" }))["a"]).toBe(
      "dotnetcli @E@ d @C@ True true dotnetcli x net10.0 @Z@",
    );
  });

  it("replaces listed guids in every spelling and keeps casing", () => {
    const guid = "98048C9C-BF28-46BA-A98E-63767EE5E3A8";
    const formats = ["n", "d", "b", "p", "x", "N", "D", "B", "P", "X"];
    const text = formats.map((format) => formatGuid(guid, format)).join("\n");
    const result = texts(renderFiles({ guids: [guid.replaceAll("-", "")] }, { a: text }))["a"] ?? "";
    const newGuid = seededGuid("seed", "guids/0");
    expect(result).toBe(formats.map((format) => formatGuid(newGuid, format)).join("\n"));
    expect(parseGuid(formatGuid(newGuid, "X"))).toBe(newGuid);
  });
});

describe("seeded integers", () => {
  it("stay in their range", () => {
    expect(seededInteger("s", "p", { low: 5n, high: 5n })).toBe(5n);
    expect(seededInteger("s", "p", { low: -3n, high: -2n })).toBe(-3n);
  });
});

describe("date formats", () => {
  const date = new Date(Date.UTC(2024, 11, 5, 15, 4, 9, 7));
  it.each([
    ["yyyy", "2024"],
    ["yy y", "24 24"],
    ["d/M", "5/12"],
    ["dddd ddd MMMM MMM", "Thursday Thu December Dec"],
    ["hh:mm tt", "03:04 PM"],
    ["H h %h", "15 3 3"],
    ["fff FFF ff", "007 007 00"],
    ["\\d'day'\"x\"", "ddayx"],
    ["d", "12/05/2024"],
    ["s", "2024-12-05T15:04:09"],
    ["zzz K", "+00:00 Z"],
    ["yyyy-MM-ddTHH:mm", "2024-12-05T15:04"],
    ["s.FFF|s.FF|s.ffff", "9.007|9|9.0070"],
    ["gg yyy yyyyy", "A.D. 2024 02024"],
    ["t tt", "P PM"],
    ["M", "December 05"],
    ["U", "Thursday, 05 December 2024 15:04:09"],
    ["u", "2024-12-05 15:04:09Z"],
    ["R", "Thu, 05 Dec 2024 15:04:09 GMT"],
    ["Y", "2024 December"],
    ["%d %M", "5 12"],
  ])("%s is %s", (format, result) => {
    expect(formatDate(date, format)).toBe(result);
  });
});
