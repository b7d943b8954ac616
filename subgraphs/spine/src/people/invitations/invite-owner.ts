import { isRoleAssigned } from "../../rights/roles/assign-roles.js";
import { ownerRole } from "../../rights/roles/system-roles.js";
import type { ProvisioningStep } from "../../tenants/tenants/provisioning-step.js";
import type { InvitationIssuer } from "./invitation-issuer.js";

/** Invites the owner whom the tenant's registration named, unless a principal holds the owner role already. */
export function inviteOwner(issuer: InvitationIssuer): ProvisioningStep {
  return {
    name: "inviteOwner",
    async run(transaction, tenant) {
      const { ownerEmail, ownerInvitationId } = tenant;
      if (ownerEmail === null || ownerInvitationId !== null) return;
      if (await isRoleAssigned(transaction, ownerRole)) return;
      const invitation = await issuer.issue(transaction, {
        email: ownerEmail,
        displayName: null,
        roleCodes: [ownerRole],
        invitedBy: "platform",
      });
      tenant.ownerInvitationId = invitation.invitationId;
    },
  };
}
