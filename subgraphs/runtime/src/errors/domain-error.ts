import type { ErrorCode } from "@factory/schema/error-codes";

/** One refused value of a request. `pointer` is an RFC 6901 JSON pointer into the body. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

/** The members of a problem body (RFC 9457) beside `code`, `title` and `status`. */
export interface ErrorFacts {
  /** For the caller: what was wrong, what is allowed, what to do next. */
  detail?: string;
  errors?: FieldError[];
  /** Further members of the problem body, e.g. `requiredScopes` or `paths`. */
  [member: string]: unknown;
}

/**
 * An expected refusal with a code of the closed list. Any other thrown error is a defect and is answered as INTERNAL.
 */
export class DomainError extends Error {
  override readonly name = "DomainError";

  constructor(
    readonly code: ErrorCode,
    readonly facts: ErrorFacts = {},
  ) {
    super(facts.detail ?? code);
  }
}
