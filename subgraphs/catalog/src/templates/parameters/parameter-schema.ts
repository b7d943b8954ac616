import {
  escapePointer,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@factory/template-engine/json-value";
import { PatternTimeLimit } from "@factory/template-engine/pattern-time-limit";
import { authorMessage, messageOfProperty } from "./author-message.js";
import { atPointer, nameIn } from "./json-pointer.js";
import { describeFailure, type ParameterErrorCode } from "./keyword-rules.js";
import { compileOffline, type Failure, SchemaError, SlowSchemaError } from "./offline-schema.js";
import type { ParameterError } from "./parameter-error.js";
import { alwaysDefined, everDefined, resolved } from "./schema-properties.js";
import { unknownName, unknownNames, withNearestNames } from "./unknown-names.js";

export type CheckedParameters =
  | { valid: true; parameters: Record<string, unknown> }
  | { valid: false; errors: ParameterError[] };

const maxErrors = 100;

/** The parameter that every template has. Its value replaces the sourceName. */
export const reservedName = "name";

interface CheckOptions {
  readonly timeLimit?: PatternTimeLimit;
  /** The template's parameter names. Without them every name that the schema allows is accepted. */
  readonly templateNames?: readonly string[] | undefined;
}

/** Applies the schema's defaults and checks the parameters. Runs foreign patterns: call it under a time limit. */
export async function checkParameters(
  schema: unknown,
  parameters: unknown,
  { timeLimit = new PatternTimeLimit(), templateNames }: CheckOptions = {},
): Promise<CheckedParameters> {
  if (!isJsonObject(parameters)) return refused("", "type", "TYPE", "The parameters must be a JSON object.");
  const strictSchema = closedSchema(isJsonObject(schema) ? schema : {});
  const values = withDefaults(strictSchema, parameters);
  let failures: Failure[];
  let undefinedNames: string[];
  try {
    failures = (await compileOffline(strictSchema, timeLimit)).failures(values);
    undefinedNames =
      templateNames === undefined ? [] : unknownNames(strictSchema, values, { templateNames, timeLimit });
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    if (error instanceof SlowSchemaError)
      return refused(error.valuePointer, error.keyword, "FORMAT", `${error.message} Its pattern may backtrack.`);
    return refused(
      "",
      "$schema",
      "FORMAT",
      `The parameterSchema of the version cannot be used. ${error.message}${error.pointer && ` At ${error.pointer}.`}`,
    );
  }
  if (failures.length === 0 && undefinedNames.length === 0) return { valid: true, parameters: values };
  const errors = withoutRepeats(
    relevant(failures, strictSchema).flatMap((failure) => explain(failure, strictSchema, values)),
  );
  const refusedNames = new Set(errors.map(({ pointer }) => pointer));
  const unknown = undefinedNames
    .map((name) => `/${escapePointer(name)}`)
    .filter((pointer) => !refusedNames.has(pointer))
    .map((pointer) => ({
      pointer,
      keyword: "unevaluatedProperties",
      code: "UNKNOWN_VALUE" as const,
      detail: unknownName,
    }));
  const all = [...errors, ...unknown].slice(0, maxErrors);
  return { valid: false, errors: withNearestNames(all, strictSchema, templateNames) };
}

/**
 * Adds the rules for every template to the schema: `name` is a string, and names that the schema does not evaluate are
 * refused. A schema with `additionalProperties` evaluates all names, and one without any property is not closed: both
 * leave the names to the template.
 */
function closedSchema(schema: JsonObject): JsonObject {
  const { properties = {} } = schema;
  if (!isJsonObject(properties)) return schema;
  const allProperties = Object.hasOwn(properties, reservedName)
    ? properties
    : { ...properties, [reservedName]: { type: "string" } };
  const silent = !Object.hasOwn(schema, "properties") && everDefined(schema).size === 0;
  return { ...(silent ? {} : { unevaluatedProperties: false }), ...schema, properties: allProperties };
}

/** The parameters with the schema's defaults. */
export function withDefaults(schema: JsonObject, parameters: JsonObject): Record<string, unknown> {
  const defaults: [string, unknown][] = [];
  for (const [name, property] of alwaysDefined(schema)) {
    const standard = resolved(schema, property)?.["default"];
    if (standard !== undefined && !Object.hasOwn(parameters, name)) defaults.push([name, standard]);
  }
  return Object.fromEntries([...Object.entries(parameters), ...defaults]);
}

/** Leaves out failures that only follow from another failure. */
function relevant(failures: readonly Failure[], schema: JsonObject): Failure[] {
  const choices = failures.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  const direct = failures.filter(
    ({ schemaPointer }) => !choices.some((choice) => schemaPointer?.startsWith(`${choice.schemaPointer}/`)),
  );
  const closing = ({ schemaPointer }: Failure) => schemaPointer === "/unevaluatedProperties";
  if (direct.every(closing)) return direct;
  // JSON Schema counts a property that fails as unevaluated too
  const names = everDefined(schema);
  return direct.filter((failure) => !closing(failure) || !names.has(nameIn(failure.pointer)));
}

function explain(failure: Failure, schema: JsonObject, values: Record<string, unknown>): ParameterError[] {
  const { pointer, schemaPointer } = failure;
  const keyword = failure.keyword === "validate" ? denyingKeyword(schemaPointer) : failure.keyword;
  const rule = schemaPointer === undefined ? undefined : atPointer(schema, schemaPointer);
  const description = { ...describeFailure(keyword, rule), ...authored(schema, { keyword, schemaPointer, pointer }) };
  if (keyword !== "required" && keyword !== "dependentRequired")
    return [{ pointer: plainPointer(pointer), keyword, ...description }];
  const missing = missingNames(keyword, rule, atPointer(values as JsonObject, pointer));
  if (missing.length === 0) return [{ pointer, keyword, ...description }];
  return missing.map((name) => ({
    pointer: `${pointer}/${escapePointer(name)}`,
    keyword,
    code: "REQUIRED",
    detail: "The value is missing.",
    ...authored(schema, { keyword, schemaPointer, pointer, missing: name }),
  }));
}

/** The sentence by the schema's author in place of the platform's. */
function authored(
  schema: JsonObject,
  rule: Parameters<typeof authorMessage>[1],
): Pick<ParameterError, "detail" | "ofAuthor"> | undefined {
  const detail = authorMessage(schema, rule) ?? messageOfProperty(schema, rule);
  return detail === undefined ? undefined : { detail, ofAuthor: true };
}

/** The schema `false` fails without a keyword; its place in the schema tells which keyword denies the value. */
function denyingKeyword(schemaPointer = ""): string {
  const last = schemaPointer.slice(schemaPointer.lastIndexOf("/") + 1);
  return ["additionalProperties", "unevaluatedProperties", "unevaluatedItems"].includes(last) ? last : "validate";
}

function missingNames(keyword: string, rule: JsonValue | undefined, instance: JsonValue | undefined): string[] {
  if (!isJsonObject(instance)) return [];
  const lists =
    keyword === "required"
      ? [rule]
      : Object.entries(isJsonObject(rule) ? rule : {}).flatMap(([name, names]) => (name in instance ? [names] : []));
  const names = lists.flatMap((list) => (isJsonArray(list) ? list : []));
  return names.filter((name): name is string => typeof name === "string" && !Object.hasOwn(instance, name));
}

function withoutRepeats(errors: readonly ParameterError[]): ParameterError[] {
  const errorsByText = new Map(errors.map((error) => [`${error.pointer}\0${error.keyword}\0${error.detail}`, error]));
  return [...errorsByText.values()];
}

/** The library marks a failing property name's pointer with a star. */
function plainPointer(pointer: string): string {
  return pointer.startsWith("*") ? pointer.slice(1) : pointer;
}

function refused(pointer: string, keyword: string, code: ParameterErrorCode, detail: string): CheckedParameters {
  return { valid: false, errors: [{ pointer, keyword, code, detail }] };
}
