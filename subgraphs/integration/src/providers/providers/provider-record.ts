import type { RecordOf } from "@factory/runtime/db/entity-rows";
import type { ProviderDriver } from "../provider-drivers/provider-driver.js";
import type { Provider } from "./provider.entity.js";
import type { StoredProvider } from "./provider.view.js";
import { effectiveDriver, presetOf } from "./provider-presets.js";

type Kept = "providerId" | "key" | "status" | "category" | "authModel" | "baseUrl";

/** A provider as the slices below see it. */
export interface ProviderRecord extends RecordOf<Provider, Kept> {
  /** The preset's name, which is also the vendor's name in the table for normalized events. */
  readonly preset: string | null;
  readonly capabilities: readonly string[];
  /** The preset's driver with the provider's own members over it. */
  readonly driver: ProviderDriver;
}

export function providerRecord(provider: StoredProvider): ProviderRecord {
  const { providerId, key, status, category, authModel, capabilities, baseUrl } = provider;
  const preset = presetOf(provider);
  return {
    ...{ providerId, key, status, category, authModel, capabilities, baseUrl },
    preset: preset?.name ?? null,
    driver: effectiveDriver(preset, provider.driver),
  };
}
