import { type ValueOf, vocabulary } from "./vocabulary.js";

export const approvalStatuses = vocabulary("ApprovalStatus", "The states of an approval.", {
  Pending: "Another person has to decide.",
  Approved: "Another person has approved the request.",
  Rejected: "Another person has rejected the request.",
  Expired: "The time to decide, or to use the approval, has ended.",
  Withdrawn: "The request was taken back before its decision.",
});
export type ApprovalStatus = ValueOf<typeof approvalStatuses>;

export const auditOutcomes = vocabulary("AuditOutcome", "The outcomes that the audit log records.", {
  Succeeded: "The operation was done.",
  Refused: "The operation was refused. The member code says why.",
});
export type AuditOutcome = ValueOf<typeof auditOutcomes>;

export const auditVerificationStatuses = vocabulary(
  "AuditVerificationStatus",
  "The results of a verification of the audit log.",
  {
    Intact: "Every record up to the head was checked.",
    Broken: "The log is broken. See firstBroken.",
    Unfinished: "Call again with nextCursor.",
  },
);
export type AuditVerificationStatus = ValueOf<typeof auditVerificationStatuses>;

export const auditBreakReasons = vocabulary("AuditBreakReason", "The ways in which the audit log can be broken.", {
  Altered: "A record does not fit its hash.",
  PersonalDataAltered: "The address, the e-mail or the user agent do not fit their digest.",
  Removed: "A record in the middle is missing.",
  Inserted: "A record stands behind the head.",
  CutOff: "The newest records are missing.",
  SealMismatch: "A record has another hash than its seal.",
  SealInvalid: "No key of the platform has signed a seal.",
});
export type AuditBreakReason = ValueOf<typeof auditBreakReasons>;
