/** The states of an approval: the states that may follow, and the event that tells of the state. */
export const approvalStates = {
  Pending: { next: ["Approved", "Rejected", "Expired"], event: "ScopeApprovalRequested" },
  Approved: { next: ["Expired"], event: "ScopeApprovalGranted" },
  Rejected: { next: [], event: "ScopeApprovalRejected" },
  Expired: { next: [], event: undefined },
} as const;

/** A state of an approval. */
export type ApprovalState = keyof typeof approvalStates;
