import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { completePlanChange, type LockedPlan } from "./change-plan-subscription.js";
import { beginNextPeriod } from "./due-change.js";
import { recordPlanChange } from "./plan-subscription.events.js";
import type { CancelPlanSubscriptionInput, ReportPaymentFailureInput } from "./plan-subscription.input.js";
import { cancellableStates, type PlanSubscriptionState } from "./plan-subscription.states.js";

/**
 * Cancels when the paid period or the trial ends, or at once. A plan subscription whose period is over, or that has
 * none, is cancelled at once.
 */
export async function cancelPlan(
  transaction: Transaction,
  lockedPlan: LockedPlan,
  { atPeriodEnd, reason = null }: CancelPlanSubscriptionInput,
): Promise<void> {
  const { plan, now } = lockedPlan;
  requireState(plan.status, cancellableStates, "cancelled");
  const end = plan.currentPeriodEnd;
  if (atPeriodEnd !== false && end && end > now) {
    if (plan.cancelAt?.getTime() === end.getTime()) return;
    plan.cancelAt = end;
    await completePlanChange(transaction, lockedPlan);
    return;
  }
  plan.status = "Cancelled";
  plan.cancelAt = now;
  recordPlanChange(transaction, plan, "SubscriptionCancelled", { effectiveAt: now, reason });
  await completePlanChange(transaction, lockedPlan);
}

/** An Active plan subscription becomes PastDue. A repetition does not prolong the grace period. */
export async function failPayment(
  transaction: Transaction,
  lockedPlan: LockedPlan,
  { reason = null }: ReportPaymentFailureInput,
): Promise<void> {
  const { plan, now } = lockedPlan;
  requireState(plan.status, ["Active", "PastDue"], "reported as unpaid");
  if (plan.status === "PastDue") return;
  plan.status = "PastDue";
  plan.pastDueSince = now;
  recordPlanChange(transaction, plan, "SubscriptionLapsed", { effectiveAt: now, reason });
  await completePlanChange(transaction, lockedPlan);
}

/**
 * A plan subscription that is PastDue or Suspended becomes Active. Its periods go on from the unpaid one, so that the
 * renewal day stays the same; the payment covers the period that is current now.
 */
export async function receivePayment(
  transaction: Transaction,
  lockedPlan: LockedPlan,
  entitlements: unknown,
): Promise<void> {
  const { plan, now } = lockedPlan;
  requireState(plan.status, ["Active", "PastDue", "Suspended"], "reported as paid");
  if (plan.status === "Active") return;
  plan.status = "Active";
  plan.pastDueSince = null;
  plan.paidAt = now;
  while (plan.currentPeriodEnd && plan.currentPeriodEnd <= now) beginNextPeriod(plan);
  recordPlanChange(transaction, plan, "SubscriptionActivated", { effectiveAt: now, entitlements });
  await completePlanChange(transaction, lockedPlan);
}

function requireState(
  status: PlanSubscriptionState,
  allowedStates: readonly PlanSubscriptionState[],
  action: string,
): void {
  if (allowedStates.includes(status)) return;
  throw new DomainError("INVALID_STATE", {
    detail: `The plan subscription is ${status}. It can be ${action} only while it is ${allowedStates.join(" or ")}.`,
    currentState: status,
    allowed: allowedStates,
  });
}
