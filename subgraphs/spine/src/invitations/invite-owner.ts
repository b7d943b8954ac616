import { Role } from "../roles/role.entity.js";
import { RoleAssignment } from "../roles/role-assignment.entity.js";
import { ownerRole } from "../roles/system-roles.js";
import type { ProvisioningStep } from "../tenants/provisioning-runner.js";
import type { InvitationIssuer } from "./invitation-issuer.js";

/** Whoever registered the tenant named its owner; nobody is invited where somebody holds that role already. */
export function inviteOwner(issuer: InvitationIssuer): ProvisioningStep {
  return {
    name: "inviteOwner",
    async run(transaction, tenant) {
      const { tenantId, ownerEmail, ownerInvitationId } = tenant;
      if (ownerEmail === null || ownerInvitationId !== null) return;
      const { em } = transaction;
      const role = await em.findOne(Role, { tenantId, code: ownerRole });
      if (role && (await em.count(RoleAssignment, { tenantId, roleId: role.roleId })) > 0) return;
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
