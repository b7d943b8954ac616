import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { ProviderMoveInput } from "./provider.input.js";
import { ProviderType } from "./provider.type.js";
import type { ProviderLifecycleService } from "./provider-lifecycle.service.js";

@Resolver(() => ProviderType)
export class ProviderLifecycleResolver {
  readonly #lifecycle: ProviderLifecycleService;

  constructor(lifecycle: ProviderLifecycleService) {
    this.#lifecycle = lifecycle;
  }

  @Mutation(() => ProviderType, {
    description: "Marks a provider as to be replaced. Library searches no longer show its ApiClient.",
  })
  @Auth({ scopes: ["integration.providers.write"] })
  deprecateProvider(
    @Arg("providerId", () => ID) providerId: string,
    @Arg("input", () => ProviderMoveInput, { nullable: true }) input: ProviderMoveInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ProviderType> {
    return this.#lifecycle.move(context, { field: "deprecateProvider", providerId, input });
  }

  @Mutation(() => ProviderType, {
    description: "Marks a provider as not to be called for now. Library searches do not show its ApiClient.",
  })
  @Auth({ scopes: ["integration.providers.write"] })
  disableProvider(
    @Arg("providerId", () => ID) providerId: string,
    @Arg("input", () => ProviderMoveInput, { nullable: true }) input: ProviderMoveInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ProviderType> {
    return this.#lifecycle.move(context, { field: "disableProvider", providerId, input });
  }

  @Mutation(() => ProviderType, {
    description: "Makes a provider that is Deprecated or Disabled Registered again.",
  })
  @Auth({ scopes: ["integration.providers.write"] })
  enableProvider(
    @Arg("providerId", () => ID) providerId: string,
    @Arg("input", () => ProviderMoveInput, { nullable: true }) input: ProviderMoveInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ProviderType> {
    return this.#lifecycle.move(context, { field: "enableProvider", providerId, input });
  }

  @Mutation(() => ProviderType, {
    description:
      "Retires a provider that is Deprecated or Disabled. It cannot be registered again, and its key stays in use.",
  })
  @Auth({ scopes: ["integration.providers.write"] })
  retireProvider(
    @Arg("providerId", () => ID) providerId: string,
    @Arg("input", () => ProviderMoveInput, { nullable: true }) input: ProviderMoveInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ProviderType> {
    return this.#lifecycle.move(context, { field: "retireProvider", providerId, input });
  }
}
