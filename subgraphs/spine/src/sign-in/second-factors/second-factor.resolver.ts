import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import type { LostFactors } from "./lost-factors.js";
import { RemovedSecondFactorsType, UnlockedSecondFactorsType } from "./second-factor.type.js";

@Resolver()
export class SecondFactorResolver {
  readonly #lost: LostFactors;

  constructor(lostFactors: LostFactors) {
    this.#lost = lostFactors;
  }

  @Mutation(() => RemovedSecondFactorsType, {
    description:
      "Removes all second factors and recovery codes of another user who has lost them. The token of the caller must hold every scope that the user's roles give. A person needs a first-party client and a sign-in of the last 15 minutes. Make sure by another channel that the request comes from the user.",
  })
  @Auth({ scopes: ["user.invite"] })
  removeUserSecondFactors(
    @Arg("userId", () => ID) userId: string,
    @Ctx() context: RequestContext,
  ): Promise<RemovedSecondFactorsType> {
    return this.#lost.remove(context, userId);
  }

  @Mutation(() => UnlockedSecondFactorsType, {
    description:
      "Unlocks the second factors of another user after 20 wrong codes, and changes nothing else. The token of the caller must hold every scope that the user's roles give. A person needs a first-party client and a sign-in of the last 15 minutes. Make sure by another channel that the user entered the wrong codes: otherwise somebody else knows the password.",
  })
  @Auth({ scopes: ["user.invite"] })
  unlockUserSecondFactors(
    @Arg("userId", () => ID) userId: string,
    @Ctx() context: RequestContext,
  ): Promise<UnlockedSecondFactorsType> {
    return this.#lost.unlock(context, userId);
  }
}
