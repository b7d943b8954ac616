import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { Invitation } from "./invitation.entity.js";
import type { InvitationState } from "./invitation.states.js";
import type { InvitationType } from "./invitation.type.js";

const shownMembers = [
  "invitationId",
  "email",
  "displayName",
  "roleCodes",
  "userId",
  "expiresAt",
  "createdAt",
  "updatedAt",
] as const;

type Shown = (typeof shownMembers)[number] | "status";

/** A row with the invitation's state now. */
export type InvitationRow = RowOf<Invitation, Shown>;

/** SQL: an invitation's state now, whether or not the job has stored it. */
export const invitationStatus = "case when status = 'Pending' and expires_at <= now() then 'Expired' else status end";

export const invitationColumns = `${columnsOf(Invitation, shownMembers)}, ${invitationStatus} as status`;

export const readInvitation = rowReader(Invitation);

/** The view for a row, whose state PostgreSQL has told. */
export const invitationRowView = (row: InvitationRow): InvitationType =>
  invitationView(readInvitation(row), row.status);

export function invitationView(
  invitation: RecordOf<Invitation, Shown>,
  status: InvitationState = stateOf(invitation),
): InvitationType {
  const { invitationId, email, displayName, roleCodes, userId } = invitation;
  return {
    ...{ invitationId, email, displayName, status, roleCodes: [...roleCodes], userId },
    expiresAt: asDate(invitation.expiresAt).toISOString(),
    createdAt: asDate(invitation.createdAt).toISOString(),
    updatedAt: asDate(invitation.updatedAt).toISOString(),
  };
}

/** The state now: a Pending invitation is Expired after its expiry. */
export function stateOf({ status, expiresAt }: Pick<Invitation, "status" | "expiresAt">): InvitationState {
  return status === "Pending" && asDate(expiresAt) <= new Date() ? "Expired" : status;
}

/** The data in events about an invitation. It leaves out the address, because it is personal data. */
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
