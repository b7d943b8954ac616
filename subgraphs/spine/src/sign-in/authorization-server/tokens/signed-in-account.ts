import type { Account, KoaContextWithOIDC } from "oidc-provider";
import type { UserAccess, UserAccount } from "../accounts/user-accounts.js";
import { personClaims } from "./identity-claims.js";

/** How a user signed in. Every member is undefined before a token is made. */
export interface SignInFacts {
  /** When the user authenticated, in epoch seconds. */
  readonly authTime?: number | undefined;
  /** The level (schema/authentication-levels.ts) and the methods (RFC 8176) in the sign-in. */
  readonly acr?: string | undefined;
  readonly amr?: readonly string[] | undefined;
}

/** oidc-provider's account with the platform's user and their access. Made anew for each request. */
export interface SignedInAccount extends Account {
  readonly user: UserAccount;
  readonly access: UserAccess;
  readonly signIn: SignInFacts;
}

/** Makes the account that oidc-provider works with; its `claims` go into ID tokens. */
export function createSignedInAccount(
  user: UserAccount,
  access: UserAccess,
  signIn: SignInFacts = {},
): SignedInAccount {
  return {
    accountId: user.userId,
    user,
    access,
    signIn,
    claims: async () => personClaims(user),
  };
}

/** The current request's account; undefined when the client acts for itself. */
export function signedInAccountOf({ oidc }: KoaContextWithOIDC): SignedInAccount | undefined {
  return oidc.entities.Account as SignedInAccount | undefined;
}
