import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { ProviderFilterInput, RegisterProviderInput, UpdateProviderInput } from "./provider.input.js";
import type { ProviderService } from "./provider.service.js";
import { ProviderConnection, ProviderPresetType, ProviderType, readProviders } from "./provider.type.js";
import { type ProviderListService, sortedProviders } from "./provider-list.service.js";
import { type ProviderPreset, providerPresets } from "./provider-presets.js";
import type { ProviderUpdateService } from "./provider-update.service.js";

@Resolver(() => ProviderType)
export class ProviderResolver {
  readonly #providers: ProviderService;
  readonly #lists: ProviderListService;
  readonly #updates: ProviderUpdateService;

  constructor(providers: ProviderService, lists: ProviderListService, updates: ProviderUpdateService) {
    this.#providers = providers;
    this.#lists = lists;
    this.#updates = updates;
  }

  @Query(() => ProviderType, { description: "A provider of the tenant." })
  @Auth(readProviders)
  provider(@Arg("providerId", () => ID) providerId: string, @Ctx() context: RequestContext): Promise<ProviderType> {
    return this.#providers.get(context, providerId);
  }

  @Query(() => ProviderConnection, { description: "The providers of the tenant." })
  @Auth(readProviders)
  providers(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedProviders) sort: string | null | undefined,
    @Arg("filter", () => ProviderFilterInput, { nullable: true }) filter: ProviderFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ProviderConnection> {
    return this.#lists.list(context, { ...page, sort, filter });
  }

  @Query(() => [ProviderPresetType], {
    description: "The vendors that the platform knows, with the driver that a provider of that preset gets.",
  })
  @Auth(readProviders)
  providerPresets(): readonly ProviderPreset[] {
    return providerPresets;
  }

  @Mutation(() => ProviderType, {
    description: "Registers a vendor that the tenant works with. Its key is unique in the tenant.",
  })
  @Auth({ scopes: ["integration.providers.write"] })
  registerProvider(@Arg("input") input: RegisterProviderInput, @Ctx() context: RequestContext): Promise<ProviderType> {
    return this.#providers.register(context, input);
  }

  @Mutation(() => ProviderType, {
    description:
      "Changes a provider that is not Retired. Members that are left out stay as they are; the key and the preset never change. Another host of a provider whose connections have credentials needs integration.credentials.write too.",
  })
  @Auth({ scopes: ["integration.providers.write"] })
  updateProvider(
    @Arg("providerId", () => ID) providerId: string,
    @Arg("input") input: UpdateProviderInput,
    @Ctx() context: RequestContext,
  ): Promise<ProviderType> {
    return this.#updates.update(context, providerId, input);
  }
}
