import { needsAgentApproval } from "@factory/schema/scopes";
import { DomainError } from "../errors/domain-error.js";
import type { Principal } from "./principal.js";

/** Whoever issued its token: an agent without an approval publishes nothing. */
export function requireAgentApproval(principal: Principal, scopes: readonly string[]): void {
  if (principal.principalType !== "Agent" || principal.approvalId !== undefined) return;
  const usable = scopes.some((scope) => principal.scopes.has(scope) && !needsAgentApproval(scope));
  if (!usable)
    throw new DomainError("APPROVAL_REQUIRED", {
      detail: "An agent may publish only with a token that was issued for an approval. Ask for an approval first.",
    });
}

/** What a principal may give to others. An approval is for the agent's own use, and ends; what it handed on would not. */
export function grantableScopes({ principalType, scopes }: Principal): ReadonlySet<string> {
  return principalType === "Agent" ? new Set([...scopes].filter((scope) => !needsAgentApproval(scope))) : scopes;
}
