import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import {
  ActivatePlanSubscriptionInput,
  CancelPlanSubscriptionInput,
  PlanSubscriptionFilterInput,
} from "./plan-subscription.input.js";
import { type PlanSubscriptionService, sortedPlanSubscriptions } from "./plan-subscription.service.js";
import { PlanSubscriptionConnection, PlanSubscriptionType, readPlanSubscriptions } from "./plan-subscription.type.js";

@Resolver(() => PlanSubscriptionType)
export class PlanSubscriptionResolver {
  readonly #plans: PlanSubscriptionService;

  constructor(plans: PlanSubscriptionService) {
    this.#plans = plans;
  }

  @Query(() => PlanSubscriptionConnection, { description: "The plan subscription of the tenant, as a list." })
  @Auth(readPlanSubscriptions)
  planSubscriptions(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedPlanSubscriptions) sort: string | null | undefined,
    @Arg("filter", () => PlanSubscriptionFilterInput, { nullable: true })
    filter: PlanSubscriptionFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<PlanSubscriptionConnection> {
    return this.#plans.list(context, { ...page, sort, filter });
  }

  @Query(() => PlanSubscriptionType, { description: "One plan subscription of the tenant." })
  @Auth(readPlanSubscriptions)
  planSubscription(
    @Arg("planSubscriptionId", () => ID) planSubscriptionId: string,
    @Ctx() context: RequestContext,
  ): Promise<PlanSubscriptionType> {
    return this.#plans.get(context, planSubscriptionId);
  }

  @Mutation(() => PlanSubscriptionType, {
    description:
      "Makes the plan subscription Active, from any state. An Active one changes its edition at once and keeps its period; another billing cycle begins a new period. A cancellation that has not taken effect is taken back. Where selfService of the edition is false, a tenant neither changes to it nor brings it back after PastDue, Suspended, Cancelled or Expired: EDITION_NOT_SELF_SERVICE.",
  })
  @Auth({ scopes: ["subscription.manage"] })
  activatePlanSubscription(
    @Arg("planSubscriptionId", () => ID) planSubscriptionId: string,
    @Arg("input", () => ActivatePlanSubscriptionInput, { nullable: true })
    input: ActivatePlanSubscriptionInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<PlanSubscriptionType> {
    return this.#plans.activate(context, planSubscriptionId, input);
  }

  @Mutation(() => PlanSubscriptionType, {
    description: "Cancels the plan subscription at the end of the paid period or of the trial, or at once.",
  })
  @Auth({ scopes: ["subscription.manage"] })
  cancelPlanSubscription(
    @Arg("planSubscriptionId", () => ID) planSubscriptionId: string,
    @Arg("input", () => CancelPlanSubscriptionInput, { nullable: true })
    input: CancelPlanSubscriptionInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<PlanSubscriptionType> {
    return this.#plans.cancel(context, planSubscriptionId, input);
  }
}
