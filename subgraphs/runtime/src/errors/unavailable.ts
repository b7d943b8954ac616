import { errorCodes } from "@factory/schema/error-codes";
import { type DatabaseFailure, databaseFailure, isDatabaseOutage } from "./database-failure.js";
import { DomainError } from "./domain-error.js";

/**
 * Whether something did not answer, so that the same work may succeed later: a code with status 503, or a database
 * outage.
 */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError ? errorCodes[error.code].status === 503 : isDatabaseOutage(error);
}

const details: Readonly<Record<DatabaseFailure, string>> = {
  Lost: "The database does not answer. Try again later.",
  Unconfirmed:
    "The connection to the database was lost during the commit, so the outcome is unknown. Only a repeat with the same Idempotency-Key is safe.",
  Full: "The disk of the database is full, so nothing can be written now. Try again later.",
  Crowded: "The database has no free connection. Try again in a moment.",
  ReadOnly: "The database accepts no writes now. Try again later.",
  Exhausted: "The database has too little memory for this request now. Try again later.",
  TimedOut: "The database took too long for this request. Try again later.",
  Locked: "Another request holds a lock that this one needs. Try again in a moment.",
  Conflict: "Other requests change the same rows. Try again in a moment.",
};

/** The refusal UNAVAILABLE for a database failure; undefined when the database is not the reason of the error. */
export function databaseRefusal(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return undefined;
  const failure = databaseFailure(error);
  return failure && new DomainError("UNAVAILABLE", { detail: details[failure], retryAfterSeconds: 1 });
}
