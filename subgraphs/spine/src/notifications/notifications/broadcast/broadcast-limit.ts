import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** A broadcast writes a row for each user, so a tenant cannot have many of them. */
const maxPerHour = 60;

const countRecent = {
  name: "broadcasts_of_hour",
  text: `select count(*)::int as recent,
      ceil(extract(epoch from min(created_at) + interval '1 hour' - now()))::int as seconds
    from notification_messages
    where tenant_id = $1 and audience <> 'Recipients' and created_at > now() - interval '1 hour'`,
};

/** Takes turns with other broadcasts of the tenant until the transaction ends. Throws RATE_LIMITED after 60 in an hour. */
export async function requireFewBroadcasts({ execute, tenant }: Transaction): Promise<void> {
  await execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [hashedLocks.broadcasts(tenant.tenantId)]);
  const [row] = await execute<{ recent: number; seconds: number }>(countRecent, [tenant.uuid]);
  if (!row || row.recent < maxPerHour) return;
  throw new DomainError("RATE_LIMITED", {
    detail: `A tenant can send at most ${maxPerHour} broadcasts in an hour.`,
    retryAfterSeconds: Math.max(row.seconds, 1),
  });
}
