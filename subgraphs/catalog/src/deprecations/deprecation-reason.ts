import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";

/** NuGet's list. */
export const DeprecationReason = { Legacy: "Legacy", CriticalBugs: "CriticalBugs", Other: "Other" } as const;
export type DeprecationReasonName = keyof typeof DeprecationReason;

const reasons = Object.values(DeprecationReason);
export const reasonDetail = `Must be one of ${reasons.join(", ")}.`;

export function knownReason(asked: string): DeprecationReasonName | undefined {
  return reasons.find((reason) => reason === asked);
}

/** The same for versions of templates and of libraries. */
export function requireReason(asked: string): DeprecationReasonName {
  const reason = knownReason(asked);
  if (reason) return reason;
  throw invalidEnumValue([{ pointer: "/input/reason", allowed: reasons }]);
}
