import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { ActivatePlanSubscriptionInput, ReportPaymentFailureInput } from "./plan-subscription.input.js";
import { PlanSubscriptionType } from "./plan-subscription.type.js";
import type { TenantPlanService } from "./tenant-plan.service.js";

/** Tenants operations on plan subscriptions: only these act across tenants. */
@Resolver(() => PlanSubscriptionType)
export class TenantPlanAdministrationResolver {
  readonly #plans: TenantPlanService;

  constructor(plans: TenantPlanService) {
    this.#plans = plans;
  }

  @Mutation(() => PlanSubscriptionType, {
    description:
      "Activates the plan subscription of any tenant, as activatePlanSubscription does for the caller's own, also with an edition that tenants cannot choose themselves.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  activateTenantPlanSubscription(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("planSubscriptionId", () => ID) planSubscriptionId: string,
    @Arg("input", () => ActivatePlanSubscriptionInput, { nullable: true })
    input: ActivatePlanSubscriptionInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<PlanSubscriptionType> {
    return this.#plans.activate(context, { tenantId, planSubscriptionId }, input);
  }

  @Mutation(() => PlanSubscriptionType, {
    description:
      "Reports that a payment of a tenant failed, for platform administrators. An Active plan subscription becomes PastDue, and after 7 days without payment Suspended.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  reportPaymentFailure(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("planSubscriptionId", () => ID) planSubscriptionId: string,
    @Arg("input", () => ReportPaymentFailureInput, { nullable: true })
    input: ReportPaymentFailureInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<PlanSubscriptionType> {
    return this.#plans.reportPaymentFailure(context, { tenantId, planSubscriptionId }, input);
  }

  @Mutation(() => PlanSubscriptionType, {
    description:
      "Reports a payment of a tenant after one that failed, for platform administrators. The plan subscription becomes Active again and keeps its day of renewal.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  reportPayment(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("planSubscriptionId", () => ID) planSubscriptionId: string,
    @Ctx() context: RequestContext,
  ): Promise<PlanSubscriptionType> {
    return this.#plans.reportPayment(context, { tenantId, planSubscriptionId });
  }
}
