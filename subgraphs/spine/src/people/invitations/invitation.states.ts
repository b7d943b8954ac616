import type { InvitationStatus } from "@factory/schema/vocabularies/people";

/** A Pending invitation counts as `Expired` after `expiresAt`, also before the job has stored that state. */
const invitationStates = {
  Pending: { next: ["Accepted", "Revoked", "Expired", "Pending"], event: "UserInvited" },
  Accepted: { next: [], event: "InvitationAccepted" },
  Revoked: { next: [], event: "InvitationRevoked" },
  Expired: { next: ["Pending"], event: "InvitationExpired" },
} as const satisfies Record<InvitationStatus, object>;

export type InvitationState = keyof typeof invitationStates;
