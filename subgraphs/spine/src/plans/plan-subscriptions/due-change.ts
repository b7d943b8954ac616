import { nextPeriodEnd } from "./plan-period.js";
import type { PlanSubscription } from "./plan-subscription.entity.js";
import type { PlanSubscriptionState } from "./plan-subscription.states.js";

const graceDays = 7;
const dayMs = 86_400_000;

/** A change that time makes. */
interface DueChange {
  readonly at: Date;
  readonly to: PlanSubscriptionState;
  readonly event: "SubscriptionRenewed" | "SubscriptionSuspended" | "SubscriptionCancelled" | "SubscriptionExpired";
}

type Times = Pick<
  PlanSubscription,
  "status" | "currentPeriodEnd" | "cancelAt" | "trialEndsAt" | "pastDueSince" | "billingCycle" | "anchorAt"
>;

/** The time at which the grace period after a failed payment ends. */
export const graceEndOf = (pastDueSince: Date): Date => new Date(pastDueSince.getTime() + graceDays * dayMs);

/** The time at which a trial that begins now ends after so many days. */
export const trialEnd = (now: Date, days: number): Date => new Date(now.getTime() + days * dayMs);

/** The next change that time makes; undefined when time alone changes nothing. */
export function dueChangeOf(plan: Times): DueChange | undefined {
  const change = changeOfState(plan);
  const { cancelAt } = plan;
  const isOpen = change !== undefined || plan.status === "Suspended";
  if (cancelAt && isOpen && (change === undefined || cancelAt <= change.at))
    return { at: cancelAt, to: "Cancelled", event: "SubscriptionCancelled" };
  return change;
}

function changeOfState({ status, trialEndsAt, currentPeriodEnd, pastDueSince }: Times): DueChange | undefined {
  if (status === "Trialing" && trialEndsAt) return { at: trialEndsAt, to: "Expired", event: "SubscriptionExpired" };
  if (status === "Active" && currentPeriodEnd)
    return { at: currentPeriodEnd, to: "Active", event: "SubscriptionRenewed" };
  if (status === "PastDue" && pastDueSince)
    return { at: graceEndOf(pastDueSince), to: "Suspended", event: "SubscriptionSuspended" };
  return undefined;
}

/** Makes the change in the row. A renewal begins the next period. */
export function applyDueChange(plan: PlanSubscription, { to, event }: DueChange): void {
  plan.status = to;
  if (event === "SubscriptionRenewed") beginNextPeriod(plan);
}

/** Begins the period after the current one. */
export function beginNextPeriod(plan: PlanSubscription): void {
  const { anchorAt, currentPeriodEnd, billingCycle } = plan;
  if (!anchorAt || !currentPeriodEnd || !billingCycle) throw new Error("The plan subscription has no period");
  plan.currentPeriodStart = currentPeriodEnd;
  plan.currentPeriodEnd = nextPeriodEnd(anchorAt, currentPeriodEnd, billingCycle);
}
