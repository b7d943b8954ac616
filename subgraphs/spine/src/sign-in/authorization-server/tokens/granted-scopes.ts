import { isIdentityScope } from "@factory/schema/scopes";
import { errors } from "oidc-provider";
import type { UserAccess } from "../accounts/user-accounts.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";

/** The scopes of a user's grant: all scopes of the client, or those of them that the `scope` parameter names. */
export function grantedScopes(asked: string | undefined, { scopes }: RegisteredClient): string[] {
  if (asked === undefined) return [...scopes];
  const named = new Set(asked.split(" "));
  return scopes.filter((scope) => named.has(scope));
}

/** Throws `invalid_scope` if a refresh asks for scopes of the API and the user's roles give none of them now. */
export function requireUsableRefresh(asked: readonly string[], access: UserAccess): void {
  const ofApi = asked.filter((scope) => !isIdentityScope(scope));
  // a sign-in with identity scopes alone needs no role
  if (ofApi.length > 0 || !asked.includes("openid")) requireSomeScope(ofApi, access);
}

/** The granted scopes that the user's roles give now. Throws `invalid_scope` if none is left. */
export function requireSomeScope(granted: Iterable<string>, access: UserAccess): string[] {
  const held = new Set(access.scopes);
  const left = [...granted].filter((scope) => held.has(scope));
  if (left.length === 0)
    throw new errors.InvalidScope("The roles of the user give none of the requested scopes. Ask for other scopes.", "");
  return left;
}
