import { needsAgentApproval } from "@factory/schema/scopes";
import { DomainError } from "../errors/domain-error.js";
import type { Principal } from "./principal.js";

/**
 * Throws APPROVAL_REQUIRED when an agent without an approval could use only publishing scopes. It does not trust the
 * issuer of the token for that.
 */
export function requireAgentApproval(principal: Principal, scopes: readonly string[]): void {
  if (principal.principalType !== "Agent" || principal.approvalId !== undefined) return;
  const usable = scopes.some((scope) => principal.scopes.has(scope) && !needsAgentApproval(scope));
  if (!usable)
    throw new DomainError("APPROVAL_REQUIRED", {
      detail: "An agent may publish only with a token that was issued for an approval. Ask for an approval first.",
    });
}

/**
 * The scopes that a principal may give to others. An agent cannot pass publishing scopes on: its approval ends, but
 * what it passed on would not.
 */
export function grantableScopes({ principalType, scopes }: Principal): ReadonlySet<string> {
  return principalType === "Agent" ? new Set([...scopes].filter((scope) => !needsAgentApproval(scope))) : scopes;
}
