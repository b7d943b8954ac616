import type { Approval } from "./approval.entity.js";

/** What every event of an approval says; comments stay on its record. */
export function approvalFacts(
  approval: Pick<Approval, "approvalId" | "agentClientId" | "agentTaskId" | "subject" | "scopes" | "validUntil">,
): Record<string, unknown> {
  const { approvalId, agentClientId, agentTaskId, subject, scopes, validUntil } = approval;
  return { approvalId, agentClientId, agentTaskId, subject, scopes, validUntil: validUntil.toISOString() };
}
