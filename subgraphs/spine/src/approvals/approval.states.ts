export const approvalStates = {
  Pending: { next: ["Approved", "Rejected", "Expired"], event: "ScopeApprovalRequested" },
  Approved: { next: ["Expired"], event: "ScopeApprovalGranted" },
  Rejected: { next: [], event: "ScopeApprovalRejected" },
  Expired: { next: [], event: undefined },
} as const;

export type ApprovalState = keyof typeof approvalStates;
