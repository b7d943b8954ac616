import { needsAgentApproval } from "@factory/schema/scopes";
import { DomainError } from "../errors/domain-error.js";
import type { Principal } from "./principal.js";

/**
 * Throws APPROVAL_REQUIRED when an agent could use only publishing scopes, and its token has neither an approval nor
 * the claim that the tenant requires none. It does not trust the token's scopes for that.
 */
export function requireAgentApproval(principal: Principal, scopes: readonly string[]): void {
  const { principalType, approvalId, publishApproval } = principal;
  if (principalType !== "Agent" || approvalId !== undefined || publishApproval === "NotRequired") return;
  const usable = scopes.some((scope) => principal.scopes.has(scope) && !needsAgentApproval(scope));
  if (!usable)
    throw new DomainError("APPROVAL_REQUIRED", {
      detail: "An agent may publish only with a token that was issued for an approval. Ask for an approval first.",
    });
}

/** Throws APPROVAL_REQUIRED when the principal holds one of the scopes, but only for use after an approval. */
export function requireNoneWithheld({ withheldScopes = [] }: Principal, scopes: readonly string[]): void {
  if (!scopes.some((scope) => withheldScopes.includes(scope))) return;
  throw new DomainError("APPROVAL_REQUIRED", {
    detail:
      "The tenant requires an approval for publishing. Ask the token endpoint for the scope by its name, and again when the request is approved.",
  });
}

/**
 * The scopes that a principal may give to others. An agent cannot pass publishing scopes on, and neither can a principal
 * that has them by an approval: the approval ends, but what was passed on would not.
 */
export function grantableScopes({ principalType, approvalId, scopes }: Principal): ReadonlySet<string> {
  if (principalType !== "Agent" && approvalId === undefined) return scopes;
  return new Set([...scopes].filter((scope) => !needsAgentApproval(scope)));
}
