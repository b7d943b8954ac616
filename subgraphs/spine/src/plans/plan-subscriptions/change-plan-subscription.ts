import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import type { lockTenant } from "../../tenants/tenants/find-tenant.js";
import { bumpTenantVersion } from "../../tenants/tenants/tenant-version.js";
import { applyDueChange, dueChangeOf } from "./due-change.js";
import { PlanSubscription } from "./plan-subscription.entity.js";
import { recordPlanChange } from "./plan-subscription.events.js";

type LockedTenant = NonNullable<Awaited<ReturnType<typeof lockTenant>>>;

/** A plan subscription in a transaction that changes it. Its tenant and then its row are locked. */
export interface LockedPlan {
  readonly plan: PlanSubscription;
  readonly tenant: LockedTenant;
  readonly now: Date;
}

/** Locks the plan subscription's row until the transaction ends; null when the tenant has none with this id. */
export async function lockPlanSubscription(
  { em, tenant: { tenantId } }: Transaction,
  subscriptionId: string,
): Promise<PlanSubscription | null> {
  if (decodeId("sub", subscriptionId) === undefined) return null;
  return em.findOne(PlanSubscription, { tenantId, subscriptionId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Completes a change in the row: its version, the next change's time, and the tenant's version. */
export async function completePlanChange(transaction: Transaction, { plan, now }: LockedPlan): Promise<void> {
  plan.version += 1;
  plan.updatedAt = now;
  plan.nextChangeAt = dueChangeOf(plan)?.at ?? null;
  plan.changeSentAt = null;
  await bumpTenantVersion(transaction);
}

/**
 * Makes every change whose time has come, each with its event. Renewals that were missed while the platform was down
 * are made one after the other. An archived tenant's plan subscription is cancelled at its next change.
 */
export async function makeDueChanges(transaction: Transaction, lockedPlan: LockedPlan): Promise<void> {
  const { plan, tenant, now } = lockedPlan;
  let hasChanged = false;
  for (let due = dueChangeOf(plan); due && due.at <= now; due = dueChangeOf(plan)) {
    const isArchived = tenant.status === "Archived";
    const change = isArchived ? ({ ...due, to: "Cancelled", event: "SubscriptionCancelled" } as const) : due;
    applyDueChange(plan, change);
    if (change.to === "Cancelled") plan.cancelAt ??= change.at;
    const reason = isArchived ? { reason: "The tenant is archived." } : {};
    recordPlanChange(transaction, plan, change.event, { effectiveAt: change.at, ...reason });
    hasChanged = true;
  }
  if (hasChanged) await completePlanChange(transaction, lockedPlan);
}
