import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { DeliveryAddresses } from "../../ground/delivery-address/delivery-url.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import { ProviderType, readProviders } from "../../providers/providers/provider.type.js";
import type { RunService } from "../../runs/run.service.js";
import { RunType, readRuns } from "../../runs/run.type.js";
import { ConnectionType } from "./connection.type.js";

/** Resolves a connection's provider and newest run. A list of connections reads each provider once. */
@Resolver(() => ConnectionType)
export class ConnectionLinksResolver {
  readonly #providers: ProviderService;
  readonly #runs: RunService;
  readonly #addresses: DeliveryAddresses;

  constructor(providers: ProviderService, runs: RunService, addresses: DeliveryAddresses) {
    this.#providers = providers;
    this.#runs = runs;
    this.#addresses = addresses;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The URL that the tenant enters at the vendor. Null without the member webhookSecretRef in the configuration.",
  })
  async deliveryUrl(
    @Root() { connectionId, providerId, configuration }: ConnectionType,
    @Ctx() context: RequestContext,
  ): Promise<string | null> {
    if (!Object.hasOwn(configuration, "webhookSecretRef")) return null;
    const { key } = await this.#provider(providerId, context);
    return this.#addresses.of(key, { connection: connectionId });
  }

  @FieldResolver(() => ProviderType)
  @Auth(readProviders)
  provider(@Root() { providerId }: ConnectionType, @Ctx() context: RequestContext): Promise<ProviderType> {
    return this.#provider(providerId, context);
  }

  #provider(providerId: string, context: RequestContext): Promise<ProviderType> {
    const { loaders } = context;
    const loadedProviders = (loaders.get(this) ?? new Map()) as Map<string, Promise<ProviderType>>;
    loaders.set(this, loadedProviders);
    const provider = loadedProviders.get(providerId) ?? this.#providers.get(context, providerId);
    loadedProviders.set(providerId, provider);
    return provider;
  }

  @FieldResolver(() => RunType, { nullable: true, description: "Null when the run is older than the kept runs." })
  @Auth(readRuns)
  async lastRun(@Root() { lastRunId }: ConnectionType, @Ctx() context: RequestContext): Promise<RunType | null> {
    return lastRunId === null ? null : ((await this.#runs.find(tenantOf(context), lastRunId)) ?? null);
  }
}
