import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Provider } from "./provider.entity.js";
import type { AuthModel } from "./provider.states.js";
import type { ProviderType } from "./provider.type.js";
import { effectiveDriver, presetOf } from "./provider-presets.js";

export interface ProviderRow
  extends Pick<Provider, "key" | "category" | "capabilities" | "preset" | "driver" | "status"> {
  provider_id: string;
  display_name: string;
  auth_model: AuthModel;
  api_client: string | null;
  api_client_id: string;
  base_url: string | null;
  status_reason: string | null;
  registered_at: Date;
}

export const providerColumns = `provider_id, key, display_name, category, auth_model, api_client, api_client_id,
     capabilities, base_url, preset, driver, status, status_reason, registered_at`;

export function providerRowView(row: ProviderRow): ProviderType {
  const preset = presetOf(row);
  return {
    providerId: encodeId("prv", row.provider_id),
    key: row.key,
    displayName: row.display_name,
    category: row.category,
    authModel: row.auth_model,
    apiClient: row.api_client,
    apiClientId: encodeId("apc", row.api_client_id),
    capabilities: row.capabilities,
    baseUrl: row.base_url,
    preset: preset?.name ?? null,
    driver: effectiveDriver(preset, row.driver),
    status: row.status,
    statusReason: row.status_reason,
    registeredAt: row.registered_at.toISOString(),
  };
}

export function providerEntityView(provider: Provider): ProviderType {
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
