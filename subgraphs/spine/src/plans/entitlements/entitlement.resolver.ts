import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Args, Ctx, Query, Resolver } from "type-graphql";
import { EntitlementConnection, EntitlementType } from "./entitlement.type.js";
import type { EntitlementListService } from "./entitlement-list.service.js";

@Resolver(() => EntitlementType)
export class EntitlementResolver {
  readonly #entitlements: EntitlementListService;

  constructor(entitlements: EntitlementListService) {
    this.#entitlements = entitlements;
  }

  @Query(() => EntitlementConnection, {
    description: "The features of the tenant's plan with their limits and usage, in the order of the feature keys.",
  })
  @Auth({ scopes: ["subscription.read"] })
  entitlements(
    @Args(() => PageArguments) page: PageArguments,
    @Ctx() context: RequestContext,
  ): Promise<EntitlementConnection> {
    return this.#entitlements.list(context, page);
  }
}
