const unavailableStates = new Set(["57P01", "57P02", "57P03", "53300", "08000", "08001", "08003", "08006", "25P03"]);
const networkCodes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT"]);

/** The server is stopping, starting, full or gone: the caller may try again. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, syscall } = cause as { code?: unknown; syscall?: unknown };
    if (typeof code === "string" && (unavailableStates.has(code) || networkCodes.has(code))) return true;
    if (code === "ENOENT" && syscall === "connect") return true;
    if (/Connection terminated|not queryable|timeout exceeded when trying to connect/.test(cause.message)) return true;
  }
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

/** The statement was ended because it took longer than its connection allows. */
export function isStatementTimeout(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ((cause as { code?: unknown }).code === "57014") return true;
  }
  return false;
}
