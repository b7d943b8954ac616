// tables: users, tenants

import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { versionOf } from "../../../ground/revocations/subject-version.js";
import { type AccountFactsRow, accountColumns } from "../../../people/users/user.view.js";
import { type AccessRow, accessColumns } from "../../../rights/roles/effective-access.js";
import type { StoredTenant } from "../../../tenants/tenants/tenant.view.js";

/** A user with the tenant. */
export type UserAccountRow = AccountFactsRow &
  Pick<StoredTenant, "slug" | "edition_code"> & {
    email_verified: boolean;
    tenant_status: StoredTenant["status"];
    tenant_version: number;
  };

const accounts = `select ${accountColumns}, coalesce(verified_email_key = email_key, false) as email_verified, slug,
    tenant.status as tenant_status, edition_code,
    ${versionOf("Tenant", "account.tenant_id")} as tenant_version
  from users account join tenants tenant on tenant.tenant_id = account.tenant_id`;
/** A user ($1, UUID) in any state. */
export const userAccountById = { name: "account_by_id", text: `${accounts} where user_id = $1` };
/** Users by e-mail key ($1), in one tenant if its UUID ($2) or slug ($3) is given. */
export const userAccountsByEmail = {
  name: "accounts_by_email",
  text: `${accounts} where email_key = $1 and account.status <> 'Deleted'
    and ($2::uuid is null or account.tenant_id = $2) and ($3::text is null or slug = $3) order by slug limit 20`,
};

/** A user's access, as PostgreSQL gives it, with the user's state in the same snapshot. */
export type UserAccessRow = AccessRow & Pick<AccountFactsRow, "status" | "sign_in_version">;

/** One row for a user in the tenant ($2: `usr_…`, $3: the same as UUID). */
export const userAccess = tenantStatement(
  "access_of_user",
  `select status, sign_in_version, ${accessColumns} from users where tenant_id = scope.tenant and user_id = $3`,
);
