import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { withheldAltogether, withoutWriteOnlyValues } from "./write-only-values.js";

const secret = { type: "string", writeOnly: true };
const password = { type: "string", format: "password" };

describe("withoutWriteOnlyValues", () => {
  it.each<[string, object, Record<string, unknown>, object, string[]]>([
    ["a schema without marks", { properties: { A: { type: "string" } } }, { A: "a" }, { A: "a" }, []],
    ["a property", { properties: { A: secret, B: password } }, { A: "s", B: "s", C: "c" }, { C: "c" }, ["/A", "/B"]],
    ["no value that is absent", { properties: { A: secret, B: {} } }, { B: "b" }, { B: "b" }, []],
    ["a value that may be the alias of an absent one", { properties: { A: secret } }, { pw: "s" }, {}, ["/pw"]],
    [
      "a text whose content is marked",
      { properties: { A: { contentSchema: { properties: { B: secret } } } } },
      { A: "{}" },
      {},
      ["/A"],
    ],
    [
      "everything where a reference is dynamic",
      { properties: { A: secret, B: { $dynamicRef: "#x" } } },
      { B: 1 },
      {},
      [""],
    ],
    [
      "a nested property, whose name the pointer escapes",
      { properties: { database: { properties: { "a/b~c": secret } } } },
      { database: { "a/b~c": "s", host: "db" } },
      { database: { host: "db" } },
      ["/database/a~1b~0c"],
    ],
    ["an object as a whole", { properties: { A: { writeOnly: true } } }, { A: { b: ["s"] } }, {}, ["/A"]],
    ["an item, for which null stands", { properties: { A: { items: secret } } }, { A: ["s"] }, { A: [null] }, ["/A/0"]],
    [
      "an item by its place",
      { properties: { A: { prefixItems: [{}, secret], items: {} } } },
      { A: ["a", "s", "b"] },
      { A: ["a", null, "b"] },
      ["/A/1"],
    ],
    ["by a reference", { $defs: { S: secret }, properties: { A: { $ref: "#/$defs/S" } } }, { A: "s" }, {}, ["/A"]],
    [
      "by an anchor",
      { $defs: { S: { $anchor: "s", ...secret } }, properties: { A: { $ref: "#s" } } },
      { A: "s" },
      {},
      ["/A"],
    ],
    [
      "under a condition, whichever branch holds",
      { if: { properties: { B: { const: "on" } } }, then: { properties: { A: secret } } },
      { A: "s", B: "off" },
      { B: "off" },
      ["/A"],
    ],
    ["in one of several", { oneOf: [{ properties: { A: secret } }, {}] }, { A: "s" }, {}, ["/A"]],
    ["in any and all of them", { allOf: [{ anyOf: [{ properties: { A: password } }] }] }, { A: "s" }, {}, ["/A"]],
    ["by a dependent schema", { dependentSchemas: { B: { properties: { A: secret } } } }, { A: "s" }, {}, ["/A"]],
    ["by a pattern of names", { patternProperties: { "^A": secret } }, { A: "s" }, {}, ["/A"]],
    [
      "any other property",
      { properties: { A: {} }, additionalProperties: secret },
      { A: "a", B: "s" },
      { A: "a" },
      ["/B"],
    ],
    ["an unevaluated property", { unevaluatedProperties: secret }, { A: "s" }, {}, ["/A"]],
    ["everything", { writeOnly: true }, { A: "s" }, {}, [""]],
    [
      "at every depth of a recursive schema",
      { properties: { S: secret, next: { $ref: "#" } } },
      { next: { next: { S: "s", T: "t" } } },
      { next: { next: { T: "t" } } },
      ["/next/next/S"],
    ],
    [
      "nothing by a name that objects inherit",
      { properties: { A: secret } },
      { A: "s", toString: "t" },
      { toString: "t" },
      ["/A"],
    ],
  ])("leaves out %s", (_, schema, parameters, shownParameters, withheld) => {
    expect(withoutWriteOnlyValues(schema, parameters)).toEqual({ parameters: shownParameters, withheld });
  });

  it("keeps numbers as they were written", () => {
    const parameters = parseForeignJson('{"n":1e400,"A":"s"}') as Record<string, unknown>;
    const schema = { properties: { A: secret, n: { type: "number" } } };
    expect(JSON.stringify(withoutWriteOnlyValues(schema, parameters).parameters)).toBe('{"n":1e400}');
  });

  it("leaves out everything where the work would be too long", () => {
    const parts = Array.from({ length: 1000 }, () => ({ additionalProperties: { items: password } }));
    const parameters = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`p${index}`, ["s"]]));
    expect(withoutWriteOnlyValues({ allOf: parts }, parameters)).toEqual(withheldAltogether);
    const branches = { properties: { A: secret }, allOf: Array.from({ length: 1000 }, () => ({})) };
    expect(withoutWriteOnlyValues(branches, parameters)).toEqual(withheldAltogether);
    const longName = "n".repeat(60_000);
    const many = { [longName]: ["s", "s"] };
    expect(withoutWriteOnlyValues({ additionalProperties: { items: secret } }, many)).toEqual(withheldAltogether);
  });
});
