import type { ApprovalStatus } from "@factory/schema/vocabularies/governance";

/** An approval's states: the states that may follow, and the events that tell of the state. */
const approvalStates = {
  Pending: {
    next: ["Approved", "Rejected", "Expired", "Withdrawn"],
    event: "ScopeApprovalRequested",
    settingEvent: "SettingChangeRequested",
  },
  Approved: { next: ["Expired"], event: "ScopeApprovalGranted", settingEvent: "SettingChangeApproved" },
  Rejected: { next: [], event: "ScopeApprovalRejected", settingEvent: "SettingChangeRejected" },
  Expired: { next: [], event: undefined, settingEvent: "SettingChangeExpired" },
  Withdrawn: { next: [], event: undefined, settingEvent: "SettingChangeWithdrawn" },
} as const satisfies Record<ApprovalStatus, object>;

/** A state of an approval. */
export type ApprovalState = keyof typeof approvalStates;
