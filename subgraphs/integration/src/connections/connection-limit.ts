import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** The connections that a tenant may have at a time. Deleted ones do not count. */
const maxConnections = 1000;

const lock = { name: "connection_limit_lock", text: "select pg_advisory_xact_lock(hashtextextended($1, 0))" };

const count = {
  name: "connection_limit_count",
  text: `select count(*)::int as count from (
      select from connections where tenant_id = $1 and status <> 'Deleted' limit ${maxConnections}
    ) counted`,
};

/**
 * Throws CONFLICT when the tenant has as many connections as are allowed. The lock lasts until the transaction ends, so
 * that requests at the same time cannot exceed the limit together.
 */
export async function requireRoomForConnection({ defer, execute, tenant }: Transaction): Promise<void> {
  await defer(lock, [hashedLocks.connections(tenant.tenantId)]);
  const [found] = await execute<{ count: number }>(count, [tenant.uuid]);
  if ((found?.count ?? 0) >= maxConnections)
    throw new DomainError("CONFLICT", {
      detail: `The tenant has ${maxConnections} connections, which is the limit. Delete one that is not used.`,
      limit: maxConnections,
    });
}
