import type { EditionFeature } from "@factory/schema/edition-features";
import { type TenantLimitKey, type TenantLimitValues, tenantLimits } from "@factory/schema/tenant-limits";
import type { SettingKey, TenantSettingValues } from "@factory/schema/tenant-setting-values";
import { settingDefault } from "@factory/schema/tenant-settings";
import type { EditionCopy, TenantCopy } from "./tenant-copy.js";

/** One tenant's facts at a moment. A tenant that the spine does not know has the defaults. */
export class FactsOfTenant {
  readonly #copy: TenantCopy | undefined;
  readonly #edition: EditionCopy | undefined;

  constructor(copy: TenantCopy | undefined, edition: EditionCopy | undefined) {
    this.#copy = copy;
    this.#edition = edition;
  }

  get editionCode(): string | undefined {
    return this.#copy?.editionCode;
  }

  /** The plan subscription's state; undefined before provisioning has created it. */
  get subscriptionStatus(): string | undefined {
    return this.#copy?.subscriptionStatus || undefined;
  }

  /** The value that the tenant has set, or the registry's default. */
  setting<Key extends SettingKey>(key: Key): TenantSettingValues[Key] {
    const set = this.#copy?.settings;
    return set && Object.hasOwn(set, key) ? (set[key] as TenantSettingValues[Key]) : settingDefault(key);
  }

  /** The value that the platform has set for the tenant, or the default. */
  limit<Key extends TenantLimitKey>(key: Key): TenantLimitValues[Key] {
    const set = this.#copy?.limits;
    return set && Object.hasOwn(set, key) ? (set[key] as TenantLimitValues[Key]) : tenantLimits[key].default;
  }

  /** The feature in the tenant's edition; undefined when the edition does not have it. */
  feature(key: string): EditionFeature | undefined {
    const features = this.#edition?.features;
    return features && Object.hasOwn(features, key) ? features[key] : undefined;
  }
}
