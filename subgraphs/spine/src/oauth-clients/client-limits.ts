import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** What deleting a user may have to disable in one transaction, at 40 KiB of addresses each. */
const maxActiveClients = 500;
/** Clients are never deleted, and deleting a user looks at all of them. */
const most = 5_000;

/** Refuses one more Active client. Requests of the same moment may exceed the limits by a few. */
export async function requireClientLimit({ execute, tenant }: Transaction, isNew: boolean): Promise<void> {
  const [count] = await execute<{ active: number; total: number }>(
    `select count(*) filter (where status = 'Active')::int as active, count(*)::int as total
     from api_clients where tenant_id = $1`,
    [tenant.uuid],
  );
  if (count && count.active >= maxActiveClients)
    throw tooMany(maxActiveClients, `A tenant has at most ${maxActiveClients} Active clients: disable some.`);
  if (count && isNew && count.total >= most) throw tooMany(most, `A tenant has at most ${most} clients.`);
}

const tooMany = (limit: number, detail: string) => new DomainError("CONFLICT", { detail, limit });
