import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";

/** The deprecation reasons of NuGet. */
export const DeprecationReason = { Legacy: "Legacy", CriticalBugs: "CriticalBugs", Other: "Other" } as const;
/** One of the deprecation reasons of NuGet. */
export type DeprecationReasonName = keyof typeof DeprecationReason;

const reasons = Object.values(DeprecationReason);
/** The error detail for an unknown reason. */
export const reasonDetail = `Must be one of ${reasons.join(", ")}.`;

/** The reason of this name; undefined where it is unknown. */
export function knownReason(asked: string): DeprecationReasonName | undefined {
  return reasons.find((reason) => reason === asked);
}

/** The reason of this name. Throws PARAMETERS_INVALID for an unknown one. */
export function requireReason(asked: string): DeprecationReasonName {
  const reason = knownReason(asked);
  if (reason) return reason;
  throw invalidEnumValue([{ pointer: "/input/reason", allowed: reasons }]);
}
