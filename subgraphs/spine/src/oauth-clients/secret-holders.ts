import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { OAuthClient } from "./oauth-client.entity.js";

interface HeldRow {
  client_id: string;
  name: string;
  status: "Active" | "Disabled";
  secret_held_by: string;
}

/** A client whose secret or keys a principal holds. */
export interface HeldClient {
  readonly clientId: string;
  readonly name: string;
  readonly status: "Active" | "Disabled";
}

/**
 * Clients of the tenant that only this principal can act as: it alone was told the secret or installed the keys, itself or
 * through other such clients. Call `lockSecretHolders` before, so that the holders do not change until the transaction ends.
 */
export async function clientsHeldOnlyBy(transaction: Transaction, principalId: string): Promise<HeldClient[]> {
  const rows = await transaction.execute<HeldRow>(
    `select client_id, name, status, secret_held_by from api_clients
     where tenant_id = $1 and secret_held_by is not null order by client_id`,
    [transaction.tenant.uuid],
  );
  const held = soleHoldings(rows, principalId);
  return rows
    .filter((row) => held.has(row.client_id))
    .map(({ client_id: clientId, name, status }) => ({ clientId, name, status }));
}

/** The entities of those clients that are Active, for changing them. */
export function loadActiveClients({ em, tenant }: Transaction, clients: readonly HeldClient[]): Promise<OAuthClient[]> {
  const active = clients.filter(({ status }) => status === "Active").map(({ clientId }) => clientId);
  return em.find(
    OAuthClient,
    { tenantId: tenant.tenantId, clientId: { $in: active } },
    { orderBy: { clientId: "asc" } },
  );
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
