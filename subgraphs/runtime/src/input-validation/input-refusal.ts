import type { ErrorCode } from "@factory/schema/error-codes";
import { DomainError, type FieldError } from "../errors/domain-error.js";

/**
 * Refuses an input that does not fit its schema. Values that are well formed, but outside of their closed set, have this
 * code; anything else is VALIDATION_FAILED, and so is the order of a list.
 */
export function inputRefusal(errors: readonly FieldError[], code: ErrorCode = "PARAMETERS_INVALID"): DomainError {
  const isForm =
    code === "VALIDATION_FAILED" || errors.some((error) => error.code !== "UNKNOWN_VALUE" || error.pointer === "/sort");
  return !isForm
    ? new DomainError(code, {
        detail: "A value is not one of the allowed values. See errors for the values that are allowed.",
        errors: [...errors],
      })
    : new DomainError("VALIDATION_FAILED", {
        detail: "The request does not match its schema. See errors for each member.",
        errors: [...errors],
      });
}
