import { isIdentityScope } from "@factory/schema/scopes";
import { errors } from "oidc-provider";
import type { UserAccess } from "../accounts/user-accounts.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";

/** The scopes in a user's grant: all the client's scopes, or those that the `scope` parameter names. */
export function grantedScopes(scopeParameter: string | undefined, { scopes }: RegisteredClient): string[] {
  if (scopeParameter === undefined) return [...scopes];
  const names = new Set(scopeParameter.split(" "));
  return scopes.filter((scope) => names.has(scope));
}

/** Throws `invalid_scope` if a refresh asks for API scopes and the user's roles give none now. */
export function requireUsableRefresh(requestedScopes: readonly string[], access: UserAccess): void {
  const ofApi = requestedScopes.filter((scope) => !isIdentityScope(scope));
  // a sign-in with identity scopes alone needs no role
  if (ofApi.length > 0 || !requestedScopes.includes("openid")) requireSomeScope(ofApi, access);
}

/** The granted scopes that the user's roles give now. Throws `invalid_scope` if none is left. */
export function requireSomeScope(candidates: Iterable<string>, access: UserAccess): string[] {
  const heldScopes = new Set(access.scopes);
  const remainingScopes = [...candidates].filter((scope) => heldScopes.has(scope));
  if (remainingScopes.length === 0)
    throw new errors.InvalidScope("The roles of the user give none of the requested scopes. Ask for other scopes.", "");
  return remainingScopes;
}
