import { tenantStatement } from "@factory/runtime/db/tenant-statement";

// tables: unsubscribed_addresses, notification_preferences, users

/** Whether the address was unsubscribed, and the user with the address has not switched the category on since then. */
export const unsubscribedAddress = tenantStatement(
  "unsubscribed_address",
  `select true as known from unsubscribed_addresses gone
   where gone.tenant_id = scope.tenant and gone.address_digest = $digest and gone.category = $category and not exists (
     select from users person join notification_preferences wish using (tenant_id, user_id)
     where person.tenant_id = scope.tenant and person.email_key = $emailKey and person.status = 'Active'
       and wish.channel = 'Email' and wish.category = gone.category and wish.enabled
       and wish.updated_at > gone.created_at)
   limit 1`,
);

/** $1: tenant, $2: the address's digest, $3: category. */
export const unsubscribeAddress = {
  name: "unsubscribed_address_add",
  text: `insert into unsubscribed_addresses (tenant_id, address_digest, category, created_at)
    values ($1, $2, $3, now())
    on conflict (tenant_id, address_digest, category) do update set created_at = excluded.created_at`,
};

/** $1: tenant, $2: the address's key. */
export const userOfAddress = {
  name: "user_of_unsubscribed_address",
  text: "select user_id from users where tenant_id = $1 and email_key = $2 and status = 'Active'",
};
