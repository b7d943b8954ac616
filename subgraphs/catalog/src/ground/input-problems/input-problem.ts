import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import type { ErrorCode } from "@factory/schema/error-codes";

/** The error for one wrong member in a request. Its detail is also the detail of the whole error. */
export function inputProblem(code: ErrorCode, error: FieldError): DomainError {
  return new DomainError(code, { detail: error.detail, errors: [error] });
}
