import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { pointerToken } from "@factory/runtime/errors/json-pointer";
import { nearestNames } from "@factory/runtime/input-validation/nearest-names";

/** Each refused name is compared with every known one, so only the first ones are reported. */
const maxReported = 20;
const maxShownLength = 100;

/** The query parameters that a list does not have, with the nearest name that it has. A name counts as it is written. */
export function unknownParameters(query: object, knownNames: readonly string[]): FieldError[] {
  const names = new Set(knownNames);
  const unknown = Object.keys(query).filter((name) => !names.has(name));
  return unknown.slice(0, maxReported).map((name) => ({
    pointer: `/${pointerToken(name.slice(0, maxShownLength))}`,
    code: "UNKNOWN_VALUE",
    detail: `The list has no such query parameter. ${hint(name, knownNames)}`,
  }));
}

/** Throws VALIDATION_FAILED when a list's query has a parameter that the list does not have. */
export function requireKnownParameters(query: unknown, knownNames: readonly string[]): void {
  const errors = unknownParameters(query as object, knownNames);
  if (errors.length === 0) return;
  throw new DomainError("VALIDATION_FAILED", {
    detail: "The list does not have all of these query parameters. See errors for each of them.",
    errors,
  });
}

function hint(name: string, knownNames: readonly string[]): string {
  const [nearest] = nearestNames(name, knownNames);
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  return knownNames.length === 0 ? "It has none." : `It has ${knownNames.join(", ")}.`;
}
