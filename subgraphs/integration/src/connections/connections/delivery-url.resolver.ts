import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { DeliveryAddresses } from "../../ground/delivery-address/delivery-url.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import { ConnectionType } from "./connection.type.js";

@Resolver(() => ConnectionType)
export class DeliveryUrlResolver {
  readonly #providers: ProviderService;
  readonly #addresses: DeliveryAddresses;

  constructor(providers: ProviderService, addresses: DeliveryAddresses) {
    this.#providers = providers;
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
    const { key } = await this.#providers.get(context, providerId);
    return this.#addresses.of(key, { connection: connectionId });
  }
}
