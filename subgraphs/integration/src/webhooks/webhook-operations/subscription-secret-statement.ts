// tables: webhook_subscriptions

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** $2: the subscription's uuid. */
export const secretOfSubscription = tenantStatement(
  "webhook_subscription_secret",
  `select status, credential_id from webhook_subscriptions
   where tenant_id = scope.tenant and subscription_id = $2 and status <> 'Deleted'`,
);
