import { newId } from "@factory/runtime/identifiers/wire-id";
import type { ProvisioningStep } from "../../tenants/tenants/provisioning-step.js";
import { PlanSubscription } from "./plan-subscription.entity.js";

/** Creates a tenant's plan subscription, so that `GET /subscriptions` shows an id that can be activated. */
export const createPlanSubscription: ProvisioningStep = {
  name: "createPlanSubscription",
  async run({ em, record }, tenant) {
    const { tenantId, editionCode } = tenant;
    if ((await em.count(PlanSubscription, { tenantId })) > 0) return;
    const subscriptionId = newId("sub");
    const subscription = { tenantId, subscriptionId, editionCode, status: "Pending" as const };
    const now = new Date();
    em.persist(
      em.create(PlanSubscription, {
        ...subscription,
        ...{ billingCycle: null, anchorAt: null, currentPeriodStart: null, currentPeriodEnd: null, cancelAt: null },
        ...{ trialEndsAt: null, pastDueSince: null, paidAt: null, nextChangeAt: null, changeSentAt: null },
        ...{ version: 1, createdAt: now, updatedAt: now },
      }),
    );
    tenant.subscriptionId = subscriptionId;
    record({ type: "SubscriptionCreated", subject: `subscriptions/${subscriptionId}`, data: subscription });
  },
};
