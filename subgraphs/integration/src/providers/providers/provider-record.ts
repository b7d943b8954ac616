import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { ProviderDriver } from "../provider-drivers/provider-driver.js";
import type { AuthModel, ProviderCategory, ProviderState } from "./provider.states.js";
import type { ProviderRow } from "./provider.view.js";
import { effectiveDriver, presetOf } from "./provider-presets.js";

/** A provider as the slices below see it. */
export interface ProviderRecord {
  readonly providerId: string;
  readonly key: string;
  /** The name of the preset, which is also the vendor's name in the table of normalized events. */
  readonly preset: string | null;
  readonly status: ProviderState;
  readonly category: ProviderCategory;
  readonly authModel: AuthModel;
  readonly capabilities: readonly string[];
  readonly baseUrl: string | null;
  /** The driver of the preset with the provider's own members over it. */
  readonly driver: ProviderDriver;
}

export function providerRecord(row: ProviderRow): ProviderRecord {
  const { key, status, category, capabilities } = row;
  const preset = presetOf(row);
  return {
    providerId: encodeId("prv", row.provider_id),
    key,
    preset: preset?.name ?? null,
    status,
    category,
    authModel: row.auth_model,
    capabilities,
    baseUrl: row.base_url,
    driver: effectiveDriver(preset, row.driver),
  };
}
