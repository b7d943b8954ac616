// tables: connections, webhook_subscriptions

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/**
 * A delivery's project: its connection's project, else the one that belongs to the Inbound subscription whose secret
 * has verified it. `delivery` is the alias for its row.
 */
export const projectOf = (delivery: string): string => `coalesce(
      (select connection.project_id from connections connection where connection.tenant_id = ${delivery}.tenant_id
        and connection.connection_id = ${delivery}.connection_id),
      (select subscription.project_id from webhook_subscriptions subscription
        where subscription.tenant_id = ${delivery}.tenant_id and subscription.subscription_id = ${delivery}.subscription_id
          and subscription.direction = 'Inbound'))`;

/** $2: Inbound subscriptions. Those with a project. A worker sees only Active ones, so that the tenant reads them. */
export const projectsOfInbound = tenantStatement(
  "webhook_subscriptions_projects",
  `select subscription_id, project_id from webhook_subscriptions
   where tenant_id = scope.tenant and subscription_id = any($2::uuid[]) and direction = 'Inbound'
     and project_id is not null`,
);
