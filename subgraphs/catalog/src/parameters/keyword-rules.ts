// biome-ignore-all format: one row per keyword, aligned
import { isJsonObject, type JsonValue } from "@factory/template-engine/json-value";

export type ParameterErrorCode =
  | "REQUIRED" | "TYPE" | "FORMAT" | "TOO_LONG" | "TOO_SHORT" | "OUT_OF_RANGE" | "UNKNOWN_VALUE" | "DUPLICATE";

interface KeywordRule {
  code: ParameterErrorCode;
  /** `rule` is the keyword's value in the schema, undefined where it is not at hand. */
  detail(rule: JsonValue | undefined): string;
}

/** The library reports keywords, not sentences. */
const rules: Record<string, KeywordRule> = {
  additionalProperties:  { code: "UNKNOWN_VALUE", detail: () => "The schema does not know this name." },
  anyOf:                 { code: "FORMAT",        detail: () => "The value fits none of the allowed forms." },
  const:                 { code: "UNKNOWN_VALUE", detail: (rule) => `The value is not ${shown(rule)}.` },
  contains:              { code: "FORMAT",        detail: () => "The list does not hold what it has to hold." },
  dependentRequired:     { code: "REQUIRED",      detail: () => "Another parameter asks for one that is missing." },
  enum:                  { code: "UNKNOWN_VALUE", detail: (rule) => `The value is none of ${shownList(rule)}.` },
  exclusiveMaximum:      { code: "OUT_OF_RANGE",  detail: (rule) => `The value is not below ${shown(rule)}.` },
  exclusiveMinimum:      { code: "OUT_OF_RANGE",  detail: (rule) => `The value is not above ${shown(rule)}.` },
  format:                { code: "FORMAT",        detail: (rule) => `The value is not of the format ${shown(rule)}.` },
  maxContains:           { code: "TOO_LONG",      detail: (rule) => `More than ${shown(rule)} items match.` },
  maximum:               { code: "OUT_OF_RANGE",  detail: (rule) => `The value is above ${shown(rule)}.` },
  maxItems:              { code: "TOO_LONG",      detail: (rule) => `The list has more than ${shown(rule)} items.` },
  maxLength:             { code: "TOO_LONG",      detail: (rule) => `The text is longer than ${shown(rule)} characters.` },
  maxProperties:         { code: "TOO_LONG",      detail: (rule) => `The object has more than ${shown(rule)} members.` },
  minContains:           { code: "TOO_SHORT",     detail: (rule) => `Fewer than ${shown(rule)} items match.` },
  minimum:               { code: "OUT_OF_RANGE",  detail: (rule) => `The value is below ${shown(rule)}.` },
  minItems:              { code: "TOO_SHORT",     detail: (rule) => `The list has fewer than ${shown(rule)} items.` },
  minLength:             { code: "TOO_SHORT",     detail: (rule) => `The text is shorter than ${shown(rule)} characters.` },
  minProperties:         { code: "TOO_SHORT",     detail: (rule) => `The object has fewer than ${shown(rule)} members.` },
  multipleOf:            { code: "OUT_OF_RANGE",  detail: (rule) => `The value is no multiple of ${shown(rule)}.` },
  not:                   { code: "FORMAT",        detail: () => "The value has the form that is excluded." },
  oneOf:                 { code: "FORMAT",        detail: () => "The value does not fit exactly one of the allowed forms." },
  pattern:               { code: "FORMAT",        detail: (rule) => `The text does not match the pattern ${shown(rule)}.` },
  propertyNames:         { code: "UNKNOWN_VALUE", detail: () => "The name is not allowed." },
  required:              { code: "REQUIRED",      detail: () => "The value is missing." },
  type:                  { code: "TYPE",          detail: (rule) => `The value is not of the type ${shownList(rule)}.` },
  unevaluatedItems:      { code: "UNKNOWN_VALUE", detail: () => "The list holds more than the schema describes." },
  unevaluatedProperties: { code: "UNKNOWN_VALUE", detail: () => "The schema does not know this name." },
  uniqueItems:           { code: "DUPLICATE",     detail: () => "The list holds a value twice." },
  validate:              { code: "UNKNOWN_VALUE", detail: () => "The schema allows no value here." },
};

export function describeFailure(keyword: string, rule: JsonValue | undefined): { code: ParameterErrorCode; detail: string } {
  const known = rules[keyword];
  if (!known) return { code: "FORMAT", detail: "The value does not satisfy the schema." };
  return { code: namesChoices(keyword, rule) ? "UNKNOWN_VALUE" : known.code, detail: known.detail(rule) };
}

/** A list of constants is the other way to write an enum. */
function namesChoices(keyword: string, rule: JsonValue | undefined): boolean {
  if (keyword !== "oneOf" && keyword !== "anyOf") return false;
  return Array.isArray(rule) && rule.every((branch) => isJsonObject(branch) && "const" in branch);
}

function shownList(rule: JsonValue | undefined): string {
  if (!Array.isArray(rule)) return shown(rule);
  const listed = rule.slice(0, 20).map((item) => shown(item as JsonValue));
  return rule.length > 20 ? `${listed.join(", ")} and ${rule.length - 20} more` : listed.join(", ");
}

function shown(rule: JsonValue | undefined): string {
  if (rule === undefined) return "the allowed value";
  const text = typeof rule === "string" ? rule : JSON.stringify(rule);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
