import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** Locks the tenant's open invitations until the transaction ends, so that counts and checks stay true. */
export async function lockInvitations({ execute, tenant }: Transaction): Promise<void> {
  await execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [hashedLocks.invitations(tenant.tenantId)]);
}
