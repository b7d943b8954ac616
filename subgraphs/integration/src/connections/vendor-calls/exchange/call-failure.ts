import { EgressBlockedError, EgressFailure, type EgressFailureKind } from "@factory/runtime/egress/egress-errors";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { FileOutage } from "@factory/runtime/errors/file-failure";
import { outageRefusal } from "@factory/runtime/errors/unavailable";

/** The texts for the tenant. An egress failure's message may name an address, so it is not repeated. */
const details: Record<EgressFailureKind, string> = {
  connect: "The vendor cannot be connected to.",
  timeout: "The vendor did not answer in time.",
  tls: "A secure connection to the vendor cannot be made.",
  reset: "The vendor closed the connection before its answer.",
  protocol: "The vendor's answer is not valid HTTP.",
};

/** Errors in calls that did not reach the vendor. The set does not show in answers. */
const neverSent = new WeakSet<object>();

/** Marks an error from a call that did not reach the vendor, so that the call may be repeated. */
export function unsent<E extends DomainError>(error: E): E {
  neverSent.add(error);
  return error;
}

/** Whether the call did not reach the vendor for certain. */
export const wasUnsent = (error: DomainError): boolean => neverSent.has(error);

/** The refusal for a request without an answer; other errors stay as they are. */
export function callFailure(error: unknown): unknown {
  if (error instanceof EgressBlockedError)
    return new DomainError("TARGET_BLOCKED", { detail: `The address of the vendor is not allowed: ${error.reason}.` });
  const outage = error instanceof FileOutage ? outageRefusal(error) : undefined;
  if (outage) return unsent(outage);
  if (!(error instanceof EgressFailure)) return error;
  const failure = new DomainError(error.kind === "timeout" ? "UPSTREAM_TIMEOUT" : "UPSTREAM_FAILED", {
    detail: details[error.kind],
  });
  return error.kind === "connect" ? unsent(failure) : failure;
}

/** The refusal when a call's time is over before the vendor was asked. */
export const outOfTime = () =>
  unsent(new DomainError("UPSTREAM_TIMEOUT", { detail: "The call was not made in time. Try again later." }));

/** The refusal for a call during a pause. Its text names the pause's end, since it may be read later. */
export function paused(code: "RATE_LIMITED" | "UNAVAILABLE", cause: string, waitMs: number): DomainError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const until = new Date(Date.now() + seconds * 1000).toISOString();
  return new DomainError(code, {
    detail: `${cause} The next call is made after ${until}.`,
    retryAfterSeconds: seconds,
  });
}

export const rateLimited = (cause: string, waitMs: number) => paused("RATE_LIMITED", cause, waitMs);

/** The vendor refused the credential. */
export const credentialRejected = (detail: string) => new DomainError("CREDENTIAL_REJECTED", { detail });

/** The vendor was not asked, because the credential does not fit the connection. */
export const credentialUnusable = (detail: string) => new DomainError("CREDENTIAL_UNUSABLE", { detail });
