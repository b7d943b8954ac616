import { errorCodes } from "@factory/schema/error-codes";
import { type DatabaseFailure, databaseFailure, isDatabaseOutage, isDatabaseUnavailable } from "./database-failure.js";
import { DomainError } from "./domain-error.js";
import { type FileFailure, fileFailure, isFileOutage } from "./file-failure.js";

/** Whether the platform's database or files are away. Background work waits for them without a limit. */
export const isOutage = (error: unknown): boolean => isDatabaseOutage(error) || isFileOutage(error);

/** Whether database or files did not serve the request, so that the same request may succeed later. */
export const isTemporary = (error: unknown): boolean => isDatabaseUnavailable(error) || isFileOutage(error);

/** Whether something did not answer, so that the same work may succeed later: a code with status 503, or an outage. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError ? errorCodes[error.code].status === 503 : isOutage(error);
}

const details: Readonly<Record<DatabaseFailure, string>> = {
  Lost: "The database does not answer. Try again later.",
  Unconfirmed:
    "The connection to the database was lost during the commit, so the outcome is unknown. Only a repeat with the same Idempotency-Key is safe.",
  Refused: "The database refuses the login of the platform. Try again later.",
  Forgotten: "The connection to the database was replaced. Try again in a moment.",
  Full: "The disk of the database is full, so nothing can be written now. Try again later.",
  Crowded: "The database has no free connection. Try again in a moment.",
  ReadOnly: "The database accepts no writes now. Try again later.",
  Exhausted: "The database has too little memory for this request now. Try again later.",
  TimedOut: "The database took too long for this request. Try again later.",
  Locked: "Another request holds a lock that this one needs. Try again in a moment.",
  Conflict: "Other requests change the same rows. Try again in a moment.",
};

/** The refusal UNAVAILABLE for a database failure; undefined when the database is not the error's reason. */
export function databaseRefusal(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return undefined;
  const failure = databaseFailure(error);
  return failure && new DomainError("UNAVAILABLE", { detail: details[failure], retryAfterSeconds: 1 });
}

const fileDetails: Readonly<Record<FileFailure, string>> = {
  Full: "The platform has no room for files now. Try again later.",
  ReadOnly: "The platform can write no files now. Try again later.",
  Broken: "The platform cannot use its files now. Try again later.",
  NoDescriptors: "The platform has too many open files and connections now. Try again later.",
};

/** An operator frees a disk, which takes longer than a moment. */
const fileRetrySeconds = 5;

/** The refusal UNAVAILABLE for a database or file failure; undefined for any other error. */
export function outageRefusal(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return undefined;
  const failure = fileFailure(error);
  if (failure === undefined) return databaseRefusal(error);
  return new DomainError("UNAVAILABLE", { detail: fileDetails[failure], retryAfterSeconds: fileRetrySeconds });
}
