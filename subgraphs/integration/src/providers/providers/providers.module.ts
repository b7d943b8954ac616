import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { egressService } from "../../ground/egress/egress-service.js";
import { ApiClientType } from "./api-client.type.js";
import { Provider } from "./provider.entity.js";
import { ProviderResolver } from "./provider.resolver.js";
import { ProviderService } from "./provider.service.js";
import { readProviders } from "./provider.type.js";
import { ProviderLifecycleResolver } from "./provider-lifecycle.resolver.js";
import { ProviderLifecycleService } from "./provider-lifecycle.service.js";
import { ProviderListService } from "./provider-list.service.js";
import { ProviderMoveListeners } from "./provider-move-listeners.js";
import { ProviderTargets } from "./provider-targets.js";
import { ProviderUpdateService } from "./provider-update.service.js";

export interface ProviderSettings {
  /** Base URLs and drivers' URLs must have https. */
  readonly httpsOnly?: boolean;
}

/** Vendors that tenants register, and the API clients to call them. */
export const providers: SliceModule<ProviderSettings> = {
  slice: "providers",
  entities: [Provider],
  foreignKeys: { "providers.api_client_id": { to: null, why: "An id of its own." } },
  events: [
    "ProviderRegistered",
    "ProviderDeprecated",
    "ProviderDisabled",
    "ProviderEnabled",
    "ProviderRetired",
    "ProviderUpdated",
  ],
  types: [ApiClientType],
  start({ database, cursors, settings }, services) {
    const { httpsOnly = false } = settings;
    const listeners = services.add(new ProviderMoveListeners());
    const targets = new ProviderTargets(services.get(egressService), httpsOnly);
    services.add(new ProviderService(database, targets));
    services.add(new ProviderUpdateService(database, targets, listeners));
    services.add(new ProviderListService(database, cursors));
    services.add(new ProviderLifecycleService(database, listeners));
  },
  links: {
    "Provider.apiClientId": { to: null, why: "The API client is the provider, as the library search shows it." },
  },
  resolvers: (get) => [
    new ProviderResolver(get(ProviderService), get(ProviderListService), get(ProviderUpdateService)),
    new ProviderLifecycleResolver(get(ProviderLifecycleService)),
  ],
  references(get) {
    const service = get(ProviderService);
    return {
      Provider: {
        id: { prefix: "prv", field: "providerId" },
        auth: readProviders,
        resolve: ({ providerId = "" }, context) => service.find(context, providerId),
      },
      VendorApiClient: {
        id: { prefix: "apc", field: "apiClientId" },
        auth: readProviders,
        resolve: ({ apiClientId = "" }, context) => service.findApiClient(context, apiClientId),
      },
    };
  },
};
