import { tenantStatement } from "@factory/runtime/db/tenant-statement";

// tables: tenants, plan_subscriptions

/** A tenant's edition and the state of its plan subscription; no row for an unknown tenant. */
export const tenantPlan = tenantStatement(
  "tenant_plan",
  `select coalesce(plan.edition_code, tenants.edition_code) as edition_code, plan.status
   from tenants left join lateral (
     select edition_code, status from plan_subscriptions
     where plan_subscriptions.tenant_id = tenants.tenant_id order by created_at desc limit 1) plan on true
   where tenants.tenant_id = scope.tenant`,
);
