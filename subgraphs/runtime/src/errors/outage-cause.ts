import { databaseFailure, isDatabaseOutage } from "./database-failure.js";

/** System errors on a machine without room. Each is met by all work at the same time. */
const machineCodes = new Set(["EMFILE", "ENFILE", "EROFS", "EIO", "ENOSPC", "EDQUOT", "ENOMEM", "EAGAIN"]);

/**
 * An outage's cause: the kind of database failure, or a system error code. Undefined when one piece of work failed
 * alone.
 */
export function outageCause(error: unknown): string | undefined {
  for (let cause = error as NodeJS.ErrnoException | undefined; cause; cause = cause.cause as typeof cause)
    if (cause.code !== undefined && machineCodes.has(cause.code)) return cause.code;
  return isDatabaseOutage(error) ? databaseFailure(error) : undefined;
}
