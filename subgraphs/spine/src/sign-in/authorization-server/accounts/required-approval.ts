import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ApprovalDecision } from "../../../approvals/approval-request.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";

/** `Retry-After` for a caller with too many undecided requests. */
const undecidedRetrySeconds = 60;

/** The withheld scopes that a request's parameter `scope` names. */
export function namedOf(parameter: unknown, withheld: readonly string[]): string[] {
  const names = typeof parameter === "string" ? parameter.split(" ") : [];
  return withheld.filter((scope) => names.includes(scope));
}

/** The decision if it is an approval. Throws an `OAuthError` that names the approval otherwise. */
export async function requireApproved(pendingDecision: Promise<ApprovalDecision>): Promise<ApprovalDecision> {
  const decision = await withRetryAfter(pendingDecision);
  if (decision.status === "Approved") return decision;
  const members = { approval_id: decision.approvalId };
  if (decision.status === "Rejected")
    throw new OAuthError(
      "APPROVAL_REQUIRED",
      "access_denied",
      "The approval of these scopes was rejected. Ask again when the rejection has expired.",
      { members },
    );
  throw new OAuthError(
    "APPROVAL_REQUIRED",
    "approval_required",
    "A person has to approve these scopes first. Repeat the request after the approval.",
    { members },
  );
}

/** `RATE_LIMITED` as an OAuth error with `Retry-After`. */
async function withRetryAfter(request: Promise<ApprovalDecision>): Promise<ApprovalDecision> {
  try {
    return await request;
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== "RATE_LIMITED") throw error;
    const facts = { status: 429, retryAfterSeconds: undecidedRetrySeconds };
    throw new OAuthError("RATE_LIMITED", "rate_limited", error.message, facts);
  }
}
