import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { ConnectionStates } from "../../connections/connections/connection-moves.js";
import type { ProviderDriver } from "../../providers/provider-drivers/provider-driver.js";
import type { DeliveryHandler } from "./delivery-handlers.js";
import { isFromVendor } from "./delivery-source.js";
import { connectionsOfAccount } from "./revoked-connection-statement.js";

/** Whether an event with one of these names says that a credential was revoked. */
export function saysRevoked(driver: ProviderDriver | undefined, ...names: readonly string[]): boolean {
  const revocations = driver?.webhook?.revokedEvents ?? [];
  return names.some((name) => revocations.includes(name));
}

/**
 * A vendor tells that a credential was revoked: the delivery's connection, and the others with the same account at the
 * vendor, need a new authorization. A delivery without a connection moves nothing, since a provider may serve many
 * accounts.
 */
export function revokedCredential(states: ConnectionStates): DeliveryHandler {
  return async (transaction, { delivery, provider }) => {
    const isRevoked = saysRevoked(provider?.driver, delivery.event_name, delivery.normalized_event_type);
    if (delivery.connection_id === null || !isRevoked) return false;
    if (!(await isFromVendor(transaction, delivery))) return false;
    const values = [delivery.tenant_id, delivery.provider_id, delivery.connection_id];
    const rows = await transaction.execute<{ connection_id: string }>(connectionsOfAccount, values);
    for (const { connection_id } of rows)
      await states.moveIn(transaction, encodeId("con", connection_id), "AuthorizationRequired", {
        reason: "CredentialRevokedByVendor",
        runId: encodeId("run", delivery.run_id),
      });
    return true;
  };
}
