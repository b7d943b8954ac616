import { scopesToGive } from "@factory/runtime/auth/publish-approval";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";

/** A caller gives, uses, changes or takes away only what stays within the scopes of the caller's own token. */
export function requireHeld(
  context: RequestContext,
  scopes: readonly string[],
  otherwise = "it would give away",
): void {
  const held = scopesToGive(principalOf(context));
  const missing = [...new Set(scopes)].filter((scope) => !held.has(scope));
  if (missing.length > 0)
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `The token does not hold ${missing.join(", ")}, which ${otherwise}.`,
      requiredScopes: missing,
    });
}
