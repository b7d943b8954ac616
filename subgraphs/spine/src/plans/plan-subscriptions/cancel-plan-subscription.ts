import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { completePlanChange, type LockedPlan } from "./change-plan-subscription.js";
import { beginNextPeriod } from "./due-change.js";
import { recordPlanChange } from "./plan-subscription.events.js";
import type { CancelPlanSubscriptionInput, ReportPaymentFailureInput } from "./plan-subscription.input.js";
import { cancellableStates, type PlanSubscriptionState } from "./plan-subscription.states.js";

/**
 * Cancels at the end of the paid period or of the trial, or at once. A plan subscription whose period is over, or that
 * has none, is cancelled at once.
 */
export async function cancelPlan(
  transaction: Transaction,
  locked: LockedPlan,
  { atPeriodEnd, reason = null }: CancelPlanSubscriptionInput,
): Promise<void> {
  const { plan, now } = locked;
  requireState(plan.status, cancellableStates, "cancelled");
  const end = plan.currentPeriodEnd;
  if (atPeriodEnd !== false && end && end > now) {
    if (plan.cancelAt?.getTime() === end.getTime()) return;
    plan.cancelAt = end;
    await completePlanChange(transaction, locked);
    return;
  }
  plan.status = "Cancelled";
  plan.cancelAt = now;
  recordPlanChange(transaction, plan, "SubscriptionCancelled", { effectiveAt: now, reason });
  await completePlanChange(transaction, locked);
}

/** An Active plan subscription becomes PastDue. A repetition does not prolong the grace period. */
export async function failPayment(
  transaction: Transaction,
  locked: LockedPlan,
  { reason = null }: ReportPaymentFailureInput,
): Promise<void> {
  const { plan, now } = locked;
  requireState(plan.status, ["Active", "PastDue"], "reported as unpaid");
  if (plan.status === "PastDue") return;
  plan.status = "PastDue";
  plan.pastDueSince = now;
  recordPlanChange(transaction, plan, "SubscriptionLapsed", { effectiveAt: now, reason });
  await completePlanChange(transaction, locked);
}

/**
 * A plan subscription that is PastDue or Suspended becomes Active. Its periods go on from the one that was not paid, so
 * that the day of renewal stays the same; the payment covers the period that is current now.
 */
export async function receivePayment(
  transaction: Transaction,
  locked: LockedPlan,
  entitlements: unknown,
): Promise<void> {
  const { plan, now } = locked;
  requireState(plan.status, ["Active", "PastDue", "Suspended"], "reported as paid");
  if (plan.status === "Active") return;
  plan.status = "Active";
  plan.pastDueSince = null;
  plan.paidAt = now;
  while (plan.currentPeriodEnd && plan.currentPeriodEnd <= now) beginNextPeriod(plan);
  recordPlanChange(transaction, plan, "SubscriptionActivated", { effectiveAt: now, entitlements });
  await completePlanChange(transaction, locked);
}

function requireState(status: PlanSubscriptionState, allowed: readonly PlanSubscriptionState[], done: string): void {
  if (allowed.includes(status)) return;
  throw new DomainError("INVALID_STATE", {
    detail: `The plan subscription is ${status}. It can be ${done} only while it is ${allowed.join(" or ")}.`,
    currentState: status,
    allowed,
  });
}
