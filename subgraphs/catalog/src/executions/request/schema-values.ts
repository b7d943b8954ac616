import { isJsonObject, type JsonObject, type JsonValue } from "@factory/template-engine/json-value";
import { convertText } from "@factory/template-engine/parameter-values";

/**
 * The parameters in the form that a derived schema names, for its check. A template reads more forms than its schema
 * lists: numbers and booleans as texts, and choices in any case or by a unique beginning.
 */
export function inSchemaForm(
  schema: unknown,
  parameters: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  if (!isJsonObject(properties)) return parameters;
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => {
      const rule = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!isJsonObject(rule)) return [[name, value]];
      // null stands for the option without a value, and the template supplies one
      return value === null ? [[name, rule["default"] ?? value]] : [[name, inForm(rule, value)]];
    }),
  );
}

function inForm(rule: JsonObject, value: unknown): unknown {
  switch (rule["type"]) {
    case "boolean":
      return converted("bool", value);
    case "integer":
      return converted("integer", value);
    case "number":
      return converted("float", value);
    case "array":
      return listOf(value).map((one) => (isJsonObject(rule["items"]) ? inForm(rule["items"], one) : one));
    case "string":
      return choiceOf(rule["enum"], asText(value));
    default:
      return value;
  }
}

function converted(datatype: "bool" | "integer" | "float", value: unknown): unknown {
  const read = typeof value === "string" ? convertText(datatype, value) : undefined;
  return read === undefined ? value : typeof read === "bigint" ? Number(read) : read;
}

const asText = (value: unknown) => (typeof value === "number" || typeof value === "boolean" ? String(value) : value);

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "string") return [value];
  const parts = value.split(/[|,]/).map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ""))];
}

function choiceOf(choices: JsonValue | undefined, value: unknown): unknown {
  if (!Array.isArray(choices) || typeof value !== "string") return value;
  const folded = value.toLowerCase();
  const names = (choices as JsonValue[]).filter((one) => typeof one === "string");
  const exact = names.find((name) => name.toLowerCase() === folded);
  const begun = names.filter((name) => name.toLowerCase().startsWith(folded));
  return exact ?? (begun.length === 1 ? begun[0] : value);
}
