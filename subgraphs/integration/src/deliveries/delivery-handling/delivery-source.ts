import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ClaimedDelivery } from "./claimed-delivery.js";
import { connectionsOfSource, inboundSubscription } from "./delivery-source-statement.js";

/**
 * Whether a delivery may change a state. An outbound subscription's secret verifies deliveries too, but its receiver
 * knows it, and a receiver is not the vendor. A subscription whose row is gone counts as outbound.
 */
export async function isFromVendor(
  { execute }: Transaction,
  { tenant_id, subscription_id }: ClaimedDelivery,
): Promise<boolean> {
  if (subscription_id === null) return true;
  return (await execute(inboundSubscription, [tenant_id, subscription_id])).length > 0;
}

/**
 * The connections (UUIDs) about which a delivery may tell, since one connection's secret says nothing about another
 * account. Null for all the provider's connections: an Inbound subscription has verified it, or no connection is known.
 */
export async function connectionsOfDelivery(
  { execute }: Transaction,
  { tenant_id, subscription_id, connection_id }: ClaimedDelivery,
): Promise<readonly string[] | null> {
  if (subscription_id !== null || connection_id === null) return null;
  const rows = await execute<{ connection_id: string }>(connectionsOfSource, [tenant_id, connection_id]);
  return rows.map(({ connection_id: id }) => id);
}
