import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { Provider } from "./provider.entity.js";
import type { ProviderType } from "./provider.type.js";
import { effectiveDriver, presetOf } from "./provider-presets.js";

export type ProviderRow = RowOf<Provider>;
export const providerColumns = columnsOf(Provider);
export const readProvider = rowReader(Provider);

/** A provider as it is stored: its driver is what it has beside the preset. */
export type StoredProvider = Omit<RecordOf<Provider>, "tenantId" | "hostsChosenBy">;

export function providerView(provider: StoredProvider): ProviderType {
  const preset = presetOf(provider);
  return {
    providerId: provider.providerId,
    key: provider.key,
    displayName: provider.displayName,
    category: provider.category,
    authModel: provider.authModel,
    apiClient: provider.apiClient,
    apiClientId: provider.apiClientId,
    capabilities: provider.capabilities,
    baseUrl: provider.baseUrl,
    preset: preset?.name ?? null,
    driver: effectiveDriver(preset, provider.driver),
    status: provider.status,
    statusReason: provider.statusReason,
    registeredAt: provider.registeredAt.toISOString(),
  };
}
