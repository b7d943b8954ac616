import { type IdentityScope, identityScopes, isIdentityScope } from "@factory/schema/scopes";
import { errors, type KoaContextWithOIDC } from "oidc-provider";
import type { RegisteredClient } from "../client-authentication/registered-client.js";

type SignInClient = Pick<RegisteredClient, "scopes" | "identityScopes" | "grantTypes">;

/**
 * The scopes that count in an authorization request: the client's own, and identity scopes, which every client may ask
 * for. With `openid` a scope that is not understood is ignored (OpenID Connect Core 1.0 section 3.1.2.1), unless it has
 * a dot as the API scopes have. Throws `invalid_scope` for the other scopes that the client may not ask for.
 */
export function requestableScopes(
  requestedScopes: readonly string[],
  { scopes }: Pick<SignInClient, "scopes">,
): string[] {
  const isSignIn = requestedScopes.includes("openid");
  if (!isSignIn && requestedScopes.some(isIdentityScope))
    throw new errors.InvalidScope(
      "The scopes profile, email and offline_access need the scope openid beside them.",
      requestedScopes.filter(isIdentityScope).join(" "),
    );
  const isKnown = (scope: string) => isIdentityScope(scope) || scopes.includes(scope);
  const refusedScopes = requestedScopes.filter((scope) => !isKnown(scope) && (!isSignIn || scope.includes(".")));
  if (refusedScopes.length > 0) throw scopeNotAllowed(refusedScopes);
  return requestedScopes.filter(isKnown);
}

/**
 * The scopes for an authorization request that names none. `offline_access` has the same conditions as in a request.
 */
export function defaultScopes(
  { scopes, identityScopes: clientIdentityScopes, grantTypes }: SignInClient,
  prompt: unknown,
): string[] {
  const asksForConsent = typeof prompt === "string" && prompt.split(" ").includes("consent");
  const mayBeOffline = asksForConsent && grantTypes.includes("refresh_token");
  return [...clientIdentityScopes.filter((scope) => scope !== "offline_access" || mayBeOffline), ...scopes];
}

/** `invalid_scope` (RFC 6749 section 5.2) for scopes that the client, or the subject in an exchange, does not have. */
export function scopeNotAllowed(refusedScopes: readonly string[]): errors.InvalidScope {
  return new errors.InvalidScope(
    "The client may not ask for some of these scopes. Ask only for scopes that it was given.",
    refusedScopes.join(" "),
  );
}

/** The identity scopes for new tokens, empty without `openid`. A refresh request may leave some out. */
export function grantedIdentityScopes({ oidc }: KoaContextWithOIDC): IdentityScope[] {
  const source = oidc.entities.AuthorizationCode ?? oidc.entities.RefreshToken;
  const scopeParameter = oidc.params?.["scope"];
  const keptScopes = typeof scopeParameter === "string" ? scopeParameter.split(" ") : undefined;
  const grantedScopes = identityScopes.filter(
    (scope) => source?.scopes.has(scope) && (keptScopes?.includes(scope) ?? true),
  );
  return grantedScopes.includes("openid") ? grantedScopes : [];
}

/** Puts identity scopes before the API scopes in a `scope` value. */
export const withIdentity = (identity: readonly IdentityScope[], scope: unknown): string =>
  [...identity, ...(typeof scope === "string" && scope !== "" ? [scope] : [])].join(" ");

/**
 * Adds the identity scopes to the `scope` in a token response. RFC 6749 section 5.1 wants all granted scopes there;
 * oidc-provider 9.13 lists only the API scopes.
 */
export function listIdentityScopes(context: KoaContextWithOIDC): void {
  const body: unknown = context.body;
  if (typeof body !== "object" || body === null || !("access_token" in body) || !("id_token" in body)) return;
  const scope = withIdentity(grantedIdentityScopes(context), "scope" in body ? body.scope : undefined);
  context.body = { ...body, scope };
}
