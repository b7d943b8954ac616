import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { inactiveAmong } from "./inactive-users-statement.js";
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
 * through other such clients. Holders who are disabled or deleted do not count. Call `lockSecretHolders` before, so that the holders do not change until the transaction ends.
 */
export async function clientsHeldOnlyBy(transaction: Transaction, principalId: string): Promise<HeldClient[]> {
  const rows = await transaction.execute<HeldRow>(
    `select client_id, name, status, secret_held_by from api_clients
     where tenant_id = $1 and secret_held_by is not null order by client_id`,
    [transaction.tenant.uuid],
  );
  const held = soleHoldings(rows, principalId, await inactiveUsers(transaction, rows));
  return rows
    .filter((row) => held.has(row.client_id))
    .map(({ client_id: clientId, name, status }) => ({ clientId, name, status }));
}

/** The holders who are users of the tenant and not active. */
async function inactiveUsers({ execute, tenant }: Transaction, rows: readonly HeldRow[]): Promise<Set<string>> {
  const holders = new Set(rows.flatMap(({ secret_held_by: held }) => held.split(" ")));
  const uuids = [...holders].flatMap((holder) => decodeId("usr", holder) ?? []);
  const found = await execute<{ user_id: string }>(inactiveAmong, [tenant.uuid, uuids]);
  return new Set(found.map(({ user_id: userId }) => encodeId("usr", userId)));
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

/**
 * The clients all of whose holders are the principal, clients of this set, or people who are not active. A holder that is
 * the client itself does not count, and neither does a circle of clients that does not lead to the principal.
 */
function soleHoldings(rows: readonly HeldRow[], principalId: string, inactive: ReadonlySet<string>): Set<string> {
  const holdersOf = new Map(
    rows.map(({ client_id: id, secret_held_by: holders }) => [
      id,
      holders.split(" ").filter((holder) => holder !== id),
    ]),
  );
  const held = new Set(holdersOf.keys());
  const isCovered = (holder: string) => holder === principalId || held.has(holder) || inactive.has(holder);
  for (let before = -1; before !== held.size; ) {
    before = held.size;
    for (const id of held) if (!holdersOf.get(id)?.every(isCovered)) held.delete(id);
  }
  const reached = new Set([principalId]);
  for (let before = -1; before !== reached.size; ) {
    before = reached.size;
    for (const id of held) if (holdersOf.get(id)?.some((holder) => reached.has(holder))) reached.add(id);
  }
  return new Set([...held].filter((id) => reached.has(id)));
}
