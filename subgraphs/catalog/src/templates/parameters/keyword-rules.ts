// biome-ignore-all format: one row per keyword, aligned
import { isJsonObject, type JsonValue } from "@factory/template-engine/json-value";

export type ParameterErrorCode =
  | "REQUIRED" | "TYPE" | "FORMAT" | "TOO_LONG" | "TOO_SHORT" | "OUT_OF_RANGE" | "UNKNOWN_VALUE" | "DUPLICATE";

interface KeywordRule {
  code: ParameterErrorCode;
  /** `rule` is the keyword's value in the schema; undefined when it is unknown. */
  detail(rule: JsonValue | undefined): string;
}

/** An error code and a sentence for each keyword that the validator reports. */
const rules: Record<string, KeywordRule> = {
  additionalProperties:  { code: "UNKNOWN_VALUE", detail: () => "The schema does not define this name." },
  anyOf:                 { code: "FORMAT",        detail: () => "The value does not match any of the allowed schemas." },
  const:                 { code: "UNKNOWN_VALUE", detail: (rule) => `The value must be ${shown(rule)}.` },
  contains:              { code: "FORMAT",        detail: () => "The list does not contain the required item." },
  dependentRequired:     { code: "REQUIRED",      detail: () => "A parameter is missing that another parameter requires." },
  enum:                  { code: "UNKNOWN_VALUE", detail: (rule) => `The value must be one of ${shownList(rule)}.` },
  exclusiveMaximum:      { code: "OUT_OF_RANGE",  detail: (rule) => `The value must be less than ${shown(rule)}.` },
  exclusiveMinimum:      { code: "OUT_OF_RANGE",  detail: (rule) => `The value must be greater than ${shown(rule)}.` },
  format:                { code: "FORMAT",        detail: (rule) => `The value does not have the format ${shown(rule)}.` },
  maxContains:           { code: "TOO_LONG",      detail: (rule) => `At most ${shown(rule)} items of the list may match.` },
  maximum:               { code: "OUT_OF_RANGE",  detail: (rule) => `The value must be at most ${shown(rule)}.` },
  maxItems:              { code: "TOO_LONG",      detail: (rule) => `The list may have at most ${shown(rule)} items.` },
  maxLength:             { code: "TOO_LONG",      detail: (rule) => `The text may have at most ${shown(rule)} characters.` },
  maxProperties:         { code: "TOO_LONG",      detail: (rule) => `The object may have at most ${shown(rule)} members.` },
  minContains:           { code: "TOO_SHORT",     detail: (rule) => `At least ${shown(rule)} items of the list must match.` },
  minimum:               { code: "OUT_OF_RANGE",  detail: (rule) => `The value must be at least ${shown(rule)}.` },
  minItems:              { code: "TOO_SHORT",     detail: (rule) => `The list must have at least ${shown(rule)} items.` },
  minLength:             { code: "TOO_SHORT",     detail: (rule) => `The text must have at least ${shown(rule)} characters.` },
  minProperties:         { code: "TOO_SHORT",     detail: (rule) => `The object must have at least ${shown(rule)} members.` },
  multipleOf:            { code: "OUT_OF_RANGE",  detail: (rule) => `The value must be a multiple of ${shown(rule)}.` },
  not:                   { code: "FORMAT",        detail: () => "The value matches a schema that is not allowed." },
  oneOf:                 { code: "FORMAT",        detail: () => "The value must match exactly one of the allowed schemas." },
  pattern:               { code: "FORMAT",        detail: (rule) => `The text does not match the pattern ${shown(rule)}.` },
  propertyNames:         { code: "UNKNOWN_VALUE", detail: () => "The schema does not allow this name." },
  required:              { code: "REQUIRED",      detail: () => "The value is missing." },
  type:                  { code: "TYPE",          detail: (rule) => `The value must have the type ${shownList(rule)}.` },
  unevaluatedItems:      { code: "UNKNOWN_VALUE", detail: () => "The list has more items than the schema describes." },
  unevaluatedProperties: { code: "UNKNOWN_VALUE", detail: () => "The schema does not define this name." },
  uniqueItems:           { code: "DUPLICATE",     detail: () => "The list contains the same value twice." },
  validate:              { code: "UNKNOWN_VALUE", detail: () => "The schema allows no value here." },
};

/** The code and the sentence for a keyword that a value does not satisfy. */
export function describeFailure(keyword: string, rule: JsonValue | undefined): { code: ParameterErrorCode; detail: string } {
  const description = rules[keyword];
  if (!description) return { code: "FORMAT", detail: "The value does not match the schema." };
  return { code: namesChoices(keyword, rule) ? "UNKNOWN_VALUE" : description.code, detail: description.detail(rule) };
}

/** Whether the keyword is an enum that is written as a choice of constants. */
function namesChoices(keyword: string, rule: JsonValue | undefined): boolean {
  if (keyword !== "oneOf" && keyword !== "anyOf") return false;
  return Array.isArray(rule) && rule.every((branch) => isJsonObject(branch) && "const" in branch);
}

function shownList(rule: JsonValue | undefined): string {
  if (!Array.isArray(rule)) return shown(rule);
  const items = rule.slice(0, 20).map((item) => shown(item as JsonValue));
  return rule.length > 20 ? `${items.join(", ")} and ${rule.length - 20} more` : items.join(", ");
}

function shown(rule: JsonValue | undefined): string {
  if (rule === undefined) return "the allowed value";
  const text = typeof rule === "string" ? rule : JSON.stringify(rule);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
