import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { TenantType } from "../../tenants/tenants/tenant.type.js";
import type { PlanSubscriptionService } from "./plan-subscription.service.js";
import { PlanSubscriptionType, readPlanSubscriptions } from "./plan-subscription.type.js";

@Resolver(() => TenantType)
export class TenantPlanResolver {
  readonly #plans: PlanSubscriptionService;

  constructor(plans: PlanSubscriptionService) {
    this.#plans = plans;
  }

  @FieldResolver(() => PlanSubscriptionType, {
    nullable: true,
    description: "The plan subscription of the caller's own tenant. Null for another tenant and before provisioning.",
  })
  @Auth(readPlanSubscriptions)
  planSubscription(
    @Root() { tenantId }: TenantType,
    @Ctx() context: RequestContext,
  ): Promise<PlanSubscriptionType | null> {
    return this.#plans.ofTenant(context, tenantId);
  }
}
