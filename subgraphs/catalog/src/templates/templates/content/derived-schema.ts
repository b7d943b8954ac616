import { foreignNumber, type KeptNumber } from "@factory/runtime/json/kept-numbers";
import type { FileTree } from "@factory/template-engine/file-tree";
import { isAlwaysRequired, typedValue } from "@factory/template-engine/parameter-values";
import { MultiValue } from "@factory/template-engine/symbol-value";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import type { ParameterSymbol } from "@factory/template-engine/template-config";
import { loadTemplatePack } from "@factory/template-engine/template-pack";
import { reservedName } from "../../parameters/parameter-schema.js";
import { schemaDialect, schemaProblem } from "../../parameters/schema-limits.js";
import { storableText } from "./storable.js";

type Schema = Record<string, unknown>;

/**
 * The parameterSchema that a template's symbols describe. Undefined when the template cannot be read, or when the
 * schema would exceed the limits. Long descriptions are left out first.
 */
export function derivedSchema(files: FileTree, choice: TemplateChoice = {}): Schema | undefined {
  let symbols: readonly ParameterSymbol[];
  try {
    const { config } = loadTemplatePack(files, choice);
    symbols = [...config.symbols.values()].filter((symbol) => symbol.type === "parameter");
  } catch {
    // The checks report the fault.
    return undefined;
  }
  return [schemaOf(symbols, textsOf), schemaOf(symbols, () => ({}))].find((schema) => !schemaProblem(schema));
}

function schemaOf(symbols: readonly ParameterSymbol[], texts: (symbol: ParameterSymbol) => Schema): Schema {
  const requiredNames = symbols.filter(isRequired).map(({ name }) => storableText(name));
  const properties = symbols.map((symbol) => [storableText(symbol.name), { ...texts(symbol), ...ruleOf(symbol) }]);
  return {
    $schema: schemaDialect,
    type: "object",
    properties: Object.fromEntries(properties),
    ...(requiredNames.length > 0 && { required: requiredNames }),
  };
}

/** The scaffold's name is never required, since the repository gives it a default. */
function isRequired(symbol: ParameterSymbol): boolean {
  return isAlwaysRequired(symbol) && symbol.name !== reservedName;
}

function textsOf({ displayName, description }: ParameterSymbol): Schema {
  return {
    ...(displayName?.trim() && { title: storableText(displayName) }),
    ...(description?.trim() && { description: storableText(description) }),
  };
}

/** A required parameter has no default, since the template uses its default for conditions only. */
function ruleOf(symbol: ParameterSymbol): Schema {
  if (symbol.name === reservedName) return { type: "string" };
  const standard = isRequired(symbol) ? undefined : defaultOf(symbol);
  return { ...typeOf(symbol), ...(standard !== undefined && { default: standard }) };
}

function typeOf(symbol: ParameterSymbol): Schema {
  switch (symbol.datatype) {
    case "bool":
      return { type: "boolean" };
    case "integer":
      return { type: "integer" };
    case "float":
      return { type: "number" };
    case "hex":
      return { type: "string", pattern: "^0[xX][0-9a-fA-F]{1,16}$" };
    case "choice": {
      const names = choicesOf(symbol);
      const item = { type: "string", ...(names.length > 0 && { enum: names }) };
      return symbol.allowMultipleValues ? { type: "array", items: item, uniqueItems: true } : item;
    }
    case "string":
      // without a datatype the value's text decides about its type
      return { type: symbol.infersType ? ["string", "number", "boolean"] : "string" };
  }
}

function defaultOf(symbol: ParameterSymbol): string | boolean | number | KeptNumber | readonly string[] | undefined {
  const { datatype, defaultValue } = symbol;
  if (defaultValue === null) return undefined;
  if (datatype === "string") return isStorable(defaultValue) ? defaultValue : undefined;
  const value = typedValue(symbol, defaultValue);
  if (value instanceof MultiValue) return value.values.every(isStorable) ? value.values : undefined;
  switch (typeof value) {
    case "bigint":
      return datatype === "hex" ? defaultValue : foreignNumber(String(value));
    case "string":
      return choicesOf(symbol).includes(value) ? value : undefined;
    case "number":
      return Number.isFinite(value) ? value : undefined;
    case "boolean":
      return value;
    default:
      return undefined;
  }
}

function choicesOf({ choices }: ParameterSymbol): string[] {
  return [...new Set(choices.map(({ choice }) => choice).filter(isStorable))];
}

const isStorable = (text: string) => storableText(text) === text;
