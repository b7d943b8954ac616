import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { ProvisioningSteps } from "../tenants/provisioning-step.js";
import { createPlanSubscription } from "./create-plan-subscription.js";
import { PlanSubscription } from "./plan-subscription.entity.js";

/** The plan subscription that provisioning creates for a tenant. */
export const planSubscriptions: SliceModule = {
  slice: "plan-subscriptions",
  entities: [PlanSubscription],
  events: ["SubscriptionCreated"],
  start(_, services) {
    services.get(ProvisioningSteps).add(createPlanSubscription);
  },
};
