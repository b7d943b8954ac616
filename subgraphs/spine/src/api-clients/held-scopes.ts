import { scopesToGive } from "@factory/runtime/auth/publish-approval";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";

/** Nobody gives away, or gets the use of, a scope that he does not hold himself. */
export function requireHeld(context: RequestContext, scopes: readonly string[]): void {
  const held = scopesToGive(principalOf(context));
  const missing = scopes.filter((scope) => !held.has(scope));
  if (missing.length > 0)
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `The token does not hold ${missing.join(", ")}, which the client would.`,
      requiredScopes: missing,
    });
}
