import type { ErrorCode } from "@factory/schema/error-codes";
import type { ProblemFacts } from "@factory/schema/problem-members";

/** One refused value in a request. `pointer` is an RFC 6901 JSON pointer into the body. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

/** The members in a problem body (RFC 9457) beside `code`, `title` and `status`. */
export interface ErrorFacts extends ProblemFacts {
  /** For the caller: what was wrong, what is allowed, what to do next. */
  detail?: string;
  errors?: FieldError[];
}

/**
 * An expected refusal with a code from the closed list. Any other thrown error is a defect and is answered as INTERNAL.
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
