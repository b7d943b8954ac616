// tables: webhook_subscriptions

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** $2: subscription. */
export const subscriptionTarget = tenantStatement(
  "notification_subscription_target",
  `select status, event_type from webhook_subscriptions
   where tenant_id = scope.tenant and subscription_id = $2 and status <> 'Deleted'`,
);
