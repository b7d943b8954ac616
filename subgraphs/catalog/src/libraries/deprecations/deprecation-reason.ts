import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";

/** NuGet's deprecation reasons. */
export const DeprecationReason = { Legacy: "Legacy", CriticalBugs: "CriticalBugs", Other: "Other" } as const;
/** One of NuGet's deprecation reasons. */
export type DeprecationReasonName = keyof typeof DeprecationReason;

const reasons = Object.values(DeprecationReason);
/** The error detail for an unknown reason. */
export const reasonDetail = `Must be one of ${reasons.join(", ")}.`;

/** The reason with this name; undefined where it is unknown. */
export function knownReason(name: string): DeprecationReasonName | undefined {
  return reasons.find((reason) => reason === name);
}

/** The reason with this name. Throws PARAMETERS_INVALID for an unknown one. */
export function requireReason(name: string): DeprecationReasonName {
  const reason = knownReason(name);
  if (reason) return reason;
  throw invalidEnumValue([{ pointer: "/input/reason", allowed: reasons }]);
}
