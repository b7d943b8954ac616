import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PatternTimeLimit } from "@factory/template-engine/pattern-time-limit";
import { getAllRegisteredSchemaUris } from "@hyperjump/json-schema";
import { checkParameters } from "./parameter-schema.js";
import { schemaProblem } from "./schema-limits.js";

const dialect = "https://json-schema.org/draft/2020-12/schema";

/** each error's pointer, keyword and code */
async function errors(schema: unknown, parameters: unknown): Promise<string[]> {
  const result = await checkParameters(schema, parameters);
  return result.valid ? [] : result.errors.map(({ pointer, keyword, code }) => `${pointer} ${keyword} ${code}`);
}

async function accepted(schema: unknown, parameters: unknown): Promise<Record<string, unknown>> {
  const result = await checkParameters(schema, parameters);
  expect(result).toMatchObject({ valid: true });
  return result.valid ? result.parameters : {};
}

const property = (rule: unknown) => ({ $schema: dialect, type: "object", properties: { A: rule } });

describe("schemaProblem", () => {
  it.each([
    [{}],
    [{ type: "object" }],
    [{ $schema: dialect, type: "object", properties: { a: {} } }],
    [{ $schema: `${dialect}#` }],
    [{ properties: { $schema: { type: "string" } } }],
  ])("accepts %j", (schema) => {
    expect(schemaProblem(schema)).toBeUndefined();
  });

  it.each([[null], [[]], ["{}"], [true], [undefined], [7]])("refuses the root %j", (schema) => {
    expect(schemaProblem(schema)).toMatchObject({ code: "TYPE" });
  });

  it("refuses another dialect", () => {
    expect(schemaProblem({ $schema: "http://json-schema.org/draft-07/schema#" })).toMatchObject({
      code: "UNKNOWN_VALUE",
    });
    expect(schemaProblem({ $schema: 7 })).toMatchObject({ code: "UNKNOWN_VALUE" });
  });

  const nest = (depth: number): unknown => (depth === 0 ? {} : { not: nest(depth - 1) });

  it("takes 32 levels and no more", () => {
    expect(schemaProblem(nest(31))).toBeUndefined();
    expect(schemaProblem(nest(32))).toMatchObject({ code: "TOO_LONG" });
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(schemaProblem({ enum: deep })).toMatchObject({ code: "TOO_LONG" });
  });

  it("takes 500 properties and no more", () => {
    const properties = (count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}])),
    });
    expect(schemaProblem(properties(500))).toBeUndefined();
    expect(schemaProblem(properties(501))).toMatchObject({ code: "TOO_LONG" });
    expect(schemaProblem({ allOf: [properties(300), properties(300)] })).toMatchObject({ code: "TOO_LONG" });
  });

  it("takes 256 KiB and no more", () => {
    expect(schemaProblem({ title: "x".repeat(250 * 1024) })).toBeUndefined();
    expect(schemaProblem({ title: "ü".repeat(130 * 1024) })).toMatchObject({ code: "TOO_LONG" });
  });
});

describe("checkParameters: each keyword has its code", () => {
  it.each<[unknown, unknown, string]>([
    [{ type: "string" }, 1, "/A type TYPE"],
    [{ type: ["string", "null"] }, 1, "/A type TYPE"],
    [{ type: "integer" }, 1.5, "/A type TYPE"],
    [{ enum: ["a", "b"] }, "c", "/A enum UNKNOWN_VALUE"],
    [{ const: 1 }, 2, "/A const UNKNOWN_VALUE"],
    [{ oneOf: [{ const: 1 }, { const: 2 }] }, 3, "/A oneOf UNKNOWN_VALUE"],
    [{ anyOf: [{ type: "string" }, { minimum: 2 }] }, 1, "/A anyOf FORMAT"],
    [{ oneOf: [{ type: "number" }, { minimum: 2 }] }, 3, "/A oneOf FORMAT"],
    [{ not: { const: 1 } }, 1, "/A not FORMAT"],
    [{ minLength: 2 }, "a", "/A minLength TOO_SHORT"],
    [{ maxLength: 2 }, "abc", "/A maxLength TOO_LONG"],
    [{ minItems: 1 }, [], "/A minItems TOO_SHORT"],
    [{ maxItems: 1 }, [1, 2], "/A maxItems TOO_LONG"],
    [{ uniqueItems: true }, [1, 1], "/A uniqueItems DUPLICATE"],
    [{ minimum: 2 }, 1, "/A minimum OUT_OF_RANGE"],
    [{ maximum: 2 }, 3, "/A maximum OUT_OF_RANGE"],
    [{ exclusiveMinimum: 2 }, 2, "/A exclusiveMinimum OUT_OF_RANGE"],
    [{ exclusiveMaximum: 2 }, 2, "/A exclusiveMaximum OUT_OF_RANGE"],
    [{ multipleOf: 2 }, 3, "/A multipleOf OUT_OF_RANGE"],
    [{ pattern: "^a+$" }, "b", "/A pattern FORMAT"],
    [{ format: "email" }, "b", "/A format FORMAT"],
    [{ format: "uuid" }, "b", "/A format FORMAT"],
    [{ format: "uri" }, "b c", "/A format FORMAT"],
    [{ items: { type: "string" } }, ["a", 1], "/A/1 type TYPE"],
    [{ contains: { const: 1 } }, [2], "/A contains FORMAT"],
    [{ type: "object", required: ["b/c"] }, {}, "/A/b~1c required REQUIRED"],
    [{ properties: { b: { type: "string" } } }, { b: 1 }, "/A/b type TYPE"],
    [{ additionalProperties: false }, { b: 1 }, "/A/b additionalProperties UNKNOWN_VALUE"],
    [false, 1, "/A validate UNKNOWN_VALUE"],
  ])("%j refuses %j", async (rule, value, error) => {
    expect(await errors(property(rule), { A: value })).toContain(error);
  });

  it.each<[unknown, unknown]>([
    [{ type: "integer" }, 2.0],
    [{ type: ["string", "null"] }, null],
    [{ enum: [1, "a", null] }, null],
    [{ format: "email" }, "a@example.com"],
    [{ format: "no-such-format" }, "x"],
    [{ pattern: "^\\p{L}+$" }, "größe"],
    [{ maxLength: 1 }, "😀"],
    [true, { any: ["thing"] }],
    [{ $ref: "#/$defs/x" }, "y"],
    [{ deprecated: true, "x-own": 1 }, 1],
  ])("%j accepts %j", async (rule, value) => {
    await accepted({ ...property(rule), $defs: { x: { type: "string" } } }, { A: value });
  });

  it("says what the schema asks for, in its own words", async () => {
    const result = await checkParameters(property({ enum: ["net8.0", "net9.0"] }), { A: "net7" });
    expect(result).toMatchObject({ errors: [{ detail: "The value must be one of net8.0, net9.0." }] });
  });

  it("names each missing parameter", async () => {
    const schema = { type: "object", required: ["A", "B"], properties: { A: {}, B: {} } };
    expect(await errors(schema, {})).toEqual(["/A required REQUIRED", "/B required REQUIRED"]);
  });

  it("names what a given parameter asks for", async () => {
    const schema = { properties: { A: {}, B: {} }, dependentRequired: { A: ["B"] } };
    expect(await errors(schema, { A: 1 })).toEqual(["/B dependentRequired REQUIRED"]);
    expect(await errors(schema, {})).toEqual([]);
  });

  it("reports one error for a list of forms, not one for each", async () => {
    expect(await errors(property({ anyOf: [{ type: "string" }, { type: "boolean" }] }), { A: 1 })).toEqual([
      "/A anyOf FORMAT",
    ]);
  });

  it("reports several parameters at once, up to a hundred errors", async () => {
    const properties = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`p${index}`, { type: "string" }]));
    const parameters = Object.fromEntries(Object.keys(properties).map((name) => [name, 1]));
    expect(await errors({ properties }, parameters)).toHaveLength(100);
  });

  it.each([[null], [[]], ["x"], [1]])("refuses %j in place of the parameters", async (parameters) => {
    expect(await errors({}, parameters)).toEqual([" type TYPE"]);
  });
});

describe("checkParameters: names", () => {
  const schema = property({ type: "string" });

  it("refuses a name that the schema does not know", async () => {
    expect(await errors(schema, { A: "a", Foo: 1 })).toEqual(["/Foo unevaluatedProperties UNKNOWN_VALUE"]);
    expect(await errors({ type: "object", properties: {} }, { "a/b": 1 })).toEqual([
      "/a~1b unevaluatedProperties UNKNOWN_VALUE",
    ]);
  });

  it("refuses it beside other errors, without blaming known names", async () => {
    expect(await errors(schema, { A: 1, Foo: 1 })).toEqual([
      "/A type TYPE",
      "/Foo unevaluatedProperties UNKNOWN_VALUE",
    ]);
  });

  it.each([
    [{ additionalProperties: true }],
    [{ additionalProperties: { type: "number" } }],
    [{ unevaluatedProperties: true }],
    [{ patternProperties: { "^F": {} } }],
    [{ allOf: [{ properties: { Foo: {} } }] }],
    [{ allOf: [{ $ref: "#/$defs/more" }], $defs: { more: { properties: { Foo: {} } } } }],
  ])("takes it where the schema says %j", async (more) => {
    await accepted({ ...schema, ...more }, { Foo: 1 });
  });

  it("refuses what additionalProperties refuses", async () => {
    expect(await errors({ ...schema, additionalProperties: false }, { Foo: 1 })).toEqual([
      "/Foo additionalProperties UNKNOWN_VALUE",
    ]);
    expect(await errors({ ...schema, additionalProperties: { type: "string" } }, { Foo: 1 })).toEqual([
      "/Foo type TYPE",
    ]);
  });

  describe("beside the template's own", () => {
    const templateNames = ["name", "Database", "Port"];
    const refusals = async (subject: object, parameters: object) => {
      const result = await checkParameters(subject, parameters, { templateNames });
      return result.valid ? [] : result.errors.map(({ pointer, code, detail }) => `${pointer} ${code} ${detail}`);
    };
    const unknown = "UNKNOWN_VALUE Neither the parameterSchema nor the template defines this name.";

    it.each([
      [{ type: "object" }],
      [{ ...schema, additionalProperties: true }],
      [{ ...schema, additionalProperties: { type: ["string", "integer"] } }],
      [{ ...schema, unevaluatedProperties: true }],
    ])("are all that %j leaves open, and a misspelling is refused with the nearest", async (subject) => {
      expect(await refusals(subject, { name: "App", Database: "x", Port: 1 })).toEqual([]);
      expect(await refusals(subject, { Databse: "x" })).toEqual([`/Databse ${unknown} Similar names: Database.`]);
      expect(await refusals(subject, { port: 1 })).toEqual([`/port ${unknown} Similar names: Port.`]);
      expect(await refusals(subject, { "a/b": 1 })).toEqual([
        expect.stringMatching(/^\/a~1b .* Use one of these names: /),
      ]);
    });

    it("do not make a schema wider that names its parameters itself", async () => {
      expect(await refusals(schema, { Databse: 1, AA: 1 })).toEqual([
        "/Databse UNKNOWN_VALUE The schema does not define this name. Use one of these names: A, name.",
        "/AA UNKNOWN_VALUE The schema does not define this name. Similar names: A.",
      ]);
      expect(await refusals(schema, { Database: "x" })).toHaveLength(1);
    });

    it("are not needed for what the schema knows in any way", async () => {
      const inner = { properties: { Inner: {} } };
      for (const more of [
        { patternProperties: { "^I": {} } },
        { dependentSchemas: { A: inner } },
        { $ref: "#inner", $defs: { inner: { ...inner, $anchor: "inner" } } },
        { $ref: "own", $defs: { inner: { ...inner, $id: "own" } } },
        { if: { required: ["A"] }, then: inner },
      ])
        expect([more, await refusals({ additionalProperties: true, ...more }, { Inner: 1 })]).toEqual([more, []]);
    });
  });

  it("always takes the reserved name, as a text", async () => {
    await accepted({ type: "object" }, { name: "App" });
    await accepted({ type: "object" }, { name: "App", whatever: ["the template", "makes of it"] });
    await accepted({ ...schema, additionalProperties: false }, { name: "App" });
    expect(await errors({ type: "object" }, { name: 7 })).toEqual(["/name type TYPE"]);
    expect(await errors({ properties: { name: { maxLength: 2 } } }, { name: "App" })).toEqual([
      "/name maxLength TOO_LONG",
    ]);
    expect(await errors({ required: ["name"] }, {})).toEqual(["/name required REQUIRED"]);
  });

  it("refuses the parameters of a branch that is not taken", async () => {
    const conditional = {
      properties: { Database: { enum: ["None", "Sql"], default: "None" } },
      if: { properties: { Database: { const: "Sql" } } },
      then: { properties: { Connection: { type: "string" } }, required: ["Connection"] },
    };
    await accepted(conditional, { Database: "Sql", Connection: "x" });
    expect(await errors(conditional, { Database: "Sql" })).toEqual(["/Connection required REQUIRED"]);
    expect(await errors(conditional, { Connection: "x" })).toEqual(["/Connection unevaluatedProperties UNKNOWN_VALUE"]);
  });

  it("is not misled by names of the object prototype", async () => {
    const hostile = JSON.parse('{ "__proto__": 1, "constructor": 2, "toString": 3 }');
    expect(await errors({ type: "object", properties: {} }, hostile)).toHaveLength(3);
    expect(await errors({ required: ["toString"], properties: { toString: {} } }, {})).toEqual([
      "/toString required REQUIRED",
    ]);
    const schemaWithDefault = JSON.parse('{ "properties": { "__proto__": { "default": { "polluted": true } } } }');
    await accepted(schemaWithDefault, {});
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("checkParameters: defaults", () => {
  it("applies the defaults of the schema to what is absent", async () => {
    const schema = { properties: { A: { type: "string", default: "x" }, B: { default: false }, C: {} } };
    expect(await accepted(schema, {})).toEqual({ A: "x", B: false });
    expect(await accepted(schema, { A: "y", B: null })).toEqual({ A: "y", B: null });
  });

  it("lets a default satisfy required", async () => {
    expect(await accepted({ required: ["A"], properties: { A: { default: 1 } } }, {})).toEqual({ A: 1 });
  });

  it("finds defaults behind local references and in allOf", async () => {
    const schema = {
      $defs: {
        a: { $ref: "#/$defs/b" },
        b: { type: "integer", default: 5 },
        more: { properties: { C: { default: 7 } } },
      },
      properties: { A: { $ref: "#/$defs/a" } },
      allOf: [{ properties: { B: { default: 6 } } }, { $ref: "#/$defs/more" }],
    };
    expect(await accepted(schema, {})).toEqual({ A: 5, B: 6, C: 7 });
  });

  it("does not apply defaults of branches", async () => {
    const schema = {
      anyOf: [{ properties: { A: { default: 1 } } }],
      if: true,
      then: { properties: { B: { default: 1 } } },
    };
    expect(await accepted(schema, {})).toEqual({});
  });

  it("does not change the parameters it was given", async () => {
    const parameters = {};
    await accepted({ properties: { A: { default: 1 } } }, parameters);
    expect(parameters).toEqual({});
  });

  it("refuses a default that breaks its own schema", async () => {
    expect(await errors({ properties: { A: { type: "string", default: 1 } } }, {})).toEqual(["/A type TYPE"]);
  });
});

describe("checkParameters: schemas that cannot be used", () => {
  it.each<[string, unknown]>([
    ["an unknown type", property({ type: "text" })],
    ["a pattern that is no expression", property({ pattern: "(" })],
    ["a reference that leads nowhere", property({ $ref: "#/$defs/none" })],
    ["an anchor that leads nowhere", property({ $ref: "#none" })],
    ["a reference to itself", { $ref: "#" }],
    ["two references to each other", property({ $ref: "#/$defs/a" })],
    ["properties that are no object", { properties: [] }],
    ["required that is no list", { required: "A" }],
    [
      "a vocabulary of its own",
      { $id: dialect, $vocabulary: { "https://json-schema.org/draft/2020-12/vocab/core": true } },
    ],
    ["the name of the meta-schema", { $id: dialect, type: "object" }],
    ["the name of the meta-schema inside", property({ $id: dialect, not: {} })],
    ["a file as its name", { $id: "file:///etc/passwd" }],
    ["another dialect inside", property({ $schema: "http://json-schema.org/draft-07/schema#" })],
    ["an invalid name", { $id: "http://[" }],
  ])("refuses %s", async (label, schema) => {
    const cyclic = label.startsWith("two") ? { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } } : {};
    const result = await checkParameters({ ...(schema as object), ...cyclic }, { A: "x" });
    expect(result).toMatchObject({ valid: false, errors: [{ pointer: "", keyword: "$schema", code: "FORMAT" }] });
  });

  it("keeps judging by the true meta-schema afterwards", async () => {
    expect(await errors(property({ type: "text" }), { A: "x" })).toEqual([" $schema FORMAT"]);
    await accepted(property({ type: "string" }), { A: "x" });
  });

  it("registers nothing for longer than a check", async () => {
    const before = getAllRegisteredSchemaUris().length;
    await errors(property({ type: "string" }), {});
    await errors(property({ type: "text" }), {});
    await errors({ $id: "https://example.com/own", $defs: { inner: { $id: "inner" } } }, {});
    expect(getAllRegisteredSchemaUris()).toHaveLength(before);
  });

  it("follows references by the schema's own name", async () => {
    const schema = {
      $id: "https://example.com/own",
      properties: { A: { $ref: "https://example.com/own#/$defs/a" }, B: { $ref: "b" } },
      $defs: { a: { type: "string" }, b: { $id: "b", type: "integer" } },
    };
    expect(await errors(schema, { A: 1, B: "x" })).toEqual(["/A type TYPE", "/B type TYPE"]);
    await accepted(schema, { A: "x", B: 1 });
  });

  it("never connects for a remote reference", async () => {
    let connections = 0;
    const server = createServer((_request, response) => response.end("{}"));
    server.on("connection", () => connections++);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/schema.json`;
    for (const schema of [
      property({ $ref: url }),
      property({ $dynamicRef: url }),
      { $id: url, properties: { A: { $ref: "other.json" } } },
      { $schema: url },
      property({ $ref: "file:///etc/hostname" }),
    ])
      expect(await errors(schema, { A: 1 })).toEqual([" $schema FORMAT"]);
    await new Promise((resolve) => server.close(resolve));
    expect(connections).toBe(0);
  });
});

describe("a schema that would check for ever", () => {
  const victim = `${"a".repeat(40)}!`;
  const timeLimit = () => new PatternTimeLimit({ evaluationMs: 200, totalMs: 5000 });
  const slow = async (schema: object, parameters: object) => {
    const result = await checkParameters(schema, parameters, { timeLimit: timeLimit() });
    return result.valid ? [] : result.errors;
  };

  it.each<[string, object, object, object]>([
    [
      "a pattern",
      { properties: { "A/b": { type: "string", pattern: "^(a+)+$" } } },
      { "A/b": victim },
      { pointer: "/A~1b", keyword: "pattern", detail: expect.stringContaining("/properties/A~1b/pattern") },
    ],
    [
      "a pattern of names",
      { type: "object", patternProperties: { "^(a+)+$": { type: "string" } } },
      { [victim]: "x" },
      { pointer: "", keyword: "patternProperties", detail: expect.stringContaining("/patternProperties") },
    ],
    [
      "a pattern of the names that are left",
      { type: "object", patternProperties: { "^x": true, "^(a+)+$": true }, additionalProperties: false },
      { [victim]: "x" },
      { pointer: "", detail: expect.stringContaining("more than 200 ms") },
    ],
    [
      "patterns within patterns",
      { properties: { A: { allOf: [{ $ref: "#/$defs/p" }] } }, $defs: { p: { not: { pattern: "^(a|a)*$" } } } },
      { A: victim },
      { pointer: "/A", keyword: "pattern", detail: expect.stringContaining("/$defs/p/not/pattern") },
    ],
  ])("is ended and named: %s", async (_, schema, parameters, error) => {
    expect(await slow(schema, parameters)).toMatchObject([{ code: "FORMAT", ...error }]);
    // the thread lives on
    expect(await checkParameters(schema, {}, { timeLimit: timeLimit() })).toMatchObject({ valid: true });
  });

  it("is ended where it multiplies itself", async () => {
    const levels = Array.from({ length: 25 }, (_, level) => [
      `l${level}`,
      { anyOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
    ]);
    const $defs = { ...Object.fromEntries(levels), l25: { minimum: 1 } };
    const schema = { properties: { A: { $ref: "#/$defs/l0" } }, $defs };
    expect(await slow(schema, { A: 0 })).toMatchObject([{ pointer: "/A", code: "FORMAT" }]);
  });
});

describe("errorMessage of a parameterSchema", () => {
  const details = async (schema: unknown, parameters: unknown) => {
    const result = await checkParameters(schema, parameters);
    return result.valid ? [] : result.errors.map(({ pointer, detail }) => [pointer, detail]);
  };
  const port = { type: "integer", minimum: 1024, multipleOf: 2 };

  it.each<[string, unknown, unknown, string[][]]>([
    [
      "a text, for every rule",
      property({ ...port, errorMessage: "Choose a port." }),
      { A: "x" },
      [["/A", "Choose a port."]],
    ],
    [
      "an object, for a keyword",
      property({ ...port, errorMessage: { minimum: "Choose a higher port." } }),
      { A: 81 },
      [
        ["/A", "Choose a higher port."],
        ["/A", "The value must be a multiple of 2."],
      ],
    ],
    [
      "an object with _, for the other keywords",
      property({ ...port, errorMessage: { minimum: "Higher.", _: "Choose a port." } }),
      { A: 2001 },
      [["/A", "Choose a port."]],
    ],
    [
      "a schema around the rule",
      { ...property(port), errorMessage: { properties: { A: "A is a port." } } },
      { A: 80 },
      [["/A", "A is a port."]],
    ],
    [
      "a text of the root",
      { ...property(port), errorMessage: "Read the manual." },
      { A: 80 },
      [["/A", "Read the manual."]],
    ],
    [
      "the nearest schema",
      { ...property({ ...port, errorMessage: "Near." }), errorMessage: "Far." },
      { A: 80 },
      [["/A", "Near."]],
    ],
    [
      "a missing name",
      { ...property(port), required: ["A", "B"], errorMessage: { required: { B: "B is your team." } } },
      {},
      [
        ["/A", "The value is missing."],
        ["/B", "B is your team."],
      ],
    ],
    [
      "every missing name",
      { ...property(port), required: ["A"], errorMessage: { required: "Fill in all." } },
      {},
      [["/A", "Fill in all."]],
    ],
    [
      "items of a list",
      property({ type: "array", items: { type: "string" }, errorMessage: { items: "Names only." } }),
      { A: ["a", 1] },
      [["/A/1", "Names only."]],
    ],
    [
      "a rule behind a reference",
      { ...property({ $ref: "#/$defs/port", errorMessage: "Choose a port." }), $defs: { port } },
      { A: 80 },
      [["/A", "Choose a port."]],
    ],
    [
      "a choice",
      property({ oneOf: [{ const: 1 }, { const: 2 }], errorMessage: { oneOf: "One or two." } }),
      { A: 3 },
      [["/A", "One or two."]],
    ],
  ])("explains %s", async (_, schema, parameters, explanations) => {
    expect(await details(schema, parameters)).toEqual(explanations);
  });

  it.each<[string, unknown]>([
    [
      "is the name of a parameter",
      { $schema: dialect, type: "object", properties: { A: { type: "integer" }, errorMessage: { type: "integer" } } },
    ],
    ["is no text", property({ type: "integer", errorMessage: 7 })],
    ["is empty", property({ type: "integer", errorMessage: " " })],
    ["is for another keyword", property({ type: "integer", errorMessage: { minimum: "Higher.", toString: 1 } })],
    ["holds a list", property({ type: "integer", errorMessage: { type: ["x"] } })],
  ])("has no effect where it %s", async (_, schema) => {
    expect(await details(schema, { A: "x" })).toEqual([["/A", "The value must have the type integer."]]);
  });

  it("does not hide which names there are, and stays short", async () => {
    const schema = {
      ...property({ type: "integer", errorMessage: "x".repeat(10_000) }),
      errorMessage: "Read the manual.",
    };
    const [unknown] = await details(schema, { A: 1, Aa: 2 });
    expect(unknown?.[1]).toContain("Similar names: A.");
    const [long] = await details(schema, { A: "x" });
    expect(long?.[1]).toHaveLength(501);
  });
});
