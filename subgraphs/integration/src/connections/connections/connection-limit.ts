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
 * Lets connections' references and new credentials' names be read one after the other until the transaction ends:
 * otherwise a connection and its credential that are made at the same time would not see each other. Take it before the
 * locks on providers and connections.
 */
export async function lockConnections({ defer, tenant }: Transaction): Promise<void> {
  await defer(lock, [hashedLocks.connections(tenant.tenantId)]);
}

/**
 * Throws CONFLICT when the tenant has as many connections as are allowed. The lock lasts until the transaction ends, so
 * that requests at the same time cannot exceed the limit together.
 */
export async function requireRoomForConnection(transaction: Transaction): Promise<void> {
  await lockConnections(transaction);
  const { execute, tenant } = transaction;
  const [countRow] = await execute<{ count: number }>(count, [tenant.uuid]);
  if ((countRow?.count ?? 0) >= maxConnections)
    throw new DomainError("CONFLICT", {
      detail: `The tenant has ${maxConnections} connections, which is the limit. Delete one that is not used.`,
      limit: maxConnections,
    });
}
