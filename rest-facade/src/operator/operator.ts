import { authenticate, type Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { originOfRequest } from "@factory/runtime/ingress/client-address";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { FastifyRequest } from "fastify";

/** The cause for an operator's action, for the audit log. */
export const causeOf = ({ trace, raw }: FastifyRequest, principal: Principal): Cause => ({
  ...{ trace, actorId: principal.subject, principal, origin: originOfRequest(raw) },
});

/** A request's principal, who must be a platform administrator with the scope `tenant.manage`. */
export async function operator(request: FastifyRequest, verifier: Verifier): Promise<Principal> {
  const principal = await authenticate(request.raw, verifier, (caller) => {
    request.principal = caller;
  });
  if (!principal.scopes.has("tenant.manage"))
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: "The token needs the scope tenant.manage.",
      requiredScopes: ["tenant.manage"],
    });
  if (!principal.platformAdmin)
    throw new DomainError("PLATFORM_ADMIN_REQUIRED", {
      detail: "This operation needs a token of a platform administrator.",
    });
  return principal;
}
