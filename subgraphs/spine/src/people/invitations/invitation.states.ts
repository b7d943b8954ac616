/** A Pending invitation counts as `Expired` after `expiresAt`, also before the job has stored that state. */
export const invitationStates = {
  Pending: { next: ["Accepted", "Revoked", "Expired", "Pending"], event: "UserInvited" },
  Accepted: { next: [], event: "InvitationAccepted" },
  Revoked: { next: [], event: "InvitationRevoked" },
  Expired: { next: ["Pending"], event: "InvitationExpired" },
} as const;

export type InvitationState = keyof typeof invitationStates;
