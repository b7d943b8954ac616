import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { type DeprecationReason, deprecationReasons } from "@factory/schema/vocabularies/libraries";
import { isValueOf, valuesOf } from "@factory/schema/vocabularies/vocabulary";

const reasons = valuesOf(deprecationReasons);
/** The error detail for an unknown reason. */
export const reasonDetail = `Must be one of ${reasons.join(", ")}.`;

/** The reason with this name; undefined where it is unknown. */
export const knownReason = (name: string): DeprecationReason | undefined =>
  isValueOf(deprecationReasons, name) ? name : undefined;

/** The reason with this name. Throws PARAMETERS_INVALID for an unknown one. */
export function requireReason(name: string): DeprecationReason {
  const reason = knownReason(name);
  if (reason) return reason;
  throw invalidEnumValue([{ pointer: "/input/reason", allowed: reasons }]);
}
