import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { FactsOfTenant } from "@factory/runtime/tenant-facts/facts-of-tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { announceInboundSources } from "../../providers/providers/inbound-sources.js";
import type { SubscriptionChangeListeners } from "./subscription-change-listeners.js";
import { requireRoomForWebhook } from "./webhook-limit.js";
import { type WebhookSubscriptionState, webhookSubscriptionStates } from "./webhook-subscription.states.js";
import {
  readSubscription,
  type SubscriptionRecord,
  type SubscriptionRow,
  subscriptionColumns,
} from "./webhook-subscription.view.js";

/**
 * A new state ends the failure streak, so that a resumed subscription has its full time again, also for a handshake
 * that has not succeeded. The sweeper sends that handshake's job.
 */
const change = {
  name: "webhook_subscription_move",
  text: `update webhook_subscriptions set status = $3, disabled_reason = null, failing_since = null,
      exhausted_since = null, warned_at = null, version = version + 1,
      handshake_since = case when $3 = 'Active' and handshake = 'Pending' then now() else handshake_since end,
      handshake_next_at = case when $3 = 'Active' and handshake = 'Pending' then now() else handshake_next_at end,
      handshake_attempts = case when $3 = 'Active' and handshake = 'Pending' then 0 else handshake_attempts end, deleted_at = case when $3 = 'Deleted' then now() end
    where tenant_id = $1 and subscription_id = $2 returning ${subscriptionColumns}`,
};

const eventOf = {
  Active: "WebhookSubscriptionResumed",
  Paused: "WebhookSubscriptionPaused",
  Deleted: "WebhookSubscriptionDeleted",
} as const;

type WantedState = keyof typeof eventOf;

/** Moves webhook subscriptions between their states, as a caller wants it. */
export class WebhookSubscriptionStates {
  readonly #listeners: SubscriptionChangeListeners;

  constructor(listeners: SubscriptionChangeListeners) {
    this.#listeners = listeners;
  }

  /**
   * Moves a locked subscription, and records the move's event. `facts` are the tenant's: a Disabled subscription does
   * not count, so it needs room to become Active. Throws INVALID_STATE or ENTITLEMENT_DENIED.
   */
  async moveIn(
    transaction: Transaction,
    current: SubscriptionRecord,
    to: WantedState,
    facts?: FactsOfTenant,
  ): Promise<SubscriptionRecord> {
    const { subscriptionId, status: from, direction, providerId, eventType, projectId } = current;
    if (!webhookSubscriptionStates[from].next.some((next: WebhookSubscriptionState) => next === to))
      throw refusedMove(from, to);
    if (from === "Disabled" && to === "Active" && facts) await requireRoomForWebhook(transaction, facts);
    announceInboundSources(transaction);
    const { execute, record, tenant } = transaction;
    const subscription = decodeId("whs", subscriptionId) ?? "";
    const [row] = await execute<SubscriptionRow>(change, [tenant.uuid, subscription, to]);
    record({
      type: eventOf[to],
      subject: `webhook-subscriptions/${subscriptionId}`,
      projectId,
      data: { subscriptionId, direction, providerId, eventType, status: to, previousStatus: from, projectId },
    });
    await this.#listeners.call(transaction, subscription);
    return row ? readSubscription(row) : current;
  }
}

function refusedMove(from: WebhookSubscriptionState, to: WantedState): DomainError {
  const before = Object.entries(webhookSubscriptionStates).filter(([, { next }]) => next.some((state) => state === to));
  const states = before.map(([state]) => state);
  return new DomainError("INVALID_STATE", {
    detail: `The webhook subscription is ${from}. It can become ${to} only from ${states.join(" or ")}.`,
    currentState: from,
    allowed: states,
  });
}
