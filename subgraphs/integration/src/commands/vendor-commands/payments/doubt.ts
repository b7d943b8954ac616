import { DomainError } from "@factory/runtime/errors/domain-error";
import { wasUnsent } from "../../../connections/vendor-calls/exchange/call-failure.js";
import { isRetryable } from "../../../runs/run-operations.js";

/** Whether the vendor has done nothing for certain, so that the command was not begun. */
export const didNothing = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === "RATE_LIMITED" || error.code === "UNAVAILABLE" || wasUnsent(error));

/**
 * The status with which a vendor refuses the payment itself (payment required). A repeated request gets the same answer
 * again.
 */
const paymentRefused = 402;
const clear: ReadonlySet<string> = new Set(["OUTCOME_UNKNOWN", "RUN_TOO_LONG"]);

/**
 * The error for a command that an earlier attempt may have carried out already: the present attempt's refusal, for
 * example since the connection was suspended meanwhile, does not tell that nothing was done.
 */
export function withDoubt(error: unknown): unknown {
  if (!(error instanceof DomainError) || isRetryable(error) || clear.has(error.code)) return error;
  const { vendorStatus } = error.facts;
  const isOfVendor = error.code === "VENDOR_REFUSED" && (vendorStatus === undefined || vendorStatus === paymentRefused);
  if (isOfVendor) return error;
  const detail = `${error.message} An earlier attempt may have carried out the command.`;
  return new DomainError("OUTCOME_UNKNOWN", { detail });
}
