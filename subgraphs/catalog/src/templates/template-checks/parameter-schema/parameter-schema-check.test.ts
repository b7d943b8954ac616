import { tree } from "@factory/template-engine/template-pack.fixture";
import { webApiSchema, webApiTemplate } from "../sample-generation/web-api-template.fixture.js";
import { parameterSchemaCheck } from "./parameter-schema-check.js";

const dialect = "https://json-schema.org/draft/2020-12/schema";

function pack(symbols: object) {
  const config = { identity: "T", name: "T", shortName: "t", symbols };
  return tree({ ".template.config/template.json": JSON.stringify(config), "a.txt": "a" });
}

/** each finding's severity, code and pointer */
async function check(schema: unknown, symbols: object = {}): Promise<string[]> {
  const findings = await parameterSchemaCheck(pack(symbols), schema);
  return findings.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`);
}

const text = (more: object = {}) => ({ type: "parameter", datatype: "string", ...more });
const schemaOf = (property: unknown, more: object = {}) => ({
  $schema: dialect,
  type: "object",
  properties: { A: property },
  ...more,
});

describe("parameterSchemaCheck: a good template", () => {
  it("finds nothing about a full schema", async () => {
    expect(await parameterSchemaCheck(webApiTemplate(), webApiSchema)).toEqual([]);
  });

  it.each([[{ type: "object" }], [{}], [{ $schema: dialect }], [{ type: "object", additionalProperties: true }]])(
    "finds nothing about %j, which offers no parameter by name",
    async (schema) => {
      expect(await parameterSchemaCheck(webApiTemplate(), schema)).toEqual([]);
    },
  );

  it("knows a parameter by the names of its option", async () => {
    const files = new Map([
      ...pack({ Framework: text({ isRequired: true }) }),
      ...tree({
        ".template.config/dotnetcli.host.json": JSON.stringify({
          symbolInfo: { Framework: { longName: "framework" } },
        }),
      }),
    ]);
    const frameworkSchema = (property: unknown) => ({
      type: "object",
      properties: { framework: property },
      required: ["framework"],
    });
    expect(await parameterSchemaCheck(files, frameworkSchema({ type: "string" }))).toEqual([]);
    expect(await parameterSchemaCheck(files, frameworkSchema({ type: "object" }))).toMatchObject([
      { code: "TypeMismatch" },
    ]);
  });

  it("only warns about parameters that a partial schema leaves out", async () => {
    const findings = await parameterSchemaCheck(webApiTemplate(), {
      type: "object",
      properties: { Framework: { enum: ["net8.0"] } },
    });
    expect(new Set(findings.map(({ severity, code }) => `${severity} ${code}`))).toEqual(
      new Set(["Warning SymbolWithoutProperty"]),
    );
    expect(findings).toHaveLength(6);
  });
});

describe("parameterSchemaCheck: the schema itself", () => {
  it.each([[null], [[]], ["x"], [true]])("refuses the root %j", async (schema) => {
    expect(await check(schema)).toEqual(["Error RootNotObject "]);
  });

  it("refuses a root of another type", async () => {
    expect(await check({ type: "array" })).toEqual(["Error RootNotObject /type"]);
    expect(await check({ type: ["object", "null"] })).toEqual([]);
  });

  it.each<[unknown, string]>([
    [schemaOf({ type: "text" }), "/properties/A/type"],
    [{ properties: [] }, "/properties"],
    [{ required: "A" }, "/required"],
    [schemaOf({ minLength: -1 }), "/properties/A/minLength"],
    [schemaOf({ pattern: "(" }), "/properties/A/pattern"],
    [schemaOf({ $ref: "#/$defs/none" }), "/properties/A/$ref"],
    [{ $schema: "http://json-schema.org/draft-07/schema#" }, ""],
    [schemaOf({ $schema: "http://json-schema.org/draft-07/schema#" }), "/properties/A/$schema"],
  ])("%j is not valid", async (schema, pointer) => {
    expect(await check(schema)).toEqual([`Error SchemaNotValid ${pointer}`]);
  });

  it("refuses a schema over the limits", async () => {
    let deep: object = {};
    for (let level = 0; level < 1000; level++) deep = { not: deep };
    expect(await check(deep)).toEqual(["Error SchemaNotValid "]);
  });

  it.each([
    [schemaOf({ $ref: "https://example.com/a.json" }), "/properties/A/$ref"],
    [schemaOf({ $ref: "file:///etc/passwd" }), "/properties/A/$ref"],
    [schemaOf({ items: { $ref: "other.json#/x" } }), "/properties/A/items/$ref"],
  ])("%j refers to elsewhere", async (schema, pointer) => {
    expect(await check(schema)).toEqual([`Error RemoteRefNotAllowed ${pointer}`]);
  });

  const symbolsWithA = { A: text() };

  it.each<[string, unknown, string[]]>([
    [
      "a required name without property",
      schemaOf({}, { required: ["A", "B"] }),
      ["Error RequiredNotInProperties /required/1"],
    ],
    ["an empty enum", schemaOf({ enum: [] }), ["Error EnumEmpty /properties/A/enum"]],
    [
      "an enum of another type",
      schemaOf({ type: "string", enum: ["a", 1] }),
      ["Error EnumTypeMismatch /properties/A/enum"],
    ],
    [
      "a default of another type",
      schemaOf({ type: "string", default: 1 }),
      ["Error DefaultNotValid /properties/A/default"],
    ],
    [
      "a default outside the enum",
      schemaOf({ enum: ["a"], default: "b" }),
      ["Error DefaultNotValid /properties/A/default"],
    ],
    [
      "a default that breaks the pattern",
      schemaOf({ pattern: "^a$", default: "b" }),
      ["Error DefaultNotValid /properties/A/default"],
    ],
  ])("finds %s", async (_what, schema, findings) => {
    expect(await check(schema, symbolsWithA)).toEqual(findings);
  });

  it.each<[string, unknown]>([
    [
      "a required name of a branch",
      { properties: { A: {} }, if: {}, then: { properties: { B: {} } }, required: ["B"] },
    ],
    ["the reserved name", schemaOf({}, { required: ["name"] })],
    ["a name that any schema takes", schemaOf({}, { required: ["B"], additionalProperties: { type: "string" } })],
    ["an enum that allows null", schemaOf({ type: ["string", "null"], enum: ["a", null] })],
    ["a sound default", schemaOf({ type: "string", default: "a" })],
    [
      "a default while another parameter is required",
      schemaOf({ default: "a" }, { required: ["A"], allOf: [{ required: ["A"] }] }),
    ],
  ])("accepts %s", async (_what, schema) => {
    expect((await check(schema, { ...symbolsWithA, B: text() })).filter((line) => line.startsWith("Error"))).toEqual(
      [],
    );
  });

  it("takes the reserved name as a text only", async () => {
    expect(await check({ properties: { name: { type: "integer" } } })).toEqual([
      "Error ReservedParameterName /properties/name/type",
    ]);
    expect(await check({ properties: { name: { type: "string", maxLength: 20 } } })).toEqual([]);
    expect(await check({ properties: { name: {} } })).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ["a property", schemaOf({ type: "string", pattern: "^(a+)+$" }), "/properties/A/pattern"],
    ["the names", schemaOf({ patternProperties: { "^(a|a)*$": {} } }), "/properties/A/patternProperties/^(a|a)*$"],
    ["a definition", schemaOf({}, { $defs: { d: { pattern: "(x+x+)+y" } } }), "/$defs/d/pattern"],
  ])("refuses a pattern of %s that backtracks for ever, and tries no default by it", async (_what, schema, pointer) => {
    expect(await check(schema, symbolsWithA)).toEqual([`Error PatternTooSlow ${pointer}`]);
  });

  it("finds harmless patterns harmless", async () => {
    const longDefault = "a".repeat(60);
    const pattern = "^[a-z]+(?:[._-][a-z0-9]+)*$";
    expect(await check(schemaOf({ type: "string", pattern, default: longDefault }), symbolsWithA)).toEqual([]);
    expect(await check(schemaOf({ enum: [{ pattern: "(a+)+$" }] }), symbolsWithA)).not.toContain(
      "Error PatternTooSlow",
    );
    expect(await check({ properties: { pattern: { type: "string" } } }, { pattern: text() })).toEqual([]);
  });

  it("judges the schema when the template is unreadable", async () => {
    const findings = await parameterSchemaCheck(tree({}), schemaOf({ enum: [] }));
    expect(findings.map(({ code }) => code)).toEqual(["EnumEmpty"]);
  });
});

describe("parameterSchemaCheck: beside the symbols", () => {
  it("warns about a property that changes nothing", async () => {
    expect(await check(schemaOf({}))).toEqual(["Warning PropertyWithoutSymbol /properties/A"]);
    expect(await check(schemaOf({}), { A: { type: "computed", value: "true" } })).toEqual([
      "Warning PropertyWithoutSymbol /properties/A",
    ]);
    expect(await check(schemaOf({}), { a: text() })).toContain("Warning PropertyWithoutSymbol /properties/A");
  });

  it("refuses a schema that hides a required parameter", async () => {
    const symbols = { A: text(), B: text({ isRequired: true }) };
    expect(await check(schemaOf({}), symbols)).toEqual(["Error SymbolWithoutProperty /properties"]);
    expect(await check({ type: "object" }, symbols)).toEqual(["Error SymbolWithoutProperty /properties"]);
    expect(await check(schemaOf({}, { required: ["B"], additionalProperties: true }), symbols)).toEqual([]);
  });

  it("only warns where the requirement is a condition", async () => {
    const symbols = { A: text(), B: text({ isRequired: 'A == "x"' }) };
    expect(await check(schemaOf({}), symbols)).toEqual(["Warning SymbolWithoutProperty /properties"]);
  });

  it("asks the schema to require what the template requires", async () => {
    const symbols = { A: text({ isRequired: true, defaultValue: "x" }) };
    expect(await check(schemaOf({}), symbols)).toEqual(["Error RequiredDiffers /properties/A"]);
    expect(await check(schemaOf({}, { required: ["A"] }), symbols)).toEqual([]);
    expect(await check(schemaOf({ default: "x" }), symbols)).toEqual([]);
    expect(await check(schemaOf({}, { required: ["A"] }), { A: text() })).toEqual([]);
  });

  it.each<[string, unknown, boolean]>([
    ["bool", { type: "boolean" }, true],
    ["bool", { enum: ["true", "false"] }, true],
    ["bool", { type: "string" }, false],
    ["bool", { type: "integer" }, false],
    ["bool", { enum: ["yes"] }, false],
    ["integer", { type: "integer" }, true],
    ["integer", { type: "string", pattern: "^[0-9]+$" }, true],
    ["integer", { type: "number" }, false],
    ["integer", { type: "string" }, false],
    ["integer", { enum: [80, 8080] }, true],
    ["integer", { enum: ["a"] }, false],
    ["float", { type: "number" }, true],
    ["float", { type: "boolean" }, false],
    ["hex", { type: "string", pattern: "^0x" }, true],
    ["hex", { type: "boolean" }, false],
    ["string", { type: "string" }, true],
    ["string", { type: ["string", "null"] }, true],
    ["string", { type: "integer" }, true],
    ["string", { type: "object" }, false],
    ["string", {}, true],
    ["bool", { $ref: "#/$defs/flag" }, true],
  ])("%s beside %j", async (datatype, property, fits) => {
    const schema = schemaOf(property, { $defs: { flag: { type: "boolean" } } });
    const findings = await check(schema, { A: { type: "parameter", datatype } });
    expect(findings.some((line) => line.startsWith("Error TypeMismatch"))).toBe(!fits);
    expect(findings).toHaveLength(fits ? 0 : 1);
  });

  const choices = [{ choice: "None" }, { choice: "PostgreSql" }, { choice: "Sqlite" }];
  const choice = (more: object = {}) => ({ A: { type: "parameter", datatype: "choice", choices, ...more } });

  it.each<[string, unknown, object, string[]]>([
    ["the same choices", { enum: ["None", "PostgreSql", "Sqlite"] }, {}, []],
    ["fewer choices", { enum: ["None"] }, {}, []],
    ["choices in another case, or begun", { enum: ["none", "postgre"] }, {}, []],
    ["choices as constants", { oneOf: [{ const: "None" }, { const: "Sqlite" }] }, {}, []],
    ["another choice", { enum: ["None", "Oracle"] }, {}, ["Error EnumDiffersFromChoices /properties/A/enum"]],
    ["no choices", { type: "string" }, {}, ["Warning EnumDiffersFromChoices /properties/A"]],
    [
      "a list for one value",
      { type: "array", items: { enum: ["None"] } },
      {},
      ["Error TypeMismatch /properties/A/type"],
    ],
    ["a list for several", { type: "array", items: { enum: ["None"] } }, { allowMultipleValues: true }, []],
    [
      "a list with another choice",
      { type: "array", items: { enum: ["x"] } },
      { allowMultipleValues: true },
      ["Error EnumDiffersFromChoices /properties/A/enum"],
    ],
    ["joined choices for several", { enum: ["None|Sqlite"] }, { allowMultipleValues: true }, []],
  ])("a choice beside %s", async (_what, property, more, findings) => {
    expect(await check(schemaOf(property), choice(more))).toEqual(findings);
  });

  it.each<[object, unknown, boolean]>([
    [{ datatype: "string", defaultValue: "a" }, "b", true],
    [{ datatype: "string", defaultValue: "a" }, "a", false],
    [{ datatype: "bool", defaultValue: "True" }, true, false],
    [{ datatype: "bool", defaultValue: "true" }, false, true],
    [{ datatype: "integer", defaultValue: "080" }, 80, false],
    [{ datatype: "integer" }, 80, false],
  ])("a default %j beside %j", async (symbol, standard, differs) => {
    const findings = await check(schemaOf({ default: standard }), { A: { type: "parameter", ...symbol } });
    expect(findings).toEqual(differs ? ["Warning DefaultDiffers /properties/A/default"] : []);
  });
});
