import { isAgentScope, needsAgentApproval } from "@factory/schema/scopes";
import { type Client, errors, type KoaContextWithOIDC, type ResourceServer } from "oidc-provider";
import { type RegisteredClient, registeredClientOf } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { signedInAccountOf } from "./signed-in-account.js";

const accessTokenSeconds = 900;

/** The longest lifetime of an agent's access token. */
export const agentTokenSeconds = 600;

/**
 * The platform as oidc-provider's resource server (RFC 8707): scopes, audience and lifetime of the access token. Called
 * once the client, and the user if there is one, is known. Throws an OAuth error if the tenant is not Active, or if the
 * client asks for scopes that it does not have.
 */
export function resourceServerInfo(
  issuer: string,
  context: KoaContextWithOIDC,
  resource: string,
  client: Client,
): ResourceServer {
  if (resource.replace(/\/$/, "") !== issuer) throw new errors.InvalidTarget();
  const registered = registeredClientOf(client);
  const { route } = context.oidc;
  if (route === "authorization" || route === "resume") requireRequestableScopes(context, registered);
  if (registered.tenantStatus !== "Active")
    throw new OAuthError(
      "TENANT_SUSPENDED",
      "invalid_grant",
      "The tenant of the client is not active. Ask a platform administrator.",
    );
  const own = ownScopes(registered);
  if (context.oidc.params?.["grant_type"] === "client_credentials") requireOwnScopes(context, own);
  const scopes = signedInAccountOf(context)?.access.scopes ?? own;
  return {
    scope: scopes.join(" "),
    audience: issuer,
    accessTokenFormat: "jwt",
    accessTokenTTL: registered.principalType === "Agent" ? agentTokenSeconds : accessTokenSeconds,
    jwt: { sign: { alg: "ES256" } },
  };
}

/**
 * The scopes of a client that acts for itself. An agent gets publishing scopes by token exchange only: acting for itself
 * it has no subject, so no other person could be asked to approve.
 */
function ownScopes({ scopes, principalType }: RegisteredClient): readonly string[] {
  return principalType === "Agent"
    ? scopes.filter((scope) => isAgentScope(scope) && !needsAgentApproval(scope))
    : scopes;
}

/** Without a `scope` parameter the token gets all scopes of the client. */
function requireOwnScopes(context: KoaContextWithOIDC, scopes: readonly string[]): void {
  const asked = context.oidc.params?.["scope"];
  if (typeof asked === "string") requireKnownScopes(asked.split(" "), scopes);
  else askForAll(context, scopes);
}

/** Checked at the authorization endpoint, so that the error goes back to the client (RFC 6749 section 4.1.2.1). */
function requireRequestableScopes(context: KoaContextWithOIDC, { scopes, tenantStatus }: RegisteredClient): void {
  if (tenantStatus !== "Active") throw new errors.AccessDenied("The tenant of the client is not active.");
  const asked = context.oidc.params?.["scope"];
  if (typeof asked === "string") requireKnownScopes(asked.split(" "), [...scopes, "openid"]);
  else askForAll(context, scopes);
}

function requireKnownScopes(asked: readonly string[], allowed: readonly string[]): void {
  const refused = asked.filter((scope) => !allowed.includes(scope));
  if (refused.length > 0) throw scopeNotAllowed(refused);
}

function askForAll({ oidc }: KoaContextWithOIDC, scopes: readonly string[]): void {
  if (oidc.params) oidc.params["scope"] = scopes.join(" ") || undefined;
}

/** `invalid_scope` (RFC 6749 section 5.2) for scopes that the client, or the subject of an exchange, does not have. */
export function scopeNotAllowed(refused: readonly string[]): errors.InvalidScope {
  return new errors.InvalidScope(
    "The client may not ask for some of these scopes. Ask only for scopes that it was given.",
    refused.join(" "),
  );
}
