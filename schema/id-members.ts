import type { IdPrefix } from "./id-prefixes.js";

/** The prefix of the ids that a member or a parameter with this name holds, where it holds ids of one kind only. */
export const idMembers: Readonly<Record<string, IdPrefix>> = {
  approvalId: "apr",
  apiClientId: "apc",
  assignmentId: "asg",
  attemptId: "att",
  clientId: "cli",
  commandId: "cmd",
  connectionId: "con",
  continueRunId: "run",
  credentialId: "crd",
  deliveryId: "whd",
  eventId: "evt",
  executionId: "exe",
  healthRunId: "run",
  invitationId: "inv",
  libraryId: "lib",
  libraryVersionId: "lbv",
  matrixId: "mtx",
  messageId: "msg",
  notificationId: "ntf",
  planSubscriptionId: "sub",
  providerId: "prv",
  recipientUserId: "usr",
  recordId: "aud",
  reportDefinitionId: "rpd",
  reportRunId: "run",
  roleId: "rol",
  runId: "run",
  scaffoldOutputId: "sca",
  subscriptionId: "whs",
  templateId: "tpl",
  templateVersionId: "tpv",
  tenantId: "ten",
  userId: "usr",
  validationResultId: "val",
  verificationRunId: "run",
};

/** The form of ids with the prefix: 26 digits of Crockford's base 32 in lower case. */
export const idPattern = (prefix: IdPrefix): string => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;
