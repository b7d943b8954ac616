import type { RowOf } from "@factory/runtime/db/entity-rows";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { UserRow } from "../../users/user.view.js";
import type { PasswordReset } from "./password-reset.entity.js";

// tables: password_resets, users, tenants

/** A user's account, with the tenant's name. */
type AccountRow = Pick<UserRow, "email"> & { organization: string };

export type ResettableUserRow = Pick<UserRow, "tenant_id" | "user_id">;

/**
 * The active users with the e-mail key `$1` in active tenants; in one tenant if its slug `$2` is given. It runs as the
 * worker role, because the tenant is not known before.
 */
export const resettableUsers = {
  name: "resettable_users",
  text: `select tenant_id, user_id from users join tenants using (tenant_id)
    where email_key = $1 and users.status = 'Active' and tenants.status = 'Active' and ($2::text is null or slug = $2)
    order by slug limit 5`,
};

export type ResetByTokenRow = RowOf<PasswordReset, "tenantId" | "resetId" | "userId"> & AccountRow;

/** The open reset whose token has the digest `$1`. One lookup by index for every token. */
export const resetByToken = {
  name: "reset_of_token",
  text: `select tenant_id, reset_id, reset.user_id, email, tenants.name as organization
    from password_resets reset join users using (tenant_id, user_id) join tenants using (tenant_id)
    where token_digest = $1 and expires_at > now() and users.status = 'Active' and tenants.status = 'Active'`,
};

export type OpenResetRow = RowOf<PasswordReset, "tokenNonce" | "expiresAt"> & AccountRow;

/** The open reset `$2`, for its mail. */
export const openResetById = tenantStatement(
  "open_password_reset",
  `select email, tenants.name as organization, token_nonce, reset.expires_at
   from password_resets reset join users using (tenant_id, user_id) join tenants using (tenant_id)
   where reset.tenant_id = scope.tenant and reset_id = $2 and reset.expires_at > now() and users.status = 'Active'
   limit 1`,
);
