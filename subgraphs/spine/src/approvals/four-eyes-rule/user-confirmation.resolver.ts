import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import type { UserConfirmation } from "./user-confirmation.js";
import { UserConfirmationType } from "./user-confirmation.type.js";

@Resolver(() => UserConfirmationType)
export class UserConfirmationResolver {
  readonly #confirmation: UserConfirmation;

  constructor(confirmation: UserConfirmation) {
    this.#confirmation = confirmation;
  }

  @Mutation(() => UserConfirmationType, {
    description:
      "Confirms that a user who joined in the last 30 days is another person than those who invited it, so that the user counts as a second person for approvals. The caller signed in in a browser at most 15 minutes ago, and must not be among those who invited the user.",
  })
  @Auth({ scopes: ["governance.approve"] })
  confirmUser(@Arg("userId", () => ID) userId: string, @Ctx() context: RequestContext): Promise<UserConfirmationType> {
    return this.#confirmation.confirm(context, userId);
  }

  @Mutation(() => UserConfirmationType, {
    description: "Confirms a new user of a tenant in which nobody else can.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  confirmTenantUser(
    @Arg("tenantId", () => ID) tenantId: string,
    @Arg("userId", () => ID) userId: string,
    @Ctx() context: RequestContext,
  ): Promise<UserConfirmationType> {
    return this.#confirmation.confirmForTenant(context, tenantId, userId);
  }
}
