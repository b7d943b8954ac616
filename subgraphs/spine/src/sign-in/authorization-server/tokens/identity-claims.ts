import type { IdentityScope } from "@factory/schema/scopes";
import type { UserAccount } from "../accounts/user-accounts.js";

/** The claims about a person that each identity scope gives, beside `sub`. */
export const claimsOfScopes = {
  openid: ["email", "name", "tenantId", "tenantSlug"],
  profile: ["name"],
  email: ["email", "email_verified"],
  offline_access: [],
} as const satisfies Record<IdentityScope, readonly string[]>;

/** A claim name in `claimsOfScopes`. */
type PersonClaim = (typeof claimsOfScopes)[IdentityScope][number];

/** All claims about a person. A person without a name has no claim `name`. */
export function personClaims(user: UserAccount): { sub: string } & Partial<Record<PersonClaim, string | boolean>> {
  const { userId, email, emailVerified, displayName, tenant, tenantSlug } = user;
  return {
    sub: userId,
    email,
    email_verified: emailVerified,
    ...(displayName === null ? {} : { name: displayName }),
    tenantId: tenant.tenantId,
    tenantSlug,
  };
}

/** The claims about a person that these scopes give. */
export function personClaimsOf(user: UserAccount, scopes: readonly string[]): Record<string, string | boolean> {
  const claimNames = new Set<string>(["sub"]);
  for (const [scope, names] of Object.entries(claimsOfScopes))
    if (scopes.includes(scope)) for (const name of names) claimNames.add(name);
  return Object.fromEntries(Object.entries(personClaims(user)).filter(([name]) => claimNames.has(name)));
}
