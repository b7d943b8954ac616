import type { ErrorCode } from "@factory/schema/error-codes";

/** One refused value of a request. `pointer` is an RFC 6901 JSON pointer into the body. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

export interface ErrorFacts {
  /** One sentence for the caller: what was expected, what came. */
  detail?: string;
  errors?: FieldError[];
  /** Further members of the problem body, e.g. `requiredScopes` or `paths`. */
  [member: string]: unknown;
}

/** An expected refusal. Everything else that is thrown is a bug and answers as INTERNAL. */
export class DomainError extends Error {
  override readonly name = "DomainError";

  constructor(
    readonly code: ErrorCode,
    readonly facts: ErrorFacts = {},
  ) {
    super(facts.detail ?? code);
  }
}
