import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ClaimedDelivery } from "./claimed-delivery.js";
import { inboundSubscription } from "./delivery-source-statement.js";

/**
 * Whether a delivery may change a state. The secret of an outbound subscription verifies deliveries too, but its receiver
 * knows it, and a receiver is no vendor. A subscription that is known no more counts as one of them.
 */
export async function isFromVendor(
  { execute }: Transaction,
  { tenant_id, subscription_id }: ClaimedDelivery,
): Promise<boolean> {
  if (subscription_id === null) return true;
  return (await execute(inboundSubscription, [tenant_id, subscription_id])).length > 0;
}
