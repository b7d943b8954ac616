import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { Role } from "../roles/role.entity.js";
import { Invitation } from "./invitation.entity.js";
import { invitationFacts } from "./invitation.view.js";
import { mayInvite, type Standing, standingsOf } from "./inviter-permissions-statement.js";
import { lockInvitations } from "./lock-invitations.js";

type Reason = "Requested" | "InviterDeleted" | "InviterDisabled" | "InviterLostScopes";

const reasons: Record<Standing["status"], Reason> = {
  Deleted: "InviterDeleted",
  Disabled: "InviterDisabled",
  Active: "InviterLostScopes",
};

/** Revokes the open invitations of these principals that they could not send now; at most 100 of a tenant are open. */
export async function revokeUnsendable(transaction: Transaction, principals: readonly string[]): Promise<void> {
  const { em, tenant } = transaction;
  const { tenantId } = tenant;
  await em.flush();
  // an invitation that is being sent meanwhile is waited for, or finds the loss
  await lockInvitations(transaction);
  const open = await em.find(
    Invitation,
    { tenantId, status: "Pending", expiresAt: { $gt: new Date() }, invitedBy: { $in: [...principals] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (open.length === 0) return;
  const inviters = await standingsOf(transaction, [...new Set(open.map(({ invitedBy }) => invitedBy))]);
  const roles = await em.find(Role, { tenantId, code: { $in: open.flatMap(({ roleCodes }) => roleCodes) } });
  for (const invitation of open) {
    const standing = inviters.get(invitation.invitedBy);
    const given = roles.filter(({ code }) => invitation.roleCodes.includes(code));
    if (standing && !mayInvite(standing, given)) revokeInvitation(transaction, invitation, reasons[standing.status]);
  }
}

export function revokeInvitation({ record }: Transaction, invitation: Invitation, reason: Reason): void {
  invitation.status = "Revoked";
  invitation.updatedAt = new Date();
  record({
    type: "InvitationRevoked",
    subject: `invitations/${invitation.invitationId}`,
    data: { ...invitationFacts(invitation), reason },
  });
}
