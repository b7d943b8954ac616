import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import {
  readSubscription,
  type SubscriptionRecord,
  type SubscriptionRow,
  subscriptionColumns,
} from "./webhook-subscription.view.js";

const lockOne = {
  name: "webhook_subscription_lock",
  text: `select ${subscriptionColumns} from webhook_subscriptions
    where tenant_id = $1 and subscription_id = $2 and status <> 'Deleted' for no key update`,
};

/** The subscription, locked until the transaction ends. Throws WEBHOOK_SUBSCRIPTION_NOT_FOUND. */
export async function lockedSubscription(
  { execute, tenant }: Transaction,
  subscriptionId: string,
): Promise<SubscriptionRecord> {
  const uuid = decodeId("whs", subscriptionId);
  const [row] = uuid === undefined ? [] : await execute<SubscriptionRow>(lockOne, [tenant.uuid, uuid]);
  if (!row) throw unknownSubscription();
  return readSubscription(row);
}

/** The refusal for an ID that the tenant does not have, or for a subscription that was deleted. */
export function unknownSubscription(): DomainError {
  return new DomainError("WEBHOOK_SUBSCRIPTION_NOT_FOUND", {
    detail: "The webhook subscription does not exist in this tenant.",
  });
}
