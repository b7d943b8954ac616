// tables: users, tenants
import { versionOf } from "../../../ground/revocations/subject-version.js";
import type { UserState } from "../../../people/users/user.states.js";
import type { TenantState } from "../../../tenants/tenants/tenant.states.js";

/** A row of `users` with its tenant, as PostgreSQL gives it. */
export interface UserAccountRow {
  user_id: string;
  email: string;
  email_verified: boolean;
  display_name: string | null;
  status: UserState;
  password_hash: string;
  sign_in_version: number;
  tenant_id: string;
  slug: string;
  tenant_status: TenantState;
  edition_code: string;
  tenant_version: number;
}

const accounts = `select user_id, email, coalesce(verified_email_key = email_key, false) as email_verified, display_name, account.status, password_hash, sign_in_version, tenant.tenant_id, slug,
    tenant.status as tenant_status, edition_code,
    ${versionOf("Tenant", "account.tenant_id")} as tenant_version
  from users account join tenants tenant on tenant.tenant_id = account.tenant_id`;
/** A user ($1, UUID) in any state. */
export const userAccountById = { name: "account_by_id", text: `${accounts} where user_id = $1` };
/** Users by e-mail key ($1), of one tenant if its UUID ($2) or slug ($3) is given. */
export const userAccountsByEmail = {
  name: "accounts_by_email",
  text: `${accounts} where email_key = $1 and account.status <> 'Deleted'
    and ($2::uuid is null or account.tenant_id = $2) and ($3::text is null or slug = $3) order by slug limit 20`,
};
