import type { TenantLookup } from "@factory/runtime/auth/confirmed-tenants";
import type { ReadPipeline } from "@factory/runtime/connections/read-pipeline";
import { decodeId } from "@factory/runtime/identifiers/wire-id";

const known = { name: "tenant_exists", text: "select from tenants where tenant_id = $1" };

/** Tells whether a tenant exists, in any state. `reads` connects as the worker role, which sees every tenant. */
export function tenantLookup(reads: Pick<ReadPipeline, "query">): TenantLookup {
  return async (tenantId) => {
    const uuid = decodeId("ten", tenantId);
    return uuid !== undefined && (await reads.query({ ...known, values: [uuid] })).length > 0;
  };
}
