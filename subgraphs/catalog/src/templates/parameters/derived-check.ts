import { numberText, parseForeignJson, withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import { choiceNames, choiceParts } from "@factory/template-engine/choice-values";
import { isJsonObject, type JsonObject } from "@factory/template-engine/json-value";
import { requestText, typedValue, type ValueRules } from "@factory/template-engine/parameter-values";
import type { ParameterDatatype } from "@factory/template-engine/template-config";
import type { ParameterError } from "./parameter-error.js";
import { checkParameters, reservedName } from "./parameter-schema.js";

/** The schema and the parameters are JSON, since numbers lose their digits between processes. */
export interface DerivedOrder {
  readonly schemaJson: string;
  readonly parametersJson: string;
  readonly templateNames?: readonly string[] | undefined;
}

/**
 * Checks parameters by a schema that was derived from a template's symbols. The template reads more forms than its
 * schema lists, so the schema only explains what the template would refuse.
 */
export async function derivedErrors(order: DerivedOrder): Promise<ParameterError[]> {
  const { templateNames } = order;
  const schema = parseForeignJson(order.schemaJson) as JsonObject;
  const parameters = parseForeignJson(order.parametersJson) as JsonObject;
  const rest = unread(schema, parameters, new Set(templateNames));
  const result = await checkParameters(withPlainNumbers(rest.schema), withPlainNumbers(rest.parameters), {
    templateNames,
  });
  return result.valid ? [] : result.errors;
}

interface Unread {
  readonly schema: JsonObject;
  readonly parameters: JsonObject;
}

/** The schema and the parameters without those parameters that the template reads. */
export function unread(schema: JsonObject, parameters: JsonObject, templateNames: ReadonlySet<string>): Unread {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return { schema, parameters };
  const names = new Set(Array.isArray(required) ? required : []);
  const rules = new Map(Object.entries(properties));
  const rest: [string, unknown][] = [];
  for (const [name, value] of Object.entries(parameters)) {
    const rule = rules.get(name) ?? (templateNames.has(name) ? tag : undefined);
    if (name === reservedName || !isJsonObject(rule)) {
      rest.push([name, value]);
      continue;
    }
    const symbol = symbolOf(rule, names.has(name));
    if (isRead(symbol, value)) names.delete(name);
    else rest.push([name, refusedForm(symbol, value)]);
    // the template leaves out repeated choices itself
    if (rule["uniqueItems"] !== undefined) rules.set(name, { ...rule, uniqueItems: false });
  }
  return {
    schema: { ...schema, properties: Object.fromEntries(rules), required: [...names] } as JsonObject,
    parameters: Object.fromEntries(rest) as JsonObject,
  };
}

/** A template tag is a parameter that its schema does not list. */
const tag: JsonObject = { type: "string" };

/** The symbol that a rule was derived from, as far as a request's value depends on it. */
function symbolOf(rule: JsonObject, isRequired: boolean): ValueRules {
  const datatype = datatypeOf(rule);
  const { items = rule } = rule;
  const choices = isJsonObject(items) && Array.isArray(items["enum"]) ? items["enum"] : [];
  return {
    datatype,
    infersType: false,
    choices: choices.map((choice) => ({ choice: String(choice), displayName: null, description: null })),
    allowMultipleValues: rule["type"] === "array",
    defaultValue: defaultText(rule["default"]),
    defaultIfOptionWithoutValue: datatype === "bool" ? "true" : null,
    isRequired,
    replaces: null,
  };
}

function datatypeOf(rule: JsonObject): ParameterDatatype {
  switch (rule["type"]) {
    case "boolean":
      return "bool";
    case "integer":
      return "integer";
    case "number":
      return "float";
    case "array":
      return "choice";
    default:
      if (rule["enum"] !== undefined) return "choice";
      return rule["pattern"] === undefined ? "string" : "hex";
  }
}

function defaultText(standard: unknown): string | null {
  if (standard === undefined) return null;
  if (Array.isArray(standard)) return standard.join("|");
  return typeof standard === "string" ? standard : (numberText(standard) ?? JSON.stringify(standard));
}

function isRead(symbol: ValueRules, value: unknown): boolean {
  const text = requestText(symbol, value);
  return text !== undefined && typedValue(symbol, text) !== undefined;
}

/** A form of the value that the schema refuses as the template does. */
function refusedForm(symbol: ValueRules, value: unknown): unknown {
  const text = requestText(symbol, value);
  if (!symbol.allowMultipleValues) return text ?? value;
  if (Array.isArray(value)) return refusedParts(symbol, value);
  return text === undefined ? value : refusedParts(symbol, choiceParts(text));
}

/** More errors are not shown, and each costs a comparison with all choices. */
const maxRefused = 100;

/** Each list item as one choice, so that the refused ones keep their places. */
function refusedParts(symbol: ValueRules, items: readonly unknown[]): unknown[] {
  const names = choiceNames(symbol.choices);
  const choice = symbol.choices[0]?.choice;
  const forms: unknown[] = [];
  let refusals = 0;
  for (const item of items) {
    const text = requestText(symbol, item);
    const wrong = text === undefined ? item : choiceParts(text).find((part) => names.find(part) === undefined);
    forms.push(wrong ?? choice);
    if (wrong !== undefined) refusals += 1;
    if (refusals === maxRefused) break;
  }
  return forms;
}
