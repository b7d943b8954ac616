/** A JSON Schema (draft 2020-12) for one value. */
type SettingSchema = Readonly<Record<string, unknown>>;

/** A setting or a limit, with all that the platform knows about it. */
export interface SettingDefinition<Value> {
  /** A value that does not fit is refused with 422. */
  readonly schema: SettingSchema;
  /** The value for a tenant that has set none. */
  readonly default: Value;
  readonly description: string;
  /** `Tenant`: a configuration entry sets it. `Platform`: only `setTenantLimits` does. */
  readonly setBy: "Tenant" | "Platform";
}
