import type { Finding } from "@factory/template-engine/finding";
import { parameterAliases } from "@factory/template-engine/host-data";
import {
  escapePointer,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@factory/template-engine/json-value";
import { convertText, isAlwaysRequired, typedValue } from "@factory/template-engine/parameter-values";
import type { ParameterDatatype, ParameterSymbol, TemplateConfig } from "@factory/template-engine/template-config";
import type { TemplatePack } from "@factory/template-engine/template-pack";
import { reservedName } from "../../parameters/parameter-schema.js";
import { everDefined, resolved } from "../../parameters/schema-properties.js";
import { finding } from "../findings/finding-codes.js";
import { listedValues, schemaTypes } from "./schema-types.js";

/** The JSON types that the engine can read as each datatype. Texts are compared by the values that they may have. */
const readable: Readonly<Record<ParameterDatatype, readonly string[]>> = {
  string: ["string", "integer", "number", "boolean", "array", "null"],
  choice: ["string", "integer", "number", "boolean"],
  bool: ["boolean"],
  integer: ["integer"],
  float: ["number", "integer"],
  hex: ["integer"],
};

/** Finds the differences between the parameterSchema and the template's parameters. */
export function compareWithSymbols(
  schema: JsonObject,
  { config, host }: Pick<TemplatePack, "config" | "host">,
): Finding[] {
  const aliases = parameterAliases(config, host);
  const properties = everDefined(schema);
  const requiredNames = new Set(isJsonArray(schema["required"]) ? schema["required"] : []);
  const findings = Array.from(properties).flatMap(([name, property]) => {
    if (name === reservedName) return [];
    const symbol = config.symbols.get(aliases.get(name) ?? name);
    const pointer = `/properties/${escapePointer(name)}`;
    if (symbol?.type !== "parameter") return [withoutSymbol(name, symbol?.type, pointer)];
    const rule = resolved(schema, property) ?? {};
    return [
      ...compareTypes(symbol, rule, pointer),
      ...compareChoices(symbol, rule, pointer),
      ...compareDefaults(symbol, rule, pointer),
      ...compareRequired(symbol, requiredNames.has(name) || rule["default"] !== undefined, pointer),
    ];
  });
  const propertiesByParameter = new Map(
    Array.from(properties, ([name, property]) => [aliases.get(name) ?? name, property]),
  );
  return [...findings, ...symbolsWithoutProperty(schema, config, propertiesByParameter)];
}

function withoutSymbol(name: string, type: string | undefined, pointer: string): Finding {
  const reason =
    type === undefined ? "the template has no symbol of that name" : `the symbol of that name has the type ${type}`;
  return finding("PropertyWithoutSymbol", `The parameter "${name}" has no effect: ${reason}.`, { pointer });
}

/**
 * A schema that names no parameter, or accepts any, leaves the parameters to the template. But a parameter that only the
 * template requires can never be set, so that every execution fails.
 */
function symbolsWithoutProperty(
  schema: JsonObject,
  config: TemplateConfig,
  properties: ReadonlyMap<string, JsonValue>,
): Finding[] {
  const { additionalProperties, patternProperties } = schema;
  const open =
    (additionalProperties !== undefined && additionalProperties !== false) || patternProperties !== undefined;
  const silent = open || properties.size === 0;
  return Array.from(config.symbols.values()).flatMap((symbol) => {
    if (symbol.type !== "parameter" || symbol.name === reservedName || properties.has(symbol.name)) return [];
    const isRequired = isAlwaysRequired(symbol) && !requiresByName(schema, symbol.name);
    if (!isRequired && silent) return [];
    const message = isRequired
      ? `The template requires the parameter "${symbol.name}", but the schema does not name it.`
      : `The schema does not name the template's parameter "${symbol.name}", so that its default value is always used.`;
    const severity = isRequired ? "Error" : "Warning";
    return [finding("SymbolWithoutProperty", message, { pointer: "/properties", severity })];
  });
}

function requiresByName(schema: JsonObject, name: string): boolean {
  return isJsonArray(schema["required"]) && schema["required"].includes(name);
}

function compareTypes(symbol: ParameterSymbol, rule: JsonObject, pointer: string): Finding[] {
  const values = listedValues(rule);
  const fits = values
    ? values.every((value) => symbol.datatype === "choice" || isReadable(symbol.datatype, value))
    : (schemaTypes(rule) ?? []).every((type) => typeFits(symbol, type, rule));
  if (fits) return [];
  const types = values ? "values of its enum" : `type ${schemaTypes(rule)?.join(", ")}`;
  const message = `The template's parameter "${symbol.name}" has the datatype "${symbol.datatype}", but the ${types} cannot be read as one.`;
  return [finding("TypeMismatch", message, { pointer: `${pointer}/${values ? "enum" : "type"}` })];
}

function typeFits({ datatype, allowMultipleValues }: ParameterSymbol, type: string, rule: JsonObject): boolean {
  if (type === "array" && datatype === "choice") return allowMultipleValues;
  if (readable[datatype].includes(type)) return true;
  // null stands for the option without a value; a pattern may limit a text to readable values
  return type === "null" || (type === "string" && ("pattern" in rule || "format" in rule));
}

function isReadable(datatype: ParameterDatatype, value: JsonValue): boolean {
  if (value === null) return true;
  if (typeof value === "object") return datatype === "string" && isJsonArray(value);
  return convertText(datatype, String(value)) !== undefined;
}

/** The schema may list fewer choices than the template. A choice that only the schema lists fails in a render. */
function compareChoices(symbol: ParameterSymbol, rule: JsonObject, pointer: string): Finding[] {
  if (symbol.datatype !== "choice") return [];
  const items = isJsonObject(rule["items"]) ? listedValues(rule["items"]) : undefined;
  const values = listedValues(rule) ?? items;
  if (!values) {
    if ("pattern" in rule) return [];
    const message = `The schema does not list the choices of "${symbol.name}", so that it accepts any text.`;
    const suggestion = `Add "enum": ${JSON.stringify(symbol.choices.map(({ choice }) => choice)).slice(0, 300)}.`;
    return [finding("EnumDiffersFromChoices", message, { pointer, suggestion, severity: "Warning" })];
  }
  const unknown = values
    .flatMap((value) => (isJsonArray(value) ? value : [value]))
    .filter((value) => !isChoice(symbol, value));
  if (unknown.length === 0) return [];
  const message = `The enum of "${symbol.name}" contains ${JSON.stringify(unknown[0])}, which is not a choice of the template.`;
  return [finding("EnumDiffersFromChoices", message, { pointer: `${pointer}/enum` })];
}

function isChoice(symbol: ParameterSymbol, value: JsonValue): boolean {
  if (value === null || typeof value === "object") return value === null;
  return typedValue(symbol, String(value)) !== undefined;
}

function compareDefaults(symbol: ParameterSymbol, rule: JsonObject, pointer: string): Finding[] {
  const { name, datatype, defaultValue } = symbol;
  const standard = rule["default"];
  if (standard === undefined || defaultValue === null) return [];
  const text = Array.isArray(standard) ? standard.join("|") : textOf(standard);
  if (text.toLowerCase() === defaultValue.toLowerCase()) return [];
  const [ours, theirs] = [text, defaultValue].map((value) => typedValue(symbol, value)?.toString());
  if (datatype !== "string" && ours !== undefined && ours === theirs) return [];
  const message = `The default of "${name}" is ${JSON.stringify(standard)} in the schema and "${defaultValue}" in the template. The value of the schema is used.`;
  return [finding("DefaultDiffers", message, { pointer: `${pointer}/default` })];
}

function compareRequired(symbol: ParameterSymbol, isSupplied: boolean, pointer: string): Finding[] {
  const { name } = symbol;
  if (!isAlwaysRequired(symbol) || isSupplied) return [];
  const message = `The template requires the parameter "${name}", but the schema does not.`;
  return [finding("RequiredDiffers", message, { pointer, suggestion: `Add "${name}" to "required".` })];
}

function textOf(value: JsonValue): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
