import { LockMode } from "@mikro-orm/postgresql";
import type { EditionCatalog } from "../../tenants/editions/edition-catalog.js";
import type { ProvisioningStep } from "../../tenants/tenants/provisioning-step.js";
import { completePlanChange } from "./change-plan-subscription.js";
import { trialEnd } from "./due-change.js";
import { PlanSubscription } from "./plan-subscription.entity.js";
import { recordPlanChange } from "./plan-subscription.events.js";

/** The last provisioning step: begins the trial, if the edition has one. */
export function startTrial(editions: EditionCatalog, clock: () => Date): ProvisioningStep {
  return {
    name: "startTrial",
    async run(transaction, tenant) {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const plan = await transaction.em.findOne(PlanSubscription, { tenantId: tenant.tenantId }, lock);
      const { trialDays = 0, features: entitlements } = editions.find(tenant.editionCode) ?? {};
      if (plan?.status !== "Pending" || trialDays === 0) return;
      const now = clock();
      plan.status = "Trialing";
      plan.currentPeriodStart = now;
      plan.currentPeriodEnd = plan.trialEndsAt = trialEnd(now, trialDays);
      recordPlanChange(transaction, plan, "SubscriptionTrialStarted", { effectiveAt: now, entitlements });
      await completePlanChange(transaction, { plan, tenant, now });
    },
  };
}
