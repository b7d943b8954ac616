import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { recordRevocation } from "../ground/revocations/record-revocation.js";
import { requireClientLimit } from "./client-limits.js";
import { OAuthClient } from "./oauth-client.entity.js";
import { oauthClientFacts } from "./oauth-client.view.js";

/**
 * Disables the Active ones among the clients, and revokes their tokens. `withUser`: this user was disabled, and the
 * clients are enabled again when the user is.
 */
export async function disableClients(
  transaction: Transaction,
  clients: readonly OAuthClient[],
  withUser: string | null = null,
): Promise<void> {
  const active = clients.filter(({ status }) => status === "Active");
  if (active.length === 0) return;
  await recordRevocation(transaction, "Client", ...active.map(({ clientId }) => clientId));
  for (const client of active) {
    client.status = "Disabled";
    client.disabledWith = withUser;
    const subject = `clients/${client.clientId}`;
    transaction.record({ type: "ApiClientDisabled", subject, data: oauthClientFacts(client) });
  }
}

/** Makes the client Active again. Its tokens from before stay refused. */
export function enableClient({ record }: Transaction, client: OAuthClient): void {
  client.status = "Active";
  client.disabledWith = null;
  record({ type: "ApiClientEnabled", subject: `clients/${client.clientId}`, data: oauthClientFacts(client) });
}

/** Enables the clients that were disabled together with the user, and by nobody else. */
export async function enableClientsOf(transaction: Transaction, userId: string): Promise<void> {
  const { em, tenant } = transaction;
  const where = { tenantId: tenant.tenantId, disabledWith: userId, status: "Disabled" } as const;
  const clients = await em.find(OAuthClient, where, { orderBy: { clientId: "asc" } });
  if (clients.length > 0) await requireClientLimit(transaction, { added: clients.length, isNew: false });
  for (const client of clients) enableClient(transaction, client);
}
