import { DomainError } from "@factory/runtime/errors/domain-error";

export interface ClosedSetProblem {
  readonly pointer: string;
  readonly allowed: readonly string[];
}

/** Refuses values that are well formed but outside their closed set; every one of them is named. */
export function closedSetProblem(problems: readonly ClosedSetProblem[]): DomainError {
  return new DomainError("PARAMETERS_INVALID", {
    detail: "A value lies outside its closed set.",
    errors: problems.map(({ pointer, allowed }) => ({
      pointer,
      code: "UNKNOWN_VALUE",
      detail: `Must be one of ${allowed.join(", ")}.`,
    })),
  });
}
