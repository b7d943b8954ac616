import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** Deleting a user may disable them all in one transaction, with up to 40 KiB of redirect URIs each. */
const maxActiveClients = 500;
/** Clients are never deleted, and deleting a user reads them all. */
const maxClients = 5_000;

/** Throws `CONFLICT` if the tenant may not have so many further Active clients. Concurrent requests may exceed the limits by a few. */
export async function requireClientLimit(
  { execute, tenant }: Transaction,
  { added = 1, isNew }: { added?: number; isNew: boolean },
): Promise<void> {
  const [count] = await execute<{ active: number; total: number }>(
    `select count(*) filter (where status = 'Active')::int as active, count(*)::int as total
     from api_clients where tenant_id = $1`,
    [tenant.uuid],
  );
  if (count && count.active + added > maxActiveClients)
    throw tooMany(
      maxActiveClients,
      `A tenant has at most ${maxActiveClients} Active clients. Disable some of them first.`,
    );
  if (count && isNew && count.total >= maxClients)
    throw tooMany(maxClients, `A tenant has at most ${maxClients} clients, disabled ones included.`);
}

const tooMany = (limit: number, detail: string) => new DomainError("CONFLICT", { detail, limit });
