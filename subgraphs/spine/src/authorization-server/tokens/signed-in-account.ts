import type { Account, KoaContextWithOIDC } from "oidc-provider";
import type { UserAccess, UserAccount } from "../accounts/user-accounts.js";

/** oidc-provider's account with the platform's user and their access. Made anew for each request. */
export interface SignedInAccount extends Account {
  readonly user: UserAccount;
  readonly access: UserAccess;
  /** When the user authenticated, in epoch seconds. Undefined before a token is made. */
  readonly authTime: number | undefined;
}

/** Makes the account that oidc-provider works with; its `claims` go into ID tokens. */
export function createSignedInAccount(user: UserAccount, access: UserAccess, authTime?: number): SignedInAccount {
  const { userId, email, displayName } = user;
  return {
    accountId: userId,
    user,
    access,
    authTime,
    claims: async () => ({
      sub: userId,
      email,
      tenantId: user.tenant.tenantId,
      tenantSlug: user.tenantSlug,
      ...(displayName === null ? {} : { name: displayName }),
    }),
  };
}

/** The account of the current request; undefined when the client acts for itself. */
export function signedInAccountOf({ oidc }: KoaContextWithOIDC): SignedInAccount | undefined {
  return oidc.entities.Account as SignedInAccount | undefined;
}
