import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";

/**
 * Whether the principal sees all recipients' notifications: a service, which acts for the product, and a person or an
 * agent who may send notifications. Others see their own. It reads only members that event subscribers share.
 */
export const seesAll = ({ principalType, scopes }: Principal): boolean =>
  principalType === "Service" || scopes.has("notification.send");

/** The UUID of the user whose notifications the principal owns; undefined for a service and a service's agent. */
export const ownUser = ({ subject }: Principal): string | undefined => decodeId("usr", subject);

/**
 * The recipient (`usr_…`) for whom the caller acts in an inbox: the token's person, or the user that a service names.
 * Throws NOT_THE_RECIPIENT or VALIDATION_FAILED.
 */
export function inboxOwner(principal: Principal, requestedUserId: string | null | undefined): string {
  const ownId = ownUser(principal) === undefined ? undefined : principal.subject;
  if (principal.principalType !== "Service") {
    requireRecipient(principal, requestedUserId ?? ownId);
    return principal.subject;
  }
  if (decodeId("usr", requestedUserId) !== undefined) return String(requestedUserId);
  throw new DomainError("VALIDATION_FAILED", {
    detail: "A service has no inbox of its own. Name the user whose inbox it is about.",
    errors: [{ pointer: "/input/recipientUserId", code: "REQUIRED", detail: "Must be the id of a user, usr_…" }],
  });
}

/** Throws NOT_THE_RECIPIENT unless the recipient is the token's subject, or the caller is a service. */
export function requireRecipient({ principalType, subject }: Principal, recipient: string | null | undefined): void {
  if (principalType === "Service" || subject === recipient) return;
  throw new DomainError("NOT_THE_RECIPIENT", {
    detail: "Only the recipient, or a service, may do this. The token belongs to somebody else.",
  });
}

/** NOT_FOUND, the same for an unknown id, for another tenant, and for a notification that the caller may not see. */
export function unknownNotification(): DomainError {
  return new DomainError("NOT_FOUND", { detail: "The notification does not exist in this tenant." });
}
