import { Auth } from "@factory/runtime/graphql/auth";
import type { PageBounds } from "@factory/runtime/pagination/page";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Args, Ctx, Query, Resolver } from "type-graphql";
import { ProviderPresetConnection, ProviderPresetType, readProviders } from "../providers/provider.type.js";
import { type ProviderPreset, providerPresets } from "../providers/provider-presets.js";
import type { PresetListService } from "./preset-list.service.js";

/** The lists of presets. */
@Resolver()
export class PresetResolver {
  readonly #presets: PresetListService;

  constructor(presets: PresetListService) {
    this.#presets = presets;
  }

  @Query(() => ProviderPresetConnection, {
    description: "The vendors that the platform knows, with the driver that a provider of that preset gets.",
  })
  @Auth(readProviders)
  vendorPresets(@Args(() => PageArguments) page: PageBounds, @Ctx() context: RequestContext): ProviderPresetConnection {
    return this.#presets.list(context, page);
  }

  @Query(() => [ProviderPresetType], {
    description: "As `vendorPresets`, in one list without pages.",
    deprecationReason: "Use `vendorPresets`.",
  })
  @Auth(readProviders)
  providerPresets(): readonly ProviderPreset[] {
    return providerPresets;
  }
}
