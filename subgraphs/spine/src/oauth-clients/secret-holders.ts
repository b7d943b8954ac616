import { columnsOf, type RecordOf, type RowOf } from "@factory/runtime/db/entity-rows";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { userStatuses } from "../rights/access-control/user-status-statement.js";
import { OAuthClient } from "./oauth-client.entity.js";

const shownMembers = ["clientId", "name", "status"] as const;
type Shown = (typeof shownMembers)[number];

type HeldRow = RowOf<OAuthClient, Shown> & { secret_held_by: string };

/** A client whose secret or keys a principal holds. */
export type HeldClient = RecordOf<OAuthClient, Shown>;

/**
 * Clients in the tenant that only this principal can act as: it alone was told the secret or installed the keys, itself
 * or through other such clients. Holders who are disabled or deleted do not count. Call `lockSecretHolders` before, so
 * that the holders do not change until the transaction ends.
 */
export async function clientsHeldOnlyBy(transaction: Transaction, principalId: string): Promise<HeldClient[]> {
  const rows = await transaction.execute<HeldRow>(
    `select ${columnsOf(OAuthClient, [...shownMembers, "secretHeldBy"])} from api_clients
     where tenant_id = $1 and secret_held_by is not null order by client_id`,
    [transaction.tenant.uuid],
  );
  const statuses = await userStatuses(transaction, new Set(rows.flatMap(holdersOf)));
  const held = soleHoldings(rows, (holder) => holder === principalId || isInactive(statuses.get(holder)), principalId);
  return rows
    .filter((row) => held.has(row.client_id))
    .map(({ client_id: clientId, name, status }) => ({ clientId, name, status }));
}

const holdersOf = ({ secret_held_by: holders }: HeldRow) => holders.split(" ");
const isInactive = (status: string | undefined) => status !== undefined && status !== "Active";

/** The entities for the Active ones among those clients, for changing them. */
export function loadActiveClients({ em, tenant }: Transaction, clients: readonly HeldClient[]): Promise<OAuthClient[]> {
  const active = clients.filter(({ status }) => status === "Active").map(({ clientId }) => clientId);
  return em.find(
    OAuthClient,
    { tenantId: tenant.tenantId, clientId: { $in: active } },
    { orderBy: { clientId: "asc" } },
  );
}

/**
 * The clients whose holders all are clients in this set, or do not count beside the principal. A client that holds its
 * own secret and a client cycle are in the set only if they lead to the principal.
 */
function soleHoldings(
  rows: readonly HeldRow[],
  isCovered: (holder: string) => boolean,
  principalId: string,
): Set<string> {
  const holders = new Map(rows.map((row) => [row.client_id, holdersOf(row)]));
  const heldClients = new Set(holders.keys());
  for (let before = -1; before !== heldClients.size; ) {
    before = heldClients.size;
    for (const id of heldClients)
      if (!holders.get(id)?.every((holder) => isCovered(holder) || heldClients.has(holder))) heldClients.delete(id);
  }
  const reachedHolders = new Set([principalId]);
  for (let before = -1; before !== reachedHolders.size; ) {
    before = reachedHolders.size;
    for (const id of heldClients)
      if (holders.get(id)?.some((holder) => reachedHolders.has(holder))) reachedHolders.add(id);
  }
  return new Set([...heldClients].filter((id) => reachedHolders.has(id)));
}
