// tables: webhook_subscriptions

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** $2: uuid of the subscription. */
export const targetOfSubscription = tenantStatement(
  "webhook_target",
  `select status, endpoint_url, content_type, credential_id, failing_since is not null as failing
   from webhook_subscriptions where tenant_id = scope.tenant and subscription_id = $2`,
);
