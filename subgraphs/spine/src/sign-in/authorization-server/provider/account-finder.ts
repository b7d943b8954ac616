import { satisfiesLevel } from "@factory/schema/authentication-levels";
import { errors, type FindAccount, type KoaContextWithOIDC } from "oidc-provider";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { isOfVersions } from "../accounts/stored-versions.js";
import {
  accountError,
  invalidGrant,
  type UserAccess,
  type UserAccount,
  type UserAccounts,
} from "../accounts/user-accounts.js";
import { registeredClientOf } from "../client-authentication/registered-client.js";
import { requireUsableRefresh } from "../tokens/granted-scopes.js";
import { createSignedInAccount, type SignInFacts } from "../tokens/signed-in-account.js";
import type { TokenFamilies } from "../tokens/token-families.js";

/**
 * Refuses codes and refresh tokens from before their client was last disabled, and those from a sign-in before their
 * user was last disabled or got a new password: enabling the client or user again does not bring them back. A sign-in
 * has no token yet.
 */
function errorIfEnded({ oidc }: KoaContextWithOIDC, user: UserAccount | undefined, token: object | undefined) {
  const isOfNow = !token || !user || isOfVersions(oidc.entities.Grant, user, registeredClientOf(oidc.client));
  return isOfNow ? undefined : invalidGrant();
}

interface AccountFinderParts {
  readonly accounts: UserAccounts;
  readonly families: TokenFamilies;
}

/**
 * Finds users for oidc-provider. Every refresh reads the user's and the tenant's current state, and the current roles.
 */
export function accountFinder({ accounts, families }: AccountFinderParts): FindAccount {
  return async (context, userId, token) => {
    const client = registeredClientOf(context.oidc.client);
    const user = await accounts.byId(userId);
    const error = accountError(user, client) ?? errorIfEnded(context, user, token);
    if (error || !user) {
      if (!token) return undefined;
      if ("grantId" in token && token.grantId) await families.revoke(token.grantId, "Silent");
      throw error;
    }
    const access = await accounts.access(user, client);
    if (token?.kind === "RefreshToken") {
      if (token.consumed) {
        if (token.grantId) await families.revoke(token.grantId, "RefreshTokenReuseDetected");
        throw new errors.InvalidGrant("The refresh token was used before. Its user has to sign in again.");
      }
      requireSession(token, access);
      // before the token is consumed, so that the client may repeat the request with other scopes
      const scopeParameter = context.oidc.params?.["scope"];
      await accounts.requireNoneWithheld(user, client, access, {
        asked: scopeParameter,
        cause: causeOf(context, userId),
      });
      requireUsableRefresh(
        (typeof scopeParameter === "string" ? scopeParameter : (token.scope ?? "")).split(" "),
        access,
      );
    }
    return createSignedInAccount(user, access, token && "authTime" in token ? token : {});
  };
}

/** The tenant may have shortened its sessions, or may require a second factor, since the token was issued. */
function requireSession({ authTime, acr }: SignInFacts, { sessionSeconds, secondFactorRequired }: UserAccess): void {
  if (authTime !== undefined && authTime + sessionSeconds <= Date.now() / 1000)
    throw new errors.InvalidGrant("The session of the user has ended. The user has to sign in again.");
  if (secondFactorRequired && !satisfiesLevel(acr, "urn:factory:acr:second-factor"))
    throw new errors.InvalidGrant("The tenant requires a second factor. The user has to sign in again.");
}
