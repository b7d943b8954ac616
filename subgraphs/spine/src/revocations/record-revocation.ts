import type { Revocation } from "@factory/runtime/auth/revocations";
import { maxLifetimeSeconds } from "@factory/runtime/auth/token-claims";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** PostgreSQL channel that wakes every process that verifies tokens, once the transaction is committed. */
export const revocationChannel = "spine_revocations";

/** Records that tokens issued to the subjects until now are revoked. Verifiers refuse them within a second after the commit. */
export async function recordRevocation(
  { execute, tenant, notify }: Pick<Transaction, "execute" | "tenant" | "notify">,
  kind: Revocation["kind"],
  ...subjects: readonly string[]
): Promise<void> {
  await execute(
    `insert into revocations (tenant_id, revocation_id, kind, subject, revoked_at, expires_at)
     select $1, gen_random_uuid(), $2, subject, clock_timestamp(), now() + make_interval(secs => $4)
     from unnest($3::text[]) as subject`,
    [tenant.uuid, kind, subjects, maxLifetimeSeconds],
  );
  notify(revocationChannel);
}
