import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** One change of a tenant's open invitations at a time: what is counted or judged then holds until the transaction ends. */
export async function lockInvitations({ execute, tenant }: Transaction): Promise<void> {
  await execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [hashedLocks.invitations(tenant.tenantId)]);
}
