import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EditionFeatures } from "@factory/schema/edition-features";
import { completePlanChange, type LockedPlan } from "./change-plan-subscription.js";
import { type BillingCycle, firstPeriodEnd } from "./plan-period.js";
import { recordPlanChange } from "./plan-subscription.events.js";

/** The request of an activation, with the defaults filled in. */
export interface Activation {
  readonly editionCode: string;
  readonly billingCycle: BillingCycle;
  readonly entitlements: EditionFeatures;
}

/**
 * Makes the plan subscription Active, from any state. An Active one keeps its period as long as the billing cycle stays
 * the same, and does not change at all when it has what was asked for. An activation takes back a cancellation that has
 * not taken effect.
 */
export async function activatePlan(transaction: Transaction, locked: LockedPlan, asked: Activation): Promise<void> {
  const { plan, tenant, now } = locked;
  const { editionCode, billingCycle, entitlements } = asked;
  const keepsPeriod = plan.status === "Active" && plan.billingCycle === billingCycle;
  if (keepsPeriod && plan.editionCode === editionCode && plan.cancelAt === null) return;
  plan.status = "Active";
  plan.editionCode = editionCode;
  plan.cancelAt = plan.pastDueSince = null;
  plan.paidAt = now;
  if (!keepsPeriod) {
    plan.billingCycle = billingCycle;
    plan.anchorAt = plan.currentPeriodStart = now;
    plan.currentPeriodEnd = firstPeriodEnd(now, billingCycle);
  }
  if (tenant.editionCode !== editionCode) {
    tenant.editionCode = editionCode;
    tenant.updatedAt = now;
  }
  recordPlanChange(transaction, plan, "SubscriptionActivated", { effectiveAt: now, entitlements });
  await completePlanChange(transaction, locked);
}
