// tables: refused_deliveries, webhook_subscriptions, connections

import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** Counts refusals. A row keeps its first and its newest refusal's time. */
export const countRefusals = namedStatement(
  "refused_deliveries_count",
  `insert into refused_deliveries as known (tenant_id, resource_id, count, last_reason, first_refused_at, last_refused_at)
  select told.tenant_id, told.resource_id, told.count, told.reason, told.at, told.at
  from unnest($tenants::uuid[], $resources::uuid[], $counts::bigint[], $reasons::text[], $times::timestamptz[])
    told(tenant_id, resource_id, count, reason, at)
  order by told.tenant_id, told.resource_id
  on conflict (tenant_id, resource_id) do update set count = known.count + excluded.count,
    last_reason = case when excluded.last_refused_at >= known.last_refused_at
      then excluded.last_reason else known.last_reason end,
    last_refused_at = greatest(known.last_refused_at, excluded.last_refused_at)`,
);

const counts = `coalesce(refused.count, 0)::text as count, refused.last_reason, refused.first_refused_at,
  refused.last_refused_at`;

/** The refusals for one resource in the tenant. Without a row the resource does not exist. */
export const refusalsOf = {
  subscription: tenantStatement(
    "refused_deliveries_of_subscription",
    `select ${counts} from webhook_subscriptions subscription
     left join refused_deliveries refused on refused.tenant_id = subscription.tenant_id
       and refused.resource_id = subscription.subscription_id
     where subscription.tenant_id = scope.tenant and subscription.subscription_id = $2
       and subscription.status <> 'Deleted'`,
  ),
  connection: tenantStatement(
    "refused_deliveries_of_connection",
    `select ${counts} from connections connection
     left join refused_deliveries refused on refused.tenant_id = connection.tenant_id
       and refused.resource_id = connection.connection_id
     where connection.tenant_id = scope.tenant and connection.connection_id = $2 and connection.status <> 'Deleted'`,
  ),
} as const;
