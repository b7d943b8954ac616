import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Mailer } from "../../ground/mail/mailer.js";
import { Invitation } from "./invitation.entity.js";

/** Mails with an invitation from one tenant to one address within an hour. */
const maxMails = 5;
/** More invitations to one address than can be sent in an hour, with those that the factor allows. */
const maxInvitations = 1000;

/**
 * Throws RATE_LIMITED if the tenant has sent too many invitations to the address (`key` as `mailAddressKey` makes it), whether
 * one was sent again or a new one replaced it: strangers are not flooded with mail. The tenant's invitations are locked.
 */
export async function requireMailAllowed(
  transaction: Transaction,
  { mailer, factor, key }: { mailer: Mailer; factor: number; key: string },
): Promise<void> {
  const { em, tenant } = transaction;
  const where = { tenantId: tenant.tenantId, emailKey: key };
  const formerInvitations = await em.find(Invitation, where, { orderBy: { createdAt: "desc" }, limit: maxInvitations });
  if (formerInvitations.length === 0) return;
  const ids = formerInvitations.map(({ invitationId }) => invitationId);
  const { count, secondsLeft } = await mailer.queuedInLastHour(transaction, ids);
  if (count < maxMails * factor) return;
  throw new DomainError("RATE_LIMITED", {
    detail: `At most ${maxMails * factor} invitations in an hour may be mailed to one address. Wait before you send another one.`,
    retryAfterSeconds: Math.max(1, secondsLeft),
  });
}
