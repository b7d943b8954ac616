import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, Int, Query, Resolver } from "type-graphql";
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
  vendorPresets(
    @Arg("first", () => Int, { nullable: true }) first: number | null | undefined,
    @Arg("after", () => String, { nullable: true }) after: string | null | undefined,
    @Ctx() context: RequestContext,
  ): ProviderPresetConnection {
    return this.#presets.list(context, { first, after });
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
