import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { recordRevocation } from "../revocations/record-revocation.js";
import type { OAuthClient } from "./oauth-client.entity.js";
import { oauthClientFacts } from "./oauth-client.view.js";

/** Disables those of the clients that are Active, and revokes their tokens. */
export async function disableClients(transaction: Transaction, clients: readonly OAuthClient[]): Promise<void> {
  const active = clients.filter(({ status }) => status === "Active");
  if (active.length === 0) return;
  await recordRevocation(transaction, "Client", ...active.map(({ clientId }) => clientId));
  for (const client of active) {
    client.status = "Disabled";
    const subject = `clients/${client.clientId}`;
    transaction.record({ type: "ApiClientDisabled", subject, data: oauthClientFacts(client) });
  }
}
