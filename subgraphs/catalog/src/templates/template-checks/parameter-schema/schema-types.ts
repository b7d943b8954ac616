import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "@factory/template-engine/json-value";

/** The JSON types that a subschema allows; undefined when it allows any. */
export function schemaTypes(rule: JsonObject): string[] | undefined {
  const { type } = rule;
  if (typeof type === "string") return [type];
  return isJsonArray(type) ? type.filter((name): name is string => typeof name === "string") : undefined;
}

/** The values that a subschema lists by `enum`, by `const`, or by a choice of constants; undefined without a list. */
export function listedValues(rule: JsonObject): readonly JsonValue[] | undefined {
  if (isJsonArray(rule["enum"])) return rule["enum"];
  if (rule["const"] !== undefined) return [rule["const"]];
  for (const keyword of ["oneOf", "anyOf"]) {
    const branches = rule[keyword];
    if (!isJsonArray(branches)) continue;
    const constants = branches.map((branch) => (isJsonObject(branch) ? branch["const"] : undefined));
    if (constants.length > 0 && constants.every((constant) => constant !== undefined)) return constants;
  }
  return undefined;
}
