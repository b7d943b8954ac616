import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { graceEndOf } from "./due-change.js";
import type { BillingCycle } from "./plan-period.js";
import type { PlanSubscription } from "./plan-subscription.entity.js";
import type { PlanSubscriptionState } from "./plan-subscription.states.js";
import type { PlanSubscriptionType } from "./plan-subscription.type.js";

/** A row of `plan_subscriptions` as PostgreSQL returns it. */
export interface PlanSubscriptionRow {
  tenant_id: string;
  subscription_id: string;
  edition_code: string;
  status: PlanSubscriptionState;
  billing_cycle: BillingCycle | null;
  current_period_start: Date | null;
  current_period_end: Date | null;
  cancel_at: Date | null;
  trial_ends_at: Date | null;
  past_due_since: Date | null;
  version: number;
  created_at: Date;
  updated_at: Date;
}

export const planSubscriptionColumns = `tenant_id, subscription_id, edition_code, status, billing_cycle,
  current_period_start, current_period_end, cancel_at, trial_ends_at, past_due_since, version, created_at, updated_at`;

const text = (time: Date | null) => time?.toISOString() ?? null;

export const planSubscriptionRowView = (row: PlanSubscriptionRow): PlanSubscriptionType =>
  planSubscriptionView({
    tenantId: encodeId("ten", row.tenant_id),
    subscriptionId: encodeId("sub", row.subscription_id),
    editionCode: row.edition_code,
    status: row.status,
    billingCycle: row.billing_cycle,
    currentPeriodStart: row.current_period_start,
    currentPeriodEnd: row.current_period_end,
    cancelAt: row.cancel_at,
    trialEndsAt: row.trial_ends_at,
    pastDueSince: row.past_due_since,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });

type Shown = Omit<PlanSubscription, "anchorAt" | "nextChangeAt" | "changeSentAt" | "paidAt">;

export function planSubscriptionView(plan: Shown): PlanSubscriptionType {
  const { version, createdAt, updatedAt, ...facts } = plan;
  return {
    ...planSubscriptionFacts(facts),
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

type Facts = Omit<Shown, "version" | "createdAt" | "updatedAt">;

/** The facts of a plan subscription that its events have, too. */
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
