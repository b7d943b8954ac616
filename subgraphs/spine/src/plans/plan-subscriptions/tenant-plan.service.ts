import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { EditionCatalog } from "../../tenants/editions/edition-catalog.js";
import { unknownTenant } from "../../tenants/tenants/find-tenant.js";
import { failPayment, receivePayment } from "./cancel-plan-subscription.js";
import type { LockedPlan } from "./change-plan-subscription.js";
import { PlanActivation } from "./plan-activation.js";
import { changePlan, type PlanMutation } from "./plan-mutation.js";
import type { ActivatePlanSubscriptionInput, ReportPaymentFailureInput } from "./plan-subscription.input.js";
import type { PlanSubscriptionType } from "./plan-subscription.type.js";

/** A tenant's plan subscription, as a platform administrator names it. */
interface NamedPlan {
  readonly tenantId: string;
  readonly planSubscriptionId: string;
}

interface TenantPlanParts {
  readonly database: Database;
  readonly editions: EditionCatalog;
  readonly clock: () => Date;
}

/** Changes any tenant's plan subscription for platform administrators, who know what was paid. */
export class TenantPlanService {
  readonly #parts: TenantPlanParts;

  constructor(parts: TenantPlanParts) {
    this.#parts = parts;
  }

  activate(
    context: RequestContext,
    planName: NamedPlan,
    input: ActivatePlanSubscriptionInput | null | undefined,
  ): Promise<PlanSubscriptionType> {
    const activation = new PlanActivation(this.#parts.editions, input);
    return this.#change(context, planName, {
      field: "activateTenantPlanSubscription",
      given: { input: input ?? null },
      prepare: activation.prepare,
      work: (transaction, lockedPlan) => activation.byPlatform(transaction, lockedPlan),
    });
  }

  reportPaymentFailure(
    context: RequestContext,
    planName: NamedPlan,
    input: ReportPaymentFailureInput | null | undefined,
  ): Promise<PlanSubscriptionType> {
    return this.#change(context, planName, {
      field: "reportPaymentFailure",
      given: { input: input ?? null },
      work: (transaction, lockedPlan) => failPayment(transaction, lockedPlan, input ?? {}),
    });
  }

  reportPayment(context: RequestContext, planName: NamedPlan): Promise<PlanSubscriptionType> {
    const { editions } = this.#parts;
    return this.#change(context, planName, {
      field: "reportPayment",
      given: {},
      work: (transaction, lockedPlan) =>
        receivePayment(transaction, lockedPlan, editions.featuresOf(lockedPlan.plan.editionCode)),
    });
  }

  #change(
    context: RequestContext,
    { tenantId, planSubscriptionId }: NamedPlan,
    { field, given, prepare, work }: Pick<PlanMutation<void>, "field" | "given" | "prepare" | "work">,
  ): Promise<PlanSubscriptionType> {
    if (decodeId("ten", tenantId) === undefined) throw unknownTenant();
    return changePlan<void>(this.#parts, context, {
      ...{ field, planSubscriptionId, given: { tenantId, ...given }, tenant: tenantWithId(tenantId) },
      ...(prepare ? { prepare } : {}),
      async work(transaction, lockedPlan) {
        requireNotArchived(lockedPlan);
        await work(transaction, lockedPlan);
      },
    });
  }
}

/** An archived tenant's plan subscription can only end. */
function requireNotArchived({ tenant: { status } }: LockedPlan): void {
  if (status !== "Archived") return;
  throw new DomainError("INVALID_STATE", {
    detail: "The tenant is Archived, which cannot be undone. Its plan subscription does not change any more.",
    currentState: status,
    allowed: ["Provisioning", "Active", "ProvisioningFailed", "Suspended"],
  });
}
