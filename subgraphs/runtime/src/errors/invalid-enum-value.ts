import type { ErrorCode } from "@factory/schema/error-codes";
import { DomainError } from "./domain-error.js";

/** A value that is well formed but that its member does not allow. */
export interface InvalidEnumValue {
  /** RFC 6901 JSON pointer to the value. */
  readonly pointer: string;
  readonly allowed: readonly string[];
}

/** Refuses values outside their closed set, with one entry in `errors` for each value. */
export function invalidEnumValue(
  values: readonly InvalidEnumValue[],
  code: ErrorCode = "PARAMETERS_INVALID",
): DomainError {
  return new DomainError(code, {
    detail: "A value is not one of the allowed values. See errors for the values that are allowed.",
    errors: values.map(({ pointer, allowed }) => ({
      pointer,
      code: "UNKNOWN_VALUE",
      detail: `Must be one of ${allowed.join(", ")}.`,
    })),
  });
}
