import type { JsonObject } from "@factory/template-engine/json-value";
import { type PatternTimeLimit, PatternTimeLimitExceeded } from "@factory/template-engine/pattern-time-limit";
import { nameIn } from "./json-pointer.js";
import { nearestNames } from "./nearest-names.js";
import { SchemaError } from "./offline-schema.js";
import type { ParameterError } from "./parameter-error.js";
import { everDefined, namePatterns } from "./schema-properties.js";

export const unknownName = "Neither the parameterSchema nor the template knows this name.";

/** A reader looks at the first ones; each is compared with every name that is known. */
const maxExplained = 20;
const maxListed = 5;

/** Parameters that would change nothing: no property or pattern of the schema names them, and no parameter of the template. */
export function unknownNames(
  schema: JsonObject,
  parameters: Record<string, unknown>,
  { templateNames, timeLimit }: { templateNames: readonly string[]; timeLimit: PatternTimeLimit },
): string[] {
  const known = new Set([...everDefined(schema).keys(), ...templateNames]);
  const strangers = Object.keys(parameters).filter((name) => !known.has(name));
  if (strangers.length === 0) return [];
  const patterns = namePatterns(schema).map((pattern) => new RegExp(pattern, "u"));
  try {
    return timeLimit.run(() => strangers.filter((name) => !patterns.some((pattern) => pattern.test(name))));
  } catch (error) {
    if (!(error instanceof PatternTimeLimitExceeded)) throw error;
    throw new SchemaError("TooSlow", `Matching the names by its patternProperties was ended: ${error.message}.`);
  }
}

const closingKeywords = new Set(["additionalProperties", "unevaluatedProperties"]);

/** Says which names a refused one may have been meant as. */
export function withNearestNames(
  errors: readonly ParameterError[],
  schema: JsonObject,
  templateNames: readonly string[] = [],
): ParameterError[] {
  const offered = [...everDefined(schema).keys()];
  let explained = 0;
  return errors.map((error) => {
    const isName = closingKeywords.has(error.keyword) && error.pointer.lastIndexOf("/") === 0;
    if (!isName || explained === maxExplained) return error;
    explained += 1;
    const known = error.detail === unknownName ? [...offered, ...templateNames] : offered;
    return { ...error, detail: `${error.detail} ${hint(nameIn(error.pointer), known)}` };
  });
}

function hint(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  if (near.length > 0) return `The nearest: ${near.join(", ")}.`;
  const listed = [...new Set(known)];
  const more = listed.length > maxListed ? ` and ${listed.length - maxListed} more` : "";
  return `None is near it; known are ${listed.slice(0, maxListed).join(", ")}${more}.`;
}
