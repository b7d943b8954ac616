import { grantableScopes } from "@factory/runtime/auth/agent-approval";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";

/**
 * Throws INSUFFICIENT_SCOPE unless the caller's token holds all the scopes: a caller gives, changes or takes away only
 * what stays within its own scopes. `explanation` is a sentence for the caller.
 */
export function requireHeldScopes(
  context: RequestContext,
  scopes: readonly string[],
  explanation = "A caller can give only the scopes that its own token holds.",
): void {
  requireScopesIn(grantableScopes(principalOf(context)), scopes, explanation);
}

/** Throws INSUFFICIENT_SCOPE with the scopes that are not among those held. */
export function requireScopesIn(heldScopes: ReadonlySet<string>, scopes: readonly string[], explanation: string): void {
  const missing = [...new Set(scopes)].filter((scope) => !heldScopes.has(scope));
  if (missing.length > 0)
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `The access token does not hold ${missing.join(", ")}. ${explanation}`,
      requiredScopes: missing,
    });
}
