import { databaseFailure, isDatabaseOutage } from "./database-failure.js";

/** System errors of a machine without room. Each is met by all work at the same time. */
const machineCodes = new Set(["EMFILE", "ENFILE", "EROFS", "EIO", "ENOSPC", "EDQUOT", "ENOMEM", "EAGAIN"]);

/**
 * The cause of an outage: a kind of database failure, or the code of a system error. Undefined for a failure of one
 * piece of work.
 */
export function outageCause(error: unknown): string | undefined {
  for (let cause = error as NodeJS.ErrnoException | undefined; cause; cause = cause.cause as typeof cause)
    if (cause.code !== undefined && machineCodes.has(cause.code)) return cause.code;
  return isDatabaseOutage(error) ? databaseFailure(error) : undefined;
}
