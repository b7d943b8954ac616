import {
  escapePointer,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@factory/template-engine/json-value";
import { PatternTimeLimit } from "@factory/template-engine/pattern-time-limit";
import type { TemplateConfig } from "@factory/template-engine/template-config";
import { compileOffline, type Failure, type OfflineSchema, SchemaError } from "../../parameters/offline-schema.js";
import { checkParameters, reservedName } from "../../parameters/parameter-schema.js";
import { everDefined, resolved } from "../../parameters/schema-properties.js";
import { listedValues, schemaTypes } from "../parameter-schema/schema-types.js";
import { pairwiseRows } from "./pairwise.js";

export interface Sample {
  kind: "defaults" | "required" | "pairwise";
  /** The parameters as a request would give them. */
  given: Record<string, unknown>;
  /** The given parameters and the schema's defaults. */
  parameters: Record<string, unknown>;
}

const maxSamples = 50;
const maxDimensions = 30;
const maxValues = 8;
const hyphenName = "Sample.App-1";
const unicode = "Größe東京";

/** Requests that the schema accepts: without parameters, with the required ones only, then pairwise combinations. */
export async function sampleRequests(schema: JsonObject, symbols: TemplateConfig["symbols"]): Promise<Sample[]> {
  const timeLimit = new PatternTimeLimit();
  const candidates = await candidateValues(schema, symbols, timeLimit);
  const requiredNames = (isJsonArray(schema["required"]) ? schema["required"] : []).filter(
    (name) => typeof name === "string",
  );
  const least = Object.fromEntries(
    requiredNames.flatMap((name) => {
      const [first] = candidates.get(name) ?? [];
      return first === undefined ? [] : [[name, first]];
    }),
  );
  const rows: [Sample["kind"], Record<string, unknown>][] = [
    ["defaults", {}],
    ["required", least],
  ];
  const dimensions = Array.from(candidates).slice(0, maxDimensions);
  for (const row of pairwiseRows(
    dimensions.map(([, values]) => values.length),
    maxSamples,
  )) {
    const members = dimensions.map(([name, values], index): [string, unknown] => [name, values[row[index] ?? 0]]);
    rows.push(["pairwise", Object.fromEntries(members)]);
  }
  return acceptedRows(schema, rows, timeLimit);
}

/** Keeps the rows that the schema accepts, since it may forbid some combinations. */
async function acceptedRows(
  schema: JsonObject,
  rows: readonly [Sample["kind"], Record<string, unknown>][],
  timeLimit: PatternTimeLimit,
): Promise<Sample[]> {
  const samples = new Map<string, Sample>();
  for (const [kind, candidate] of rows) {
    if (samples.size >= maxSamples) break;
    const result = await checkParameters(schema, candidate, { timeLimit });
    if (!result.valid) continue;
    const { parameters } = result;
    const key = JSON.stringify(Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1)));
    if (!samples.has(key)) samples.set(key, { kind, given: candidate, parameters });
  }
  return [...samples.values()];
}

async function candidateValues(
  schema: JsonObject,
  symbols: TemplateConfig["symbols"],
  timeLimit: PatternTimeLimit,
): Promise<Map<string, JsonValue[]>> {
  const result = new Map<string, JsonValue[]>();
  const validator = await compiledOrNot(schema, timeLimit);
  if (!validator) return result;
  const properties = new Map<string, JsonValue>([[reservedName, { type: "string" }], ...everDefined(schema)]);
  for (const [name, property] of properties) {
    const rule = resolved(schema, property);
    if (!rule) continue;
    const acceptable = (values: readonly JsonValue[]) =>
      distinct(values).filter((value) => isAccepted(validator, name, value));
    const symbol = symbols.get(name);
    const choices = symbol?.type === "parameter" && symbol.datatype === "choice" ? symbol.choices : [];
    const usual = acceptable(
      proposed(
        rule,
        choices.map(({ choice }) => choice),
      ),
    );
    const values = usual.length > 0 ? usual : acceptable(shapedTexts(rule));
    if (values.length > 0) result.set(name, values.slice(0, maxValues));
  }
  return result;
}

async function compiledOrNot(schema: JsonObject, timeLimit: PatternTimeLimit): Promise<OfflineSchema | undefined> {
  try {
    return await compileOffline(schema, timeLimit);
  } catch (error) {
    if (error instanceof SchemaError) return undefined;
    throw error;
  }
}

function isAccepted(validator: OfflineSchema, name: string, value: JsonValue): boolean {
  const ownPointer = `/${escapePointer(name)}`;
  const failsHere = ({ pointer }: Failure) => pointer === ownPointer || pointer.startsWith(`${ownPointer}/`);
  try {
    return !validator.failures({ [name]: value }).some(failsHere);
  } catch (error) {
    // the ParameterSchema check reports a schema that fails here
    if (error instanceof SchemaError) return false;
    throw error;
  }
}

/** The template's choices, for a parameter whose values the schema does not list. */
function proposed(rule: JsonObject, choices: readonly string[] = []): JsonValue[] {
  const examples = isJsonArray(rule["examples"]) ? rule["examples"] : [];
  const examplesWithDefault = rule["default"] === undefined ? examples : [rule["default"], ...examples];
  const values = listedValues(rule);
  if (values) return [...examplesWithDefault, ...values];
  if (choices.length > 0) return [...examplesWithDefault, ...choices];
  return [...examplesWithDefault, ...(schemaTypes(rule) ?? ["string"]).flatMap((type) => ofType(type, rule))];
}

function ofType(type: string, rule: JsonObject): JsonValue[] {
  switch (type) {
    case "string":
      return [hyphenName, unicode];
    case "boolean":
      return [true, false];
    case "integer":
    case "number":
      return numbersOf(rule);
    case "array": {
      const items = isJsonObject(rule["items"]) ? proposed(rule["items"]) : [];
      return [items.slice(0, 1), items, []];
    }
    default:
      return [];
  }
}

/** Common texts that may fit a pattern, a format or a length. */
function shapedTexts({ minLength, maxLength }: JsonObject): string[] {
  const length = typeof minLength === "number" && minLength < 1000 ? minLength : 1;
  const words = [
    "sample",
    "Sample",
    "SAMPLE",
    "sample-app",
    "sample_app",
    "s",
    "S",
    "1",
    "12",
    "1234",
    "1.0",
    "1.0.0",
    "v1",
  ];
  const formatExamples = [
    "a@example.com",
    "https://example.com/",
    "example.com",
    "192.0.2.1",
    "2001:db8::1",
    "2024-01-02",
    "2024-01-02T03:04:05Z",
    "03:04:05Z",
    "P1D",
    "6f9619ff-8b86-4d11-b42d-00c04fc964ff",
    "/sample",
  ];
  const cut = typeof maxLength === "number" ? ["sample".slice(0, maxLength)] : [];
  return [...words, ...formatExamples, ...cut, "x".repeat(length)];
}

function numbersOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonObject): JsonValue[] {
  const bounds = [minimum, maximum, offset(exclusiveMinimum, 1), offset(exclusiveMaximum, -1), multipleOf];
  return [...bounds.filter((bound) => typeof bound === "number"), 1, 0, 8080];
}

function offset(bound: JsonValue | undefined, by: number): number | undefined {
  return typeof bound === "number" ? bound + by : undefined;
}

function distinct(values: readonly JsonValue[]): JsonValue[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
