/**
 * Kinds of database failures that are handled differently. `Unconfirmed`: the connection was lost after COMMIT was
 * sent, so the transaction may have taken effect. `Refused`: the server answers and refuses the login. `Forgotten`: the
 * server does not know the connection's prepared statements, so the statement did not run.
 */
export type DatabaseFailure =
  | "Lost"
  | "Unconfirmed"
  | "Refused"
  | "Forgotten"
  | "Full"
  | "Crowded"
  | "ReadOnly"
  | "Exhausted"
  | "TimedOut"
  | "Locked"
  | "Conflict";

/** SQLSTATE values (PostgreSQL, "Appendix A. PostgreSQL Error Codes"); class 08 as a whole is `Lost`. */
const failureOfState: Readonly<Record<string, DatabaseFailure>> = {
  "57P01": "Lost",
  "57P02": "Lost",
  "57P03": "Lost",
  // the database was dropped
  "57P04": "Lost",
  "57P05": "Lost",
  "28000": "Refused",
  "28P01": "Refused",
  // the database does not exist
  "3D000": "Refused",
  "26000": "Forgotten",
  "42P05": "Forgotten",
  "53100": "Full",
  "53000": "Crowded",
  "53300": "Crowded",
  "25006": "ReadOnly",
  "53200": "Exhausted",
  "53400": "Exhausted",
  // input or output error on the server's disk
  "58030": "Exhausted",
  "57014": "TimedOut",
  "25P03": "TimedOut",
  "25P04": "TimedOut",
  "55P03": "Locked",
  "40001": "Conflict",
  "40P01": "Conflict",
};

/** Node's system error codes. */
const failureOfCode: Readonly<Record<string, DatabaseFailure>> = {
  ECONNREFUSED: "Lost",
  ECONNRESET: "Lost",
  EPIPE: "Lost",
  ETIMEDOUT: "Lost",
  EHOSTUNREACH: "Lost",
  ENETUNREACH: "Lost",
  EAI_AGAIN: "Lost",
};

/** The PostgreSQL part that refuses a prepared statement whose columns have changed since. */
const stalePlan = "RevalidateCachedQuery";

/** Driver messages that come without a code. */
const lostWords = /Connection terminated|not queryable|timeout exceeded when trying to connect|timeout expired/;
/** PostgreSQL has no SQLSTATE for a disk quota or a file size limit. */
const fullWords = /No space left on device|Disk quota exceeded|File too large/;

/** A database failure that the platform noticed itself, without an answer from the server. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";

  constructor(
    readonly databaseFailure: DatabaseFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The database failure in the error or its causes. Undefined for a defect and for a violated constraint. */
export function databaseFailure(error: unknown): DatabaseFailure | undefined {
  for (let cause = error; isErrorLike(cause); cause = cause.cause) {
    const failure = failureOf(cause);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** An `instanceof Error` would miss errors from another realm (worker threads, vm contexts). */
const isErrorLike = (error: unknown): error is Error =>
  typeof error === "object" && error !== null && "message" in error;

function failureOf(error: Error): DatabaseFailure | undefined {
  // the ORM wraps errors and copies their members
  const {
    databaseFailure: reportedFailure,
    code,
    syscall,
    routine,
  } = error as { databaseFailure?: DatabaseFailure; routine?: string } & NodeJS.ErrnoException;
  if (reportedFailure !== undefined) return reportedFailure;
  if (code === "0A000" && routine === stalePlan) return "Forgotten";
  if (code === "ENOENT") return syscall === "connect" ? "Lost" : undefined;
  if (code === undefined || code === "XX000") return failureOfWords(error.message);
  if (code.length === 5 && code.startsWith("08")) return "Lost";
  return failureOfState[code] ?? failureOfCode[code];
}

function failureOfWords(message: string): DatabaseFailure | undefined {
  if (lostWords.test(message)) return "Lost";
  return fullWords.test(message) ? "Full" : undefined;
}

/** Whether the database did not serve the request, so that the same request may succeed later. */
export const isDatabaseUnavailable = (error: unknown): boolean => databaseFailure(error) !== undefined;

const outages: readonly (DatabaseFailure | undefined)[] = [
  ...(["Lost", "Unconfirmed", "Refused", "Forgotten", "Full", "Crowded", "ReadOnly"] as const),
];

/** Whether the server is away, refuses the platform or has no room. Background work waits for it without a limit. */
export const isDatabaseOutage = (error: unknown): boolean => outages.includes(databaseFailure(error));

/**
 * Whether a statement was too much for a server that answers. Background work waits only while other statements fail
 * too.
 */
export const isDatabaseOverload = (error: unknown): boolean => isDatabaseUnavailable(error) && !isDatabaseOutage(error);

/** Whether the connection is lost. */
export function isConnectionLost(error: unknown): boolean {
  const failure = databaseFailure(error);
  return failure === "Lost" || failure === "Unconfirmed";
}

/** Whether the server answers and refuses the login. */
export const isLoginRefused = (error: unknown): boolean => databaseFailure(error) === "Refused";

/** Whether the server accepts no writes on this connection. */
export const isReadOnly = (error: unknown): boolean => databaseFailure(error) === "ReadOnly";

/** Whether the server does not know the connection's prepared statements, so that the statement did not run. */
export const isForgotten = (error: unknown): boolean => databaseFailure(error) === "Forgotten";

/** Whether writes fail until an operator changes the disk or the server, while reads may still work. */
export function isWriteOutage(error: unknown): boolean {
  const failure = databaseFailure(error);
  return failure === "Full" || failure === "ReadOnly";
}

/**
 * Whether it was a deadlock or serialization failure. The transaction may succeed when it runs again from its
 * beginning.
 */
export const isConflict = (error: unknown): boolean => databaseFailure(error) === "Conflict";

/** Whether the statement was ended because it took longer than its connection allows. */
export const isStatementTimeout = (error: unknown): boolean => databaseFailure(error) === "TimedOut";

/** Whether a foreign key was violated: the parent row was deleted meanwhile. A second run finds that out. */
export function isParentGone(error: unknown): boolean {
  for (let cause = error; isErrorLike(cause); cause = cause.cause) if (systemErrorCode(cause) === "23503") return true;
  return false;
}

/** The violated unique constraint's name; undefined for any other error. */
export function violatedUnique(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, constraint } = cause as { code?: unknown; constraint?: unknown };
    if (code === "23505") return typeof constraint === "string" ? constraint : "";
  }
  return undefined;
}

import { systemErrorCode } from "./system-error.js";
