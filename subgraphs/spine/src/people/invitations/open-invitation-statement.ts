import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { Invitation } from "./invitation.entity.js";

// tables: invitations, tenants

const members = ["tenantId", "invitationId", "email", "displayName", "status", "expiresAt"] as const;

export type InvitationByTokenRow = RowOf<Invitation, (typeof members)[number]> & { organisation: string };

/**
 * `$1` is the token's digest. One lookup by index for every token, so that its duration tells nothing about existing
 * tokens. It runs as the worker role, because the tenant is not known before.
 */
export const invitationByToken = {
  name: "invitation_of_token",
  text: `select ${columnsOf(Invitation, members, "invitations")}, name as organisation
    from invitations join tenants using (tenant_id) where token_digest = $1`,
};

export type OpenInvitationRow = RowOf<Invitation, "email" | "tokenNonce" | "expiresAt"> & { tenant_name: string };

/** `$2` the id. Without a row the invitation was accepted or revoked, or has expired. */
export const openInvitationById = tenantStatement(
  "open_invitation",
  `select email, token_nonce, expires_at, name as tenant_name
   from invitations join tenants using (tenant_id)
   where invitations.tenant_id = scope.tenant and invitation_id = $2
     and invitations.status = 'Pending' and expires_at > now()
   limit 1`,
);
