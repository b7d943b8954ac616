import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { graceEndOf } from "./due-change.js";
import { PlanSubscription } from "./plan-subscription.entity.js";
import type { PlanSubscriptionType } from "./plan-subscription.type.js";

const shownMembers = [
  "tenantId",
  "subscriptionId",
  "editionCode",
  "status",
  "billingCycle",
  "currentPeriodStart",
  "currentPeriodEnd",
  "cancelAt",
  "trialEndsAt",
  "pastDueSince",
  "version",
  "createdAt",
  "updatedAt",
] as const;

type Shown = (typeof shownMembers)[number];

export type PlanSubscriptionRow = RowOf<PlanSubscription, Shown>;

export const planSubscriptionColumns = columnsOf(PlanSubscription, shownMembers);
const readPlan = rowReader(PlanSubscription);

const text = (time: Date | null) => time?.toISOString() ?? null;

export const planSubscriptionRowView = (row: PlanSubscriptionRow): PlanSubscriptionType =>
  planSubscriptionView(readPlan(row));

export function planSubscriptionView(plan: RecordOf<PlanSubscription, Shown>): PlanSubscriptionType {
  const { version, createdAt, updatedAt, ...facts } = plan;
  return {
    ...planSubscriptionFacts(facts),
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

type Facts = RecordOf<PlanSubscription, Exclude<Shown, "version" | "createdAt" | "updatedAt">>;

/** A plan subscription's facts that its events have, too. */
export function planSubscriptionFacts(plan: Facts) {
  return {
    subscriptionId: plan.subscriptionId,
    tenantId: plan.tenantId,
    editionCode: plan.editionCode,
    billingCycle: plan.billingCycle,
    status: plan.status,
    currentPeriodStart: text(plan.currentPeriodStart),
    currentPeriodEnd: text(plan.currentPeriodEnd),
    cancelAt: text(plan.cancelAt),
    trialEndsAt: text(plan.trialEndsAt),
    pastDueSince: text(plan.pastDueSince),
    graceEndsAt: plan.pastDueSince && graceEndOf(plan.pastDueSince).toISOString(),
  };
}
