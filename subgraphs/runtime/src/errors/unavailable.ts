import { errorCodes } from "@factory/schema/error-codes";
import { type DatabaseFailure, databaseFailure, isDatabaseOutage } from "./database-failure.js";
import { DomainError } from "./domain-error.js";

/** Something does not answer for now: the same work may succeed later, unchanged. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError ? errorCodes[error.code].status === 503 : isDatabaseOutage(error);
}

const details: Readonly<Record<DatabaseFailure, string>> = {
  Lost: "The database does not answer.",
  Unconfirmed:
    "The database was lost during the commit, so the outcome is unknown. Only a repeat with the same Idempotency-Key is safe.",
  Full: "The disk is full: nothing can be written for now.",
  Crowded: "The database has no free connection.",
  ReadOnly: "The database accepts no writes for now.",
  Exhausted: "The database has too little memory for this now.",
  TimedOut: "The database took too long.",
  Locked: "Another transaction holds what this one needs.",
  Conflict: "Other transactions change the same rows.",
};

/** What the caller is told when the database could not serve it; undefined: the database is not the reason. */
export function databaseRefusal(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return undefined;
  const failure = databaseFailure(error);
  return failure && new DomainError("UNAVAILABLE", { detail: details[failure], retryAfterSeconds: 1 });
}
