import { nearestNames } from "@factory/runtime/input-validation/nearest-names";
import type { JsonObject } from "@factory/template-engine/json-value";
import { type PatternTimeLimit, PatternTimeLimitExceeded } from "@factory/template-engine/pattern-time-limit";
import { nameIn } from "./json-pointer.js";
import { SchemaError } from "./offline-schema.js";
import type { ParameterError } from "./parameter-error.js";
import { everDefined, namePatterns } from "./schema-properties.js";

export const unknownName = "Neither the parameterSchema nor the template defines this name.";

/** Each refused name is compared with every known name, so only the first ones get a hint. */
const maxExplained = 20;
const maxListed = 5;

/** Parameter names without effect: neither the schema nor the template defines them. */
export function unknownNames(
  schema: JsonObject,
  parameters: Record<string, unknown>,
  { templateNames, timeLimit }: { templateNames: readonly string[]; timeLimit: PatternTimeLimit },
): string[] {
  const knownNames = new Set([...everDefined(schema).keys(), ...templateNames]);
  const unknown = Object.keys(parameters).filter((name) => !knownNames.has(name));
  if (unknown.length === 0) return [];
  const patterns = namePatterns(schema).map((pattern) => new RegExp(pattern, "u"));
  try {
    return timeLimit.run(() => unknown.filter((name) => !patterns.some((pattern) => pattern.test(name))));
  } catch (error) {
    if (!(error instanceof PatternTimeLimitExceeded)) throw error;
    throw new SchemaError("TooSlow", `The match of names with its patternProperties was ended: ${error.message}.`);
  }
}

const closingKeywords = new Set(["additionalProperties", "unevaluatedProperties"]);

/** Adds the most similar known names to each refused name's detail. */
export function withNearestNames(
  errors: readonly ParameterError[],
  schema: JsonObject,
  templateNames: readonly string[] = [],
): ParameterError[] {
  const schemaNames = [...everDefined(schema).keys()];
  let explanations = 0;
  return errors.map((error) => {
    const isName = closingKeywords.has(error.keyword) && error.pointer.lastIndexOf("/") === 0;
    if (!isName || explanations === maxExplained) return error;
    explanations += 1;
    const candidates = error.detail === unknownName ? [...schemaNames, ...templateNames] : schemaNames;
    return { ...error, detail: `${error.detail} ${hint(nameIn(error.pointer), candidates)}` };
  });
}

function hint(name: string, candidates: readonly string[]): string {
  const near = nearestNames(name, candidates);
  if (near.length > 0) return `Similar names: ${near.join(", ")}.`;
  const distinct = [...new Set(candidates)];
  const more = distinct.length > maxListed ? ` and ${distinct.length - maxListed} more` : "";
  return `Use one of these names: ${distinct.slice(0, maxListed).join(", ")}${more}.`;
}
