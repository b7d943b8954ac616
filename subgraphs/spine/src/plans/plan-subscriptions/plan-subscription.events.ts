import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { PlanSubscription } from "./plan-subscription.entity.js";
import { planSubscriptionFacts } from "./plan-subscription.view.js";

type PlanSubscriptionEvent =
  | "SubscriptionTrialStarted"
  | "SubscriptionActivated"
  | "SubscriptionRenewed"
  | "SubscriptionLapsed"
  | "SubscriptionSuspended"
  | "SubscriptionCancelled"
  | "SubscriptionExpired";

/** The data in an event beside the plan subscription's facts. */
interface ChangeFacts {
  /** When the change took effect by the calendar, which can be before the event. */
  readonly effectiveAt: Date;
  readonly [fact: string]: unknown;
}

/** Records the event for a change that was made in the row. */
export function recordPlanChange(
  { record }: Pick<Transaction, "record">,
  plan: PlanSubscription,
  type: PlanSubscriptionEvent,
  { effectiveAt, ...facts }: ChangeFacts,
): void {
  const data = { ...planSubscriptionFacts(plan), effectiveAt: effectiveAt.toISOString(), ...facts };
  record({ type, subject: `subscriptions/${plan.subscriptionId}`, data });
}
