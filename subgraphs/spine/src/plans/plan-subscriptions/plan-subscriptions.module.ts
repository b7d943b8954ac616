import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { EditionCatalog } from "../../tenants/editions/edition-catalog.js";
import { ProvisioningSteps } from "../../tenants/tenants/provisioning-step.js";
import {
  advancePlanSubscription,
  advancePlanSubscriptionJob,
  duePlanSubscriptionRows,
} from "./advance-plan-subscription.js";
import { createPlanSubscription } from "./create-plan-subscription.js";
import { DuePlanSubscriptions } from "./due-plan-subscriptions.js";
import { PaymentReports } from "./payment-reports.js";
import { PlanSubscription } from "./plan-subscription.entity.js";
import { PlanSubscriptionResolver } from "./plan-subscription.resolver.js";
import { PlanSubscriptionService } from "./plan-subscription.service.js";
import { readPlanSubscriptions } from "./plan-subscription.type.js";
import { startTrial } from "./start-trial.js";
import { TenantPlanResolver } from "./tenant-plan.resolver.js";
import { TenantPlanService } from "./tenant-plan.service.js";
import { TenantPlanAdministrationResolver } from "./tenant-plan-administration.resolver.js";

export interface PlanSubscriptionSettings {
  /** The time by which periods, grace and trials end. Default: the system clock. */
  readonly clock?: () => Date;
  /** The pause between two looks for due changes; a second if absent, and never longer. */
  readonly planLookMs?: number;
}

/** Each tenant's plan subscription: its states, its periods, and the changes that time makes. */
export const planSubscriptions: SliceModule<PlanSubscriptionSettings> = {
  slice: "plan-subscriptions",
  entities: [PlanSubscription],
  jobs: [advancePlanSubscriptionJob],
  events: [
    "SubscriptionCreated",
    "SubscriptionTrialStarted",
    "SubscriptionActivated",
    "SubscriptionRenewed",
    "SubscriptionLapsed",
    "SubscriptionSuspended",
    "SubscriptionCancelled",
    "SubscriptionExpired",
  ],
  waitingRows: [duePlanSubscriptionRows],
  start({ settings, database, jobs, workers, cursors, logger, work, consume, onStarted, onStop }, services) {
    const clock = settings.clock ?? (() => new Date());
    const editions = services.get(EditionCatalog);
    services.add(new PlanSubscriptionService({ database, cursors, editions, clock }));
    services.add(new TenantPlanService({ database, editions, clock }));
    const steps = services.get(ProvisioningSteps);
    steps.add(createPlanSubscription);
    steps.addLast(startTrial(editions, clock));
    work(advancePlanSubscriptionJob, (payload) => advancePlanSubscription(database, clock, payload), maintenance);
    consume(new PaymentReports({ database, workers, editions, clock }).consumer());
    const due = new DuePlanSubscriptions({
      ...{ database, workers, jobs, logger, clock },
      lookMs: settings.planLookMs ?? 1000,
    });
    onStarted(() => due.start());
    onStop(() => due.stop());
  },
  resolvers: (get) => [
    new PlanSubscriptionResolver(get(PlanSubscriptionService)),
    new TenantPlanResolver(get(PlanSubscriptionService)),
    new TenantPlanAdministrationResolver(get(TenantPlanService)),
  ],
  links: {
    "PlanSubscription.tenantId": { to: "Tenant" },
  },
  references(get) {
    const service = get(PlanSubscriptionService);
    return {
      PlanSubscription: {
        id: { prefix: "sub", field: "subscriptionId" },
        auth: readPlanSubscriptions,
        resolve: ({ subscriptionId = "" }, context) => service.find(context, subscriptionId),
      },
    };
  },
};
