import { FollowedCache } from "@factory/runtime/caches/followed-cache";
import type { RowOf } from "@factory/runtime/db/entity-rows";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { SettingKey, TenantSettingValues } from "@factory/schema/tenant-setting-values";
import { isSettingKey, settingDefault, tenantSettings } from "@factory/schema/tenant-settings";
import type { ConfigurationEntry } from "./configuration-entry.entity.js";
import { fitsSetting } from "./configuration-value.js";

const maxTenants = 2000;
/** A notification can be lost, so every process reads the settings again after this time. */
const keptMs = 30_000;

const knownSettings = tenantStatement(
  "known_settings",
  `select key, value::text as value from configuration_entries
   where tenant_id = scope.tenant and key = any($2::text[]) and not is_secret`,
);

/** A stored setting; `value` is JSON text. */
export type SettingRow = RowOf<ConfigurationEntry, "key"> & { value: string };

const storedSetting = {
  name: "setting_now",
  text: `select key, value::text as value from configuration_entries
    where tenant_id = $1 and key = $2 and not is_secret`,
};

/** The value that holds for the transaction's tenant, as it is stored now: memory may be older. */
export async function settingNow<Key extends SettingKey>(
  { execute, tenant }: Transaction,
  key: Key,
): Promise<TenantSettingValues[Key]> {
  const values = validSettings(await execute<SettingRow>(storedSetting, [tenant.uuid, key]));
  return values[key] ?? settingDefault(key);
}

type SetValues = Partial<TenantSettingValues>;

type ReadSettings = (tenant: Tenant) => Promise<SettingRow[]>;

/** Reads the known settings that a tenant has stored, with one statement. */
export const storedSettings =
  (database: Database): ReadSettings =>
  (tenant) =>
    database.reader.rows<SettingRow>(knownSettings, tenant, Object.keys(tenantSettings));

/** The tenants' known settings, in memory. A change takes effect with its answer, and elsewhere by a notification. */
export class TenantSettings {
  readonly #read: ReadSettings;
  readonly #loaded = new FollowedCache<SetValues>({ maxEntries: maxTenants, freshMs: keptMs });

  constructor(readSettings: ReadSettings) {
    this.#read = readSettings;
  }

  /** The value that holds for the tenant: its own, or the default. */
  async get<Key extends SettingKey>(tenant: Tenant, key: Key): Promise<TenantSettingValues[Key]> {
    const values = await (this.#loaded.find(tenant.tenantId) ?? this.#load(tenant));
    return values[key] ?? settingDefault(key);
  }

  /** The tenant's next reader reads the database; without a named tenant, every tenant's next reader does. */
  drop(tenantId: string | undefined): void {
    this.#loaded.drop(tenantId);
  }

  #load({ tenantId, uuid }: Tenant): Promise<SetValues> {
    // without the caller: others share the read
    return this.#loaded.keep(tenantId, this.#read({ tenantId, uuid }).then(validSettings));
  }
}

function validSettings(rows: readonly SettingRow[]): SetValues {
  const values = rows.map(({ key, value }) => [key, JSON.parse(value) as unknown] as const);
  return Object.fromEntries(values.filter(([key, value]) => isSettingKey(key) && fitsSetting(key, value)));
}
