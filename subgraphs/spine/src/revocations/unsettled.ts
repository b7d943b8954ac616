import { commitMarginMs } from "@factory/runtime/auth/revocations";
import { type TenantReader, tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";

const newestRevocation = tenantStatement(
  "newest_revocation",
  `select extract(epoch from clock_timestamp() - max(revoked_at)) * 1000 as age_ms from revocations
   where tenant_id = scope.tenant and kind = 'Principal' and subject = $2 and revoked_at > now() - interval '5 seconds'`,
);

/** Milliseconds until a token of this user can be told from those that a revocation covers. */
export async function unsettledFor(reader: TenantReader, tenant: Tenant, userId: string): Promise<number> {
  const newest = await reader.row<{ age_ms: string | null }>(newestRevocation, tenant, userId);
  if (newest?.age_ms == null) return 0;
  return Math.max(0, Math.ceil(commitMarginMs - Number(newest.age_ms)) + 1);
}
