/**
 * What failed at PostgreSQL or on the way to it, as far as it decides what happens next. `Unconfirmed`: the connection
 * was lost after COMMIT was sent, so the transaction may have taken effect.
 */
export type DatabaseFailure =
  | "Lost"
  | "Unconfirmed"
  | "Full"
  | "Crowded"
  | "ReadOnly"
  | "Exhausted"
  | "TimedOut"
  | "Locked"
  | "Conflict";

/** SQLSTATE values (PostgreSQL, "Appendix A. PostgreSQL Error Codes"); those of class 08 are all `Lost`. */
const failureOfState: Readonly<Record<string, DatabaseFailure>> = {
  "57P01": "Lost",
  "57P02": "Lost",
  "57P03": "Lost",
  "57P05": "Lost",
  "53100": "Full",
  "53000": "Crowded",
  "53300": "Crowded",
  "25006": "ReadOnly",
  "53200": "Exhausted",
  "53400": "Exhausted",
  // input/output error of the server's disk
  "58030": "Exhausted",
  "57014": "TimedOut",
  "25P03": "TimedOut",
  "25P04": "TimedOut",
  "55P03": "Locked",
  "40001": "Conflict",
  "40P01": "Conflict",
};

/** Codes of Node's system errors. */
const failureOfCode: Readonly<Record<string, DatabaseFailure>> = {
  ECONNREFUSED: "Lost",
  ECONNRESET: "Lost",
  EPIPE: "Lost",
  ETIMEDOUT: "Lost",
  EHOSTUNREACH: "Lost",
  ENETUNREACH: "Lost",
  EAI_AGAIN: "Lost",
  ENOSPC: "Full",
  EDQUOT: "Full",
};

/** What the driver says without any code. */
const lostWords = /Connection terminated|not queryable|timeout exceeded when trying to connect|timeout expired/;
/** A quota or a file size limit has no SQLSTATE of its own. */
const fullWords = /No space left on device|Disk quota exceeded|File too large/;

/** A failure that the platform itself has noticed, before or without an answer of the server. */
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

/** Of the error or of what caused it; undefined for a bug and for what a constraint refuses. */
export function databaseFailure(error: unknown): DatabaseFailure | undefined {
  for (let cause = error; isErrorLike(cause); cause = cause.cause) {
    const found = failureOf(cause);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whatever realm its class is of. */
const isErrorLike = (error: unknown): error is Error =>
  typeof error === "object" && error !== null && "message" in error;

function failureOf(error: Error): DatabaseFailure | undefined {
  // the ORM wraps errors and copies their members
  const {
    databaseFailure: told,
    code,
    syscall,
  } = error as { databaseFailure?: DatabaseFailure } & NodeJS.ErrnoException;
  if (told !== undefined) return told;
  if (code === "ENOENT") return syscall === "connect" ? "Lost" : undefined;
  if (code === undefined || code === "XX000") return failureOfWords(error.message);
  if (code.length === 5 && code.startsWith("08")) return "Lost";
  return failureOfState[code] ?? failureOfCode[code];
}

function failureOfWords(message: string): DatabaseFailure | undefined {
  if (lostWords.test(message)) return "Lost";
  return fullWords.test(message) ? "Full" : undefined;
}

/** The request was not served and may succeed later, unchanged. */
export const isDatabaseUnavailable = (error: unknown): boolean => databaseFailure(error) !== undefined;

const outages: readonly (DatabaseFailure | undefined)[] = ["Lost", "Unconfirmed", "Full", "Crowded", "ReadOnly"];

/** Nothing can be done before the server is back or has room: background work waits as long as that takes. */
export const isDatabaseOutage = (error: unknown): boolean => outages.includes(databaseFailure(error));

/** A statement was too much for a server that answers: background work waits only while other statements fail too. */
export const isDatabaseOverload = (error: unknown): boolean => isDatabaseUnavailable(error) && !isDatabaseOutage(error);

/** Nothing more can be asked over this connection. */
export function isConnectionLost(error: unknown): boolean {
  const failure = databaseFailure(error);
  return failure === "Lost" || failure === "Unconfirmed";
}

/** Writes fail until the disk or the server is changed; reads may still be served. */
export function isWriteOutage(error: unknown): boolean {
  const failure = databaseFailure(error);
  return failure === "Full" || failure === "ReadOnly";
}

/** Deadlock or serialization failure: the same transaction, run again from its beginning, may succeed at once. */
export const isConflict = (error: unknown): boolean => databaseFailure(error) === "Conflict";

/** The statement was ended because it took longer than its connection allows. */
export const isStatementTimeout = (error: unknown): boolean => databaseFailure(error) === "TimedOut";

/** A row that this one names was deleted meanwhile: the same transaction, run again, finds that out and says so. */
export function isParentGone(error: unknown): boolean {
  for (let cause = error; isErrorLike(cause); cause = cause.cause)
    if ((cause as NodeJS.ErrnoException).code === "23503") return true;
  return false;
}

/** Name of the violated unique constraint, if that is what went wrong. */
export function violatedUnique(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, constraint } = cause as { code?: unknown; constraint?: unknown };
    if (code === "23505") return typeof constraint === "string" ? constraint : "";
  }
  return undefined;
}
