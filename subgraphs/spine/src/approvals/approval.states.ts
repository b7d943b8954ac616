/** An approval's states: the states that may follow, and the events that tell of the state. */
export const approvalStates = {
  Pending: {
    next: ["Approved", "Rejected", "Expired", "Withdrawn"],
    event: "ScopeApprovalRequested",
    settingEvent: "SettingChangeRequested",
  },
  Approved: { next: ["Expired"], event: "ScopeApprovalGranted", settingEvent: "SettingChangeApproved" },
  Rejected: { next: [], event: "ScopeApprovalRejected", settingEvent: "SettingChangeRejected" },
  Expired: { next: [], event: undefined, settingEvent: "SettingChangeExpired" },
  Withdrawn: { next: [], event: undefined, settingEvent: "SettingChangeWithdrawn" },
} as const;

/** A state of an approval. */
export type ApprovalState = keyof typeof approvalStates;
