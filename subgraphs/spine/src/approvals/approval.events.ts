import type { Approval } from "./approval.entity.js";

/** The data of every event about an approval. Comments are not part of it. */
export function approvalFacts(
  approval: Pick<Approval, "approvalId" | "agentClientId" | "agentTaskId" | "subject" | "scopes" | "validUntil">,
): Record<string, unknown> {
  const { approvalId, agentClientId, agentTaskId, subject, scopes, validUntil } = approval;
  return { approvalId, agentClientId, agentTaskId, subject, scopes, validUntil: validUntil.toISOString() };
}

/** The data in every event about a setting change that waited for an approval. */
export function settingChangeFacts({
  approvalId,
  agentClientId: clientId,
  subject,
  validUntil,
  setting,
}: Pick<Approval, "approvalId" | "agentClientId" | "subject" | "validUntil" | "setting">): Record<string, unknown> {
  const { key, change, oldValue, newValue } = setting ?? {};
  const facts = { approvalId, subject, clientId, validUntil: validUntil.toISOString() };
  return { ...facts, key, change, oldValue, newValue };
}
