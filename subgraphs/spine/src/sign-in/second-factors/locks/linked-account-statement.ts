import type { RowOf } from "@factory/runtime/db/entity-rows";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { UserRow } from "../../../people/users/user.view.js";
import type { FactorLock } from "./factor-lock.entity.js";
import { isSpent } from "./lock-statement.js";

// tables: factor_locks, users, tenants

/** A user's address, and the tenant's name. */
type AccountRow = Pick<UserRow, "email"> & { organization: string };

/** The account behind a link. */
export type LinkedAccountRow = RowOf<FactorLock, "tenantId" | "userId"> & AccountRow;

/**
 * The account for the link with the digest `$1`. It runs as the worker role, because the tenant is not known before.
 */
export const accountOfLink = {
  name: "account_of_factor_lock_link",
  text: `select tenant_id, user_id, email, tenants.name as organization
    from factor_locks join users using (tenant_id, user_id) join tenants using (tenant_id)
    where link_digest = $1 and locked_at is not null and link_expires_at > now() and not ${isSpent}
      and users.status = 'Active' and tenants.status = 'Active'`,
};

/** The facts for the mail to a person whose codes are locked. */
export type LockedPersonRow = AccountRow &
  RowOf<FactorLock, "linkExpiresAt"> & {
    open_nonce: string | null;
    next_link_at: Date | null;
  };

export const lockedPerson = tenantStatement(
  "person_with_factor_lock",
  `select email, tenants.name as organization, link_expires_at,
     case when link_expires_at > now() then link_nonce end as open_nonce,
     case when ${isSpent} then link_used_at + interval '24 hours' end as next_link_at
   from factor_locks join users using (tenant_id, user_id) join tenants using (tenant_id)
   where factor_locks.tenant_id = scope.tenant and user_id = $2 and locked_at is not null and users.status = 'Active'
   limit 1`,
);
