import { parameterNames } from "@factory/template-engine/symbol-table";
import { loadTemplatePack } from "@factory/template-engine/template-pack";
import { renderFiles, tree } from "@factory/template-engine/template-pack.fixture";
import fc from "fast-check";
import { checkParameters } from "../../parameters/parameter-schema.js";
import { schemaFault } from "../../parameters/schema-fitness.js";
import { schemaProblem } from "../../parameters/schema-limits.js";
import { runCheck } from "../../template-checks/run-check.js";
import { derivedSchema } from "./derived-schema.js";

const metadata = { identity: "T", name: "T", shortName: "t" };
const pack = (symbols: object) =>
  tree({ ".template.config/template.json": JSON.stringify({ ...metadata, symbols }), "a.txt": "a" });
const schemaFor = (symbols: object) => derivedSchema(pack(symbols));
const parameter = (more: object = {}) => ({ type: "parameter", ...more });
const rulesOf = (symbols: object) => schemaFor(symbols)?.["properties"] as Record<string, unknown> | undefined;
const rule = (more: object) => rulesOf({ A: parameter(more) })?.["A"];
const choices = [{ choice: "net8.0", description: "LTS" }, { choice: "net9.0" }];

describe("a derived schema", () => {
  it("names the parameters of the template in their order, and nothing else", () => {
    const symbols = {
      Title: parameter({ datatype: "text", displayName: "A title", description: "Shown on top.", isRequired: true }),
      Auth: parameter({ datatype: "bool", defaultValue: "false" }),
      HasAuth: { type: "computed", value: "Auth" },
      Now: { type: "generated", generator: "now" },
    };
    const schema = schemaFor(symbols);
    expect(schema).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        Title: { title: "A title", description: "Shown on top.", type: "string" },
        Auth: { type: "boolean", default: false },
      },
      required: ["Title"],
    });
    expect(Object.keys(schema?.["properties"] as object)).toEqual(["Title", "Auth"]);
    expect(schemaFor({})).toMatchObject({ properties: {} });
  });

  it.each<[object, object]>([
    [
      { datatype: "string", defaultValue: "" },
      { type: "string", default: "" },
    ],
    [{ defaultValue: "80" }, { type: ["string", "number", "boolean"], default: "80" }],
    [
      { datatype: "bool", defaultValue: " True " },
      { type: "boolean", default: true },
    ],
    [
      { datatype: "int", defaultValue: "0080" },
      { type: "integer", default: 80 },
    ],
    [
      { datatype: "float", defaultValue: "1,000.5" },
      { type: "number", default: 1000.5 },
    ],
    [
      { datatype: "hex", defaultValue: "0xFF" },
      { type: "string", default: "0xFF" },
    ],
    [
      { datatype: "choice", choices, defaultValue: "NET8" },
      { enum: ["net8.0", "net9.0"], default: "net8.0" },
    ],
    [
      { datatype: "choice", choices, allowMultipleValues: true, defaultValue: "net9.0,net8.0" },
      { type: "array", items: { enum: ["net8.0", "net9.0"] }, uniqueItems: true, default: ["net9.0", "net8.0"] },
    ],
  ])("says of %j that it is %j", (symbol, result) => {
    expect(rule(symbol)).toMatchObject(result);
  });

  it.each([
    { datatype: "bool", defaultValue: "yes" },
    { datatype: "int", defaultValue: "many" },
    { datatype: "float", defaultValue: "1e999" },
    { datatype: "choice", choices, defaultValue: "net7.0" },
    { datatype: "choice", choices, defaultValue: "" },
    { datatype: "choice", choices, defaultValue: "net" },
  ])("has no default that the template itself would refuse: %j", (symbol) => {
    expect(rule(symbol)).not.toHaveProperty("default");
  });

  it("requires only what every request must have, and shows no default for it", () => {
    const symbols = {
      A: parameter({ datatype: "string", isRequired: true, defaultValue: "for conditions" }),
      B: parameter({ datatype: "bool" }),
      C: parameter({ datatype: "string", isRequired: "B" }),
      D: parameter({ datatype: "string", isRequired: true, isEnabled: "B" }),
      name: parameter({ datatype: "string", isRequired: true }),
    };
    expect(schemaFor(symbols)).toMatchObject({ required: ["A"], properties: { A: { type: "string" } } });
    expect(rule({ isRequired: true, defaultValue: "x" })).not.toHaveProperty("default");
  });

  it("keeps the digits of a large default", () => {
    const schema = schemaFor({ A: parameter({ datatype: "integer", defaultValue: "9007199254740993" }) });
    expect(JSON.stringify(schema)).toContain('"default":9007199254740993');
  });

  it("leaves out long descriptions, and is none where even the names are too many", () => {
    const many = (count: number, description: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`P${at}`, parameter({ description })]));
    const schema = schemaFor(many(100, "x".repeat(4000)));
    expect(Object.keys(schema?.["properties"] as object)).toHaveLength(100);
    expect(JSON.stringify(schema)).not.toContain("xxx");
    expect(schemaFor(many(501, ""))).toBeUndefined();
    expect(derivedSchema(tree({ "a.txt": "" }))).toBeUndefined();
    expect(derivedSchema(tree({ ".template.config/template.json": "{" }))).toBeUndefined();
  });

  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 8 }), fc.constantFrom("true", "0x1F", "7", "a|b", "\0"));
  const symbol = fc.record(
    {
      type: fc.constant("parameter"),
      datatype: fc.constantFrom("string", "text", "bool", "int", "float", "hex", "choice", ""),
      choices: fc.array(fc.record({ choice: text, description: text }), { maxLength: 3 }),
      defaultValue: text,
      description: text,
      displayName: text,
      isRequired: fc.constantFrom<unknown>(true, false, "true", "B"),
      isEnabled: fc.constantFrom<unknown>(true, false, "true", "B"),
      allowMultipleValues: fc.boolean(),
    },
    { requiredKeys: ["type"] },
  );
  const symbols = fc.dictionary(fc.oneof(fc.stringMatching(/^[A-Za-z]{1,6}$/), fc.constantFrom("name", "B")), symbol, {
    maxKeys: 5,
  });

  it("of any symbols is a valid schema that its own check finds nothing wrong with", async () => {
    await fc.assert(
      fc.asyncProperty(symbols, async (sampleSymbols) => {
        const files = pack(sampleSymbols);
        const schema = derivedSchema(files);
        if (schema === undefined) return;
        expect(schemaProblem(schema)).toBeUndefined();
        expect(await schemaFault(JSON.parse(JSON.stringify(schema)))).toBeUndefined();
        expect(JSON.stringify(schema)).not.toContain("\\u0000");
        const subject = { parameterSchema: JSON.parse(JSON.stringify(schema)), targetFramework: "net8.0" };
        const { findings } = await runCheck("ParameterSchema", files, subject);
        // a choice without choices has no enum, and a name with a foreign character is not the template's
        const meant = findings.filter(({ code }) => code !== "EnumDiffersFromChoices");
        expect(meant).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("accepts what the template renders with its defaults, and changes none of it", async () => {
    await fc.assert(
      fc.asyncProperty(symbols, async (sampleSymbols) => {
        const schema = derivedSchema(pack(sampleSymbols));
        const render = () => renderFiles({ symbols: sampleSymbols }, { "a.txt": "a" }, { parameters: {} });
        const templateNames = parameterNames(loadTemplatePack(pack(sampleSymbols), {}).config);
        const result = await checkParameters(JSON.parse(JSON.stringify(schema)), {}, { templateNames });
        if (result.valid) return;
        expect(render).toThrow();
      }),
      { numRuns: 200 },
    );
  });
});
