import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Invitation } from "./invitation.entity.js";
import type { InvitationState } from "./invitation.states.js";
import type { InvitationType } from "./invitation.type.js";

/** A row of `invitations` as PostgreSQL returns it. */
export interface InvitationRow {
  invitation_id: string;
  email: string;
  display_name: string | null;
  status: InvitationState;
  role_codes: string[];
  user_id: string | null;
  expires_at: Date;
  created_at: Date;
  updated_at: Date;
}

/** SQL: the state of an invitation now, whether or not the job has stored it. */
export const currentStatus = "case when status = 'Pending' and expires_at <= now() then 'Expired' else status end";

export const invitationColumns = `invitation_id, email, display_name, ${currentStatus} as status, role_codes, user_id,
  expires_at, created_at, updated_at`;

export function invitationRowView(row: InvitationRow): InvitationType {
  return {
    invitationId: encodeId("inv", row.invitation_id),
    email: row.email,
    displayName: row.display_name,
    status: row.status,
    roleCodes: row.role_codes,
    userId: row.user_id && encodeId("usr", row.user_id),
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export function invitationView(invitation: Invitation): InvitationType {
  const { invitationId, email, displayName, roleCodes, userId } = invitation;
  return {
    invitationId,
    email,
    displayName,
    status: stateOf(invitation),
    roleCodes: [...roleCodes],
    userId,
    expiresAt: asDate(invitation.expiresAt).toISOString(),
    createdAt: asDate(invitation.createdAt).toISOString(),
    updatedAt: asDate(invitation.updatedAt).toISOString(),
  };
}

/** The state now: a Pending invitation is Expired after its expiry. */
export function stateOf({ status, expiresAt }: Pick<Invitation, "status" | "expiresAt">): InvitationState {
  return status === "Pending" && asDate(expiresAt) <= new Date() ? "Expired" : status;
}

/** The data of events about an invitation. It leaves out the address, because it is personal data. */
export function invitationFacts(invitation: Invitation): Record<string, unknown> {
  const { tenantId, invitationId, status, roleCodes, invitedBy, expiresAt } = invitation;
  return {
    tenantId,
    invitationId,
    status,
    roleCodes: [...roleCodes],
    invitedBy,
    expiresAt: asDate(expiresAt).toISOString(),
  };
}

const asDate = (time: Date | string) => new Date(time);
