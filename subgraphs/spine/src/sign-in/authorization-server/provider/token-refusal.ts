import { originOfRequest } from "@factory/runtime/ingress/client-address";
import { isAuditedStatus, type RefusalSink } from "@factory/runtime/messages/refusal";
import type { KoaContextWithOIDC } from "oidc-provider";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { registeredClientOf } from "../client-authentication/registered-client.js";
import { OAuthError, type OAuthErrorResponse } from "../oauth-requests/oauth-error.js";

/** Refusals that RFC 6749 section 5.2 answers with the status 400. */
const refusedErrors = new Set(["invalid_grant", "unauthorized_client", "access_denied"]);
const generalCodes = new Set(["VALIDATION_FAILED", "UNAUTHENTICATED"]);

/**
 * Notes a refusal at the token endpoints for the audit log in the client's tenant. With the error `invalid_client` the
 * caller is not authenticated as that client. A failed sign-in is noted where the user is known.
 */
export function noteTokenRefusal(
  refusals: RefusalSink,
  context: KoaContextWithOIDC,
  failure: unknown,
  { status, body }: OAuthErrorResponse,
): void {
  if (failure instanceof OAuthError && failure.facts.audited) return;
  if (!isAuditedStatus(status) && !refusedErrors.has(body.error)) return;
  const { Client: client } = context.oidc.entities;
  const registeredClient = client && registeredClientOf(client);
  refusals.note({
    operation: `POST ${context.path}`,
    code: generalCodes.has(body.code) ? body.error.toUpperCase() : body.code,
    status,
    trace: causeOf(context).trace,
    tenantId: registeredClient?.tenantId,
    clientId: registeredClient?.clientId,
    origin: originOfRequest(context.req),
  });
}
