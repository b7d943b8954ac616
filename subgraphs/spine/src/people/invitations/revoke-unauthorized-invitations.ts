import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import {
  type PrincipalPermissions,
  principalPermissions,
} from "../../rights/access-control/principal-permissions-statement.js";
import { findRoles } from "../../rights/roles/assign-roles.js";
import { Invitation } from "./invitation.entity.js";
import { invitationFacts } from "./invitation.view.js";
import { lockInvitations } from "./lock-invitations.js";
import { mayInvite } from "./may-invite.js";

type Reason = "Requested" | "InviterDeleted" | "InviterDisabled" | "InviterLostScopes";

const reasons: Record<PrincipalPermissions["status"], Reason> = {
  Deleted: "InviterDeleted",
  Disabled: "InviterDisabled",
  Active: "InviterLostScopes",
};

/** Revokes the open invitations that these principals (`usr_…`, `cli_…`) sent and could not send any more. */
export async function revokeUnauthorizedInvitations(
  transaction: Transaction,
  principals: readonly string[],
): Promise<void> {
  const { em, tenant } = transaction;
  const { tenantId } = tenant;
  await em.flush();
  // this waits for an invitation that is being sent; one that is sent later sees the lost permissions
  await lockInvitations(transaction);
  // the limit on a tenant's open invitations also limits this list
  const open = await em.find(
    Invitation,
    { tenantId, status: "Pending", expiresAt: { $gt: new Date() }, invitedBy: { $in: [...principals] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (open.length === 0) return;
  const permissionsBy = await principalPermissions(transaction, [...new Set(open.map(({ invitedBy }) => invitedBy))]);
  const roles = await findRoles(
    transaction,
    open.flatMap(({ roleCodes }) => roleCodes),
  );
  for (const invitation of open) {
    const permissions = permissionsBy.get(invitation.invitedBy);
    const invitationRoles = roles.filter(({ code }) => invitation.roleCodes.includes(code));
    if (permissions && !mayInvite(permissions, invitationRoles))
      revokeInvitation(transaction, invitation, reasons[permissions.status]);
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
