import { Auth } from "@factory/runtime/subgraph/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { RegisterProviderInput } from "./provider.input.js";
import type { ProviderService } from "./provider.service.js";
import { ProviderType } from "./provider.type.js";

@Resolver(() => ProviderType)
export class ProviderResolver {
  readonly #providers: ProviderService;

  constructor(providers: ProviderService) {
    this.#providers = providers;
  }

  @Query(() => ProviderType)
  @Auth({ scopes: ["integration.providers.read"] })
  provider(@Arg("providerId", () => ID) providerId: string, @Ctx() context: RequestContext): Promise<ProviderType> {
    return this.#providers.get(context, providerId);
  }

  @Mutation(() => ProviderType)
  @Auth({ scopes: ["integration.providers.write"] })
  registerProvider(@Arg("input") input: RegisterProviderInput, @Ctx() context: RequestContext): Promise<ProviderType> {
    return this.#providers.register(context, input);
  }
}
