import type { TenantLookup } from "@factory/runtime/auth/confirmed-tenants";
import type { ReadPipeline } from "@factory/runtime/connections/read-pipeline";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Pool } from "pg";

const query = { name: "tenant_exists", text: "select from tenants where tenant_id = $1" };

/** Tells whether a tenant exists, in any state. `reads` connects as the worker role, which sees every tenant. */
export function tenantLookup(reads: Pick<ReadPipeline, "query">): TenantLookup {
  return async (tenantId) => {
    const uuid = decodeId("ten", tenantId);
    return uuid !== undefined && (await reads.query({ ...query, values: [uuid] })).length > 0;
  };
}

const withPlan = { name: "tenant_of_plan", text: "select tenant_id from tenants where subscription_id = $1" };

/** The tenant UUID for the plan subscription with this UUID. `workers` connects as the worker role. */
export async function tenantOfPlanSubscription(
  workers: Pick<Pool, "query">,
  planSubscription: string,
): Promise<string | undefined> {
  const { rows } = await workers.query<{ tenant_id: string }>({ ...withPlan, values: [planSubscription] });
  return rows[0]?.tenant_id;
}
