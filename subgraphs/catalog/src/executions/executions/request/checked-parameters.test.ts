import type { DomainError } from "@factory/runtime/errors/domain-error";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { parameterNames } from "@factory/template-engine/symbol-table";
import { loadTemplatePack } from "@factory/template-engine/template-pack";
import { renderFiles, tree } from "@factory/template-engine/template-pack.fixture";
import fc from "fast-check";
import { ParameterChecker } from "../../../templates/parameters/parameter-checker.js";
import { derivedSchema } from "../../../templates/templates/content/derived-schema.js";
import { WorkerPool } from "../../../workers/worker-pool/worker-pool.js";
import { ensureCompiledWorker } from "../../template-worker/compiled-worker.fixture.js";
import { templateWorkerUrl } from "../../template-worker/template-worker-url.js";
import { checkedParameters } from "./checked-parameters.js";

let pool: WorkerPool;
let checker: ParameterChecker;

beforeAll(() => {
  ensureCompiledWorker();
  pool = new WorkerPool({ entry: templateWorkerUrl, size: 2, logger: createLogger("test", "silent") });
  checker = new ParameterChecker(pool, 60_000);
});
afterAll(() => pool.close());

const choicesOf = (...names: string[]) => names.map((choice) => ({ choice }));
const frameworks = choicesOf("net8.0", "net9.0", "net9.0-windows", "8", "8.0", "a|b", "STRASSE");
const symbols: Record<string, object> = {
  text: { datatype: "text" },
  textWithDefault: { datatype: "string", defaultValue: "x", replaces: "y" },
  inferred: {},
  bool: { datatype: "bool" },
  boolWithDefault: { datatype: "bool", defaultValue: "false", defaultIfOptionWithoutValue: "false" },
  int: { datatype: "int", defaultValue: "9223372036854775807" },
  intWithoutDefault: { datatype: "integer" },
  float: { datatype: "float", defaultValue: "1.5" },
  hex: { datatype: "hex" },
  choice: { datatype: "choice", choices: frameworks, defaultValue: "net8.0" },
  choiceWithoutDefault: { datatype: "choice", choices: frameworks },
  onlyChoice: { datatype: "choice", choices: choicesOf("net8.0") },
  repeatedChoice: { datatype: "choice", choices: choicesOf("net9.0", "NET9.0", "net9.0", "ſ", "S") },
  emptyChoice: { datatype: "choice", choices: choicesOf("", "net8.0") },
  several: { datatype: "choice", allowMultipleValues: true, choices: frameworks, defaultValue: "net8.0|net9.0" },
  severalWithoutDefault: { datatype: "choice", allowMultipleValues: true, choices: frameworks },
};
const requiredSymbols = Object.entries(symbols).map(([name, symbol]) => [
  `${name}, required`,
  { ...symbol, isRequired: true },
]);
const kinds = Object.entries<object>({ ...symbols, ...Object.fromEntries(requiredSymbols) });

const atoms = [
  ...["", " ", "x", "true", "TRUE", " false ", "yes", "null", "|", ",", "a|b", "a,b"],
  ...["1", "0", "-5", "+7", " 42 ", "1.5", "1,000.5", "1e5", "1E999", "9223372036854775807", "9223372036854775808"],
  ...["0x1F", "0XfF", "0x", "0x1F ", "0x11112222333344445"],
  ...["net8.0", "NET8.0", "net8", "Net", "net9", "net9.0", "net9.0-", " net8.0", "net7.0", "8", "8.0", "ſ", "s"],
  ...["net8.0|net9.0", "net8.0|NET8.0, net8", "net8.0||", "net8.0|net7.0", "strasse", "straße", "ſtrasse"],
].map((text) => JSON.stringify(text));
const scalars = [
  ...atoms,
  ...["0", "1", "-1", "8", "8.0", "1.0", "1E5", "1.5", "1e21", "1e999", "9007199254740993", "9223372036854775808"],
  ...["0.10000000000000000001", "true", "false", "null", "{}", '{"a":1}', "[]", "[[]]"],
];
const lists = scalars.map((scalar) => `[${scalar}]`);
/** Longer lists, of which only choices can take several values. */
const longerLists = scalars.flatMap((scalar) => [
  `[${scalar},${scalar}]`,
  `["net8.0",${scalar}]`,
  `[[${scalar}],"NET8.0"]`,
]);

const renders = (symbol: object, parameters: Record<string, unknown>) => {
  try {
    renderFiles({ symbols: { A: { type: "parameter", ...symbol } } }, { "a.txt": "a" }, { parameters });
    return true;
  } catch {
    return false;
  }
};

/** As the request path has it: the schema was derived from the content, stored as JSON and read again. */
function versionOf(symbol: object) {
  const template = { identity: "T", name: "T", shortName: "t", tags: { language: "C#" } };
  const content = { ...template, symbols: { A: { type: "parameter", ...symbol } } };
  const files = tree({ ".template.config/template.json": JSON.stringify(content), "a.txt": "a" });
  return {
    parameterSchema: parseForeignJson(JSON.stringify(derivedSchema(files))),
    parameterSchemaOrigin: "Derived" as const,
    templateNames: parameterNames(loadTemplatePack(files, {}).config),
    aliases: { a: "A" },
  };
}

async function problem(version: ReturnType<typeof versionOf>, parameters: Record<string, unknown>) {
  try {
    expect(await checkedParameters(checker, { ...version, parameters }, { tenantId: "t" })).toEqual(parameters);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: "PARAMETERS_INVALID" });
    const { errors } = (error as DomainError).facts;
    expect(errors).not.toEqual([]);
    return errors;
  }
}

/** The schema does not show the default of a required number, which a template takes for null. */
const isNullOfNumber = (kind: string, text: string) =>
  ["int, required", "float, required"].includes(kind) && text.includes("null");

describe("the parameters of a version with a derived schema", () => {
  it.each(kinds)("are accepted exactly when the template reads them: %s", async (kind, symbol) => {
    const version = versionOf(symbol);
    const differing = [];
    const texts = kind.includes("required") ? [] : lists;
    const longerTexts = texts.length > 0 && "choices" in symbol ? longerLists : [];
    for (const text of [...scalars, ...texts, ...longerTexts]) {
      const parameters = { A: parseForeignJson(text) };
      const isAccepted = (await problem(version, parameters)) === undefined;
      if (isAccepted !== renders(symbol, parameters)) differing.push({ text, isAccepted });
    }
    expect(differing.filter(({ text }) => !isNullOfNumber(kind, text))).toEqual([]);
    expect((await problem(version, {})) === undefined).toBe(renders(symbol, {}));
  });

  it("are accepted exactly when the template reads them, whatever they are", async () => {
    const json = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        { weight: 4, arbitrary: fc.constantFrom(...scalars) },
        fc.string({ maxLength: 4 }).map((text) => JSON.stringify(text)),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
        fc
          .array(fc.constantFrom("|", ",", " ", "net8", "NET9.0", "net9.0-W", "8"), { maxLength: 9 })
          .map((parts) => JSON.stringify(parts.join(""))),
        fc.array(tie("value"), { maxLength: 3 }).map((values) => `[${values.join(",")}]`),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...kinds), json, async ([kind, symbol], text) => {
        fc.pre(!isNullOfNumber(kind, text));
        const parameters = { A: parseForeignJson(text) };
        expect((await problem(versionOf(symbol), parameters)) === undefined).toBe(renders(symbol, parameters));
      }),
      { numRuns: 500 },
    );
  });

  it("may be sent under an alias or a tag, as the template reads them", async () => {
    const version = versionOf({ datatype: "choice", choices: frameworks });
    const check = (parameters: Record<string, unknown>) =>
      checkedParameters(checker, { ...version, parameters }, { tenantId: "t" });
    expect(await check({ a: "NET8", language: ["F", 1] })).toEqual({ A: "NET8", language: ["F", 1] });
    await expect(check({ a: "net7.0" })).rejects.toMatchObject({ facts: { errors: [{ pointer: "/parameters/A" }] } });
    await expect(check({ b: "net8.0" })).rejects.toMatchObject({ facts: { errors: [{ pointer: "/parameters/b" }] } });
    await expect(check({ name: 8080 })).rejects.toMatchObject({ facts: { errors: [{ pointer: "/parameters/name" }] } });
  });

  it.each<[string, string, object]>([
    ["several", '["NET8.0","net8.0","net7.0"]', { pointer: "/parameters/A/2", keyword: "enum" }],
    ["several", '"net8|net7.0"', { pointer: "/parameters/A/1", keyword: "enum" }],
    ["several", "{}", { pointer: "/parameters/A", keyword: "type" }],
    ["choice", '"net"', { pointer: "/parameters/A", keyword: "enum" }],
    ["int", "1e21", { pointer: "/parameters/A", keyword: "type" }],
    ["hex", '"1F"', { pointer: "/parameters/A", keyword: "pattern" }],
    ["text", "[{}]", { pointer: "/parameters/A", keyword: "type" }],
  ])("are refused at their place: %s %s", async (kind, text, error) => {
    const refusal = await problem(versionOf(symbols[kind] ?? {}), { A: parseForeignJson(text) });
    expect(refusal).toEqual([expect.objectContaining(error)]);
  });
});
