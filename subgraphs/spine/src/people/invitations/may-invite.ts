import type { PrincipalPermissions } from "../../rights/access-control/principal-permissions-statement.js";

/** Whether the inviter may invite somebody to these roles. An inviter without permissions here is the platform. */
export function mayInvite(
  permissions: PrincipalPermissions | undefined,
  roles: readonly { readonly scopes: readonly string[] }[],
): boolean {
  if (!permissions) return true;
  const neededScopes = ["user.invite", ...roles.flatMap(({ scopes }) => scopes)];
  return permissions.status === "Active" && neededScopes.every((scope) => permissions.scopes.has(scope));
}
