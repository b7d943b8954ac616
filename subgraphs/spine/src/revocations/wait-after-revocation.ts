import { commitMarginMs } from "@factory/runtime/auth/revocations";
import { type TenantReader, tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";

const newestRevocation = tenantStatement(
  "newest_revocation",
  `select extract(epoch from clock_timestamp() - max(revoked_at)) * 1000 as age_ms from revocations
   where tenant_id = scope.tenant and kind = 'Principal' and subject = $2 and revoked_at > now() - interval '1 minute'`,
);

/**
 * Milliseconds to wait until a token of this user that begins to be made then is certainly newer than the user's latest
 * revocation. Undefined if a token whose making began at `readStartMs` (epoch milliseconds) is newer already.
 */
export async function waitAfterRevocationMs(
  reader: TenantReader,
  tenant: Tenant,
  userId: string,
  readStartMs: number,
): Promise<number | undefined> {
  const newest = await reader.row<{ age_ms: string | null }>(newestRevocation, tenant, userId);
  if (newest?.age_ms == null) return undefined;
  const settledForMs = Number(newest.age_ms) - commitMarginMs;
  return settledForMs > Date.now() - readStartMs ? undefined : Math.max(0, Math.ceil(-settledForMs) + 1);
}
