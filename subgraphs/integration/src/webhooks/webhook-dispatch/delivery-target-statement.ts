// tables: webhook_subscriptions

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** $2: the subscription's uuid. */
export const targetOfSubscription = tenantStatement(
  "webhook_target",
  `select status, endpoint_url, content_type, credential_id, failing_since is not null as failing,
     failing_since is not null and warned_at is not null as warned,
     rate_per_second, headers, allowed_per_minute, handshake is not null and (handshake = 'Pending' or handshake_url is distinct from endpoint_url) as held
   from webhook_subscriptions where tenant_id = scope.tenant and subscription_id = $2`,
);
