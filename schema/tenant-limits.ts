import type { SettingDefinition } from "./setting-definition.js";

/** The value type for every limit that the platform sets for a tenant. */
export interface TenantLimitValues {
  readonly rateLimitFactor: number;
  readonly maxRunningExecutions: number;
}

export type TenantLimitKey = keyof TenantLimitValues;

/** Configuration keys with this prefix show the tenant's limits; a tenant cannot set them. */
export const limitKeyPrefix = "limits.";

/** The limits that the platform sets for a tenant (`setTenantLimits`). Configuration shows them as `limits.<key>`. */
export const tenantLimits: { readonly [Key in TenantLimitKey]: SettingDefinition<TenantLimitValues[Key]> } = {
  rateLimitFactor: {
    schema: { type: "number", minimum: 0.1, maximum: 100 },
    default: 1,
    description: "Multiplies the rate limits that the edition of the tenant gives.",
    setBy: "Platform",
  },
  maxRunningExecutions: {
    schema: { type: "integer", minimum: 1, maximum: 100 },
    default: 5,
    description: "How many executions of the tenant run at the same time. Others wait.",
    setBy: "Platform",
  },
};

/** Whether the key names a tenant limit. */
export const isTenantLimitKey = (key: string): key is TenantLimitKey => Object.hasOwn(tenantLimits, key);
