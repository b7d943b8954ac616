import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ErrorCode } from "@factory/schema/error-codes";

const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "UPSTREAM_FAILED",
  "UPSTREAM_TIMEOUT",
  "UNAVAILABLE",
  "RATE_LIMITED",
  "SECRET_STORE_UNAVAILABLE",
]);

/** Whether the vendor, or the way to it, is only unable for the moment. */
export const isPassing = (error: unknown): boolean => error instanceof DomainError && passing.has(error.code);

/** An execution's error for a failure at its connection's vendor. `reason` has the cause's code. */
export function vendorFailure(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  const code = isPassing(error) ? "TARGET_UNAVAILABLE" : "TARGET_FORBIDDEN";
  return new DomainError(code, { detail: error.message, reason: error.code });
}
