import type { Transaction } from "@factory/runtime/db/database";
import { LockMode } from "@mikro-orm/postgresql";
import { ApiClient } from "./api-client.entity.js";

interface HeldRow {
  client_id: string;
  secret_held_by: string;
}

/**
 * Clients of the tenant whose secret or keys only this principal was told, or only clients of which the same is true.
 * Their rows stay locked until the transaction ends. After `lockHands`, so no more of them can come.
 */
export async function clientsHeldOnlyBy(transaction: Transaction, principalId: string): Promise<ApiClient[]> {
  const { em, tenant, execute } = transaction;
  const { tenantId } = tenant;
  const rows = await execute<HeldRow>(
    "select client_id, secret_held_by from api_clients where tenant_id = $1 and secret_held_by is not null",
    [tenant.uuid],
  );
  const held = [...soleHoldings(rows, principalId)];
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { clientId: "asc" } } as const;
  return em.find(ApiClient, { tenantId, clientId: { $in: held } }, lock);
}

function soleHoldings(rows: readonly HeldRow[], principalId: string): Set<string> {
  const clientsOf = new Map<string, { clientId: string; others: Set<string> }[]>();
  for (const { client_id: clientId, secret_held_by: holders } of rows) {
    const client = { clientId, others: new Set(holders.split(" ")) };
    for (const holder of client.others) {
      const known = clientsOf.get(holder);
      if (known) known.push(client);
      else clientsOf.set(holder, [client]);
    }
  }
  const held = new Set<string>();
  for (const hands = [principalId]; hands.length > 0; ) {
    const hand = hands.pop() ?? "";
    for (const { clientId, others } of clientsOf.get(hand) ?? []) {
      others.delete(hand);
      if (others.size > 0 || held.has(clientId)) continue;
      held.add(clientId);
      hands.push(clientId);
    }
  }
  return held;
}
