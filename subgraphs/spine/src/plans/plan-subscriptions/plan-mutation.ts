import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { requireTenant } from "../../tenants/tenants/find-tenant.js";
import { type LockedPlan, lockPlanSubscription, makeDueChanges } from "./change-plan-subscription.js";
import type { PlanSubscriptionType } from "./plan-subscription.type.js";
import { planSubscriptionView } from "./plan-subscription.view.js";

/** A mutation on one plan subscription. */
export interface PlanMutation<Prepared> {
  readonly field: string;
  readonly planSubscriptionId: string;
  /** The arguments beside the plan subscription's id. */
  readonly given: object;
  /** The tenant that a platform administrator names. Absent: the caller's own. */
  readonly tenant?: Tenant;
  readonly prepare?: () => Promise<Prepared>;
  readonly work: (transaction: Transaction, locked: LockedPlan, prepared: Prepared) => Promise<void>;
}

/** Locks the plan subscription, makes the changes whose time has come, and then the mutation's own change. */
export function changePlan<Prepared>(
  { database, clock }: { readonly database: Database; readonly clock: () => Date },
  context: RequestContext,
  { field, planSubscriptionId, given, tenant, prepare, work }: PlanMutation<Prepared>,
): Promise<PlanSubscriptionType> {
  return idempotentMutation<PlanSubscriptionType, Prepared>(database, context, {
    field,
    arguments: { planSubscriptionId, ...given },
    ...(tenant ? { tenant } : {}),
    ...(prepare ? { prepare } : {}),
    async commit(transaction, preparation) {
      const lockedPlan = await lockPlan(transaction, planSubscriptionId, clock());
      await makeDueChanges(transaction, lockedPlan);
      await work(transaction, lockedPlan, preparation);
      return planSubscriptionView(lockedPlan.plan);
    },
  });
}

/** Locks the tenant and its plan subscription. Throws NOT_FOUND. */
export async function lockPlan(transaction: Transaction, planSubscriptionId: string, now: Date): Promise<LockedPlan> {
  const tenant = await requireTenant(transaction);
  const plan = await lockPlanSubscription(transaction, planSubscriptionId);
  if (!plan) throw unknownPlanSubscription();
  return { plan, tenant, now };
}

/** NOT_FOUND, the same for an unknown id and for another tenant's plan subscription. */
export function unknownPlanSubscription(): DomainError {
  return new DomainError("NOT_FOUND", { detail: "The plan subscription does not exist in this tenant." });
}
