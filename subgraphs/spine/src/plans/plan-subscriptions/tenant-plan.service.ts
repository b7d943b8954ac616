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

/** The plan subscription of a tenant, as a platform administrator names it. */
interface NamedPlan {
  readonly tenantId: string;
  readonly planSubscriptionId: string;
}

interface TenantPlanParts {
  readonly database: Database;
  readonly editions: EditionCatalog;
  readonly clock: () => Date;
}

/** Changes the plan subscription of any tenant for platform administrators, who know what was paid. */
export class TenantPlanService {
  readonly #parts: TenantPlanParts;

  constructor(parts: TenantPlanParts) {
    this.#parts = parts;
  }

  activate(
    context: RequestContext,
    named: NamedPlan,
    input: ActivatePlanSubscriptionInput | null | undefined,
  ): Promise<PlanSubscriptionType> {
    const activation = new PlanActivation(this.#parts.editions, input);
    return this.#change(context, named, {
      field: "activateTenantPlanSubscription",
      given: { input: input ?? null },
      prepare: activation.prepare,
      work: (transaction, locked) => activation.byPlatform(transaction, locked),
    });
  }

  reportPaymentFailure(
    context: RequestContext,
    named: NamedPlan,
    input: ReportPaymentFailureInput | null | undefined,
  ): Promise<PlanSubscriptionType> {
    return this.#change(context, named, {
      field: "reportPaymentFailure",
      given: { input: input ?? null },
      work: (transaction, locked) => failPayment(transaction, locked, input ?? {}),
    });
  }

  reportPayment(context: RequestContext, named: NamedPlan): Promise<PlanSubscriptionType> {
    const { editions } = this.#parts;
    return this.#change(context, named, {
      field: "reportPayment",
      given: {},
      work: (transaction, locked) => receivePayment(transaction, locked, editions.featuresOf(locked.plan.editionCode)),
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
      async work(transaction, locked) {
        requireNotArchived(locked);
        await work(transaction, locked);
      },
    });
  }
}

/** The plan subscription of an archived tenant only ends. */
function requireNotArchived({ tenant: { status } }: LockedPlan): void {
  if (status !== "Archived") return;
  throw new DomainError("INVALID_STATE", {
    detail: "The tenant is Archived, which cannot be undone. Its plan subscription does not change any more.",
    currentState: status,
    allowed: ["Provisioning", "Active", "ProvisioningFailed", "Suspended"],
  });
}
