import { errorCodes } from "@factory/schema/error-codes";
import { isDatabaseUnavailable } from "../db/database-failure.js";
import { DomainError } from "./domain-error.js";

/** Something does not answer for now: the same work may succeed later, unchanged. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError ? errorCodes[error.code].status === 503 : isDatabaseUnavailable(error);
}
