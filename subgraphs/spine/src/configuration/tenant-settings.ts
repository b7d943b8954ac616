import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import {
  isSettingKey,
  type SettingKey,
  settingDefault,
  type TenantSettingValues,
  tenantSettings,
} from "@factory/schema/tenant-settings";
import { LRUCache } from "lru-cache";
import { fitsSetting } from "./configuration-value.js";

const maxTenants = 2000;
/** A notification can be lost, so every process reads the settings again after this time. */
const keptMs = 30_000;

const known = tenantStatement(
  "known_settings",
  `select key, value::text as value from configuration_entries
   where tenant_id = scope.tenant and key = any($2::text[]) and not is_secret`,
);

interface SettingRow {
  key: string;
  value: string;
}

type SetValues = Partial<TenantSettingValues>;

/** The known settings of tenants, in memory. A change takes effect with the answer to it, and elsewhere by a notification. */
export class TenantSettings {
  readonly #database: Database;
  readonly #loaded = new LRUCache<string, Promise<SetValues>>({ max: maxTenants, ttl: keptMs });

  constructor(database: Database) {
    this.#database = database;
  }

  /** The value that holds for the tenant: its own, or the default. */
  async get<Key extends SettingKey>(tenant: Tenant, key: Key): Promise<TenantSettingValues[Key]> {
    const values = await (this.#loaded.get(tenant.tenantId) ?? this.#load(tenant));
    return values[key] ?? settingDefault(key);
  }

  /** The next reader of this tenant reads the database; of every tenant if none is named. */
  drop(tenantId: string | undefined): void {
    if (tenantId === undefined || tenantId === "") this.#loaded.clear();
    else this.#loaded.delete(tenantId);
  }

  /** Readers share one read. A read that began before a change was dropped with it, so later readers do not get it. */
  #load(tenant: Tenant): Promise<SetValues> {
    const { tenantId, uuid } = tenant;
    const loading = this.#read({ tenantId, uuid });
    this.#loaded.set(tenantId, loading);
    loading.catch(() => {
      if (this.#loaded.peek(tenantId) === loading) this.#loaded.delete(tenantId);
    });
    return loading;
  }

  async #read(tenant: Tenant): Promise<SetValues> {
    const keys = Object.keys(tenantSettings);
    const rows = await this.#database.reader.rows<SettingRow>(known, tenant, keys);
    const values = rows.map(({ key, value }) => [key, JSON.parse(value) as unknown] as const);
    return Object.fromEntries(values.filter(([key, value]) => isSettingKey(key) && fitsSetting(key, value)));
  }
}
