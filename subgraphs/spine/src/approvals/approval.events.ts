import type { Approval } from "./approval.entity.js";

/** The data of every event about an approval. Comments are not part of it. */
export function approvalFacts(
  approval: Pick<Approval, "approvalId" | "agentClientId" | "agentTaskId" | "subject" | "scopes" | "validUntil">,
): Record<string, unknown> {
  const { approvalId, agentClientId, agentTaskId, subject, scopes, validUntil } = approval;
  return { approvalId, agentClientId, agentTaskId, subject, scopes, validUntil: validUntil.toISOString() };
}
