import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { limitKeyPrefix, tenantLimits } from "@factory/schema/tenant-limits";
import { type TenantSetting, tenantSettings } from "@factory/schema/tenant-settings";
import type { ConfigEntryFilterInput } from "./configuration.input.js";
import type {
  ConfigEntryConnection,
  ConfigEntryType,
  ConfigVersionConnection,
  ConfigVersionType,
  KnownSettingType,
} from "./configuration.type.js";
import {
  type EntryRow,
  entryRowView,
  entryVersionColumns,
  type VersionRow,
  versionRowView,
} from "./configuration.view.js";
import { unknownEntry } from "./configuration-key.js";
import { entriesOfKeys, sortedEntries } from "./configuration-statement.js";

export const sortedEntryVersions = new SortedList<ConfigVersionType, TenantStatement>({
  list: "configEntryHistory",
  columns: { version: { column: "version", type: "integer", unique: true, of: ({ version }) => String(version) } },
  id: { column: "version", type: "integer", of: ({ version }) => String(version) },
  byDefault: "-version",
  parameters: ["key"],
  statement: (name, { place, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${entryVersionColumns} from configuration_versions
       where tenant_id = scope.tenant and key = ${place("key")} ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** The facts about one setting or limit that are the same for every tenant. */
type SettingFacts = Omit<KnownSettingType, "value" | "isSet">;

function settingFacts(key: string, { change, ...setting }: TenantSetting<unknown>): SettingFacts {
  const { description, schema, default: byDefault, setBy } = setting;
  const { by, scopes, weakening } = change;
  const weakerValue = weakening ? (weakening.secondPerson ? "SecondPerson" : "RecentSignIn") : "Free";
  const facts = { key, description, schema, default: byDefault, setBy };
  return { ...facts, changedBy: [...by], requiredScopes: [...scopes], weakerValue };
}

/** A limit cannot be changed by a tenant's principals. */
const byPlatform = { by: [], scopes: [] };

const knownFacts: readonly SettingFacts[] = [
  ...Object.entries(tenantSettings).map(([key, setting]) => settingFacts(key, setting as TenantSetting<unknown>)),
  ...Object.entries(tenantLimits).map(([key, limit]) =>
    settingFacts(`${limitKeyPrefix}${key}`, { ...limit, change: byPlatform }),
  ),
];

/** Reads the configuration for the caller's tenant. */
export class ConfigurationService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async get(context: RequestContext, key: string): Promise<ConfigEntryType> {
    const [entry] = await this.#entries(context, [key]);
    if (!entry) throw unknownEntry();
    return entry;
  }

  list(context: RequestContext, request: PageRequest<ConfigEntryFilterInput>): Promise<ConfigEntryConnection> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedEntries, list, request, entryRowView);
  }

  /** Also a deleted entry's versions, as long as they are kept. Empty for a key that never had an entry. */
  async history(context: RequestContext, key: string, request: PageRequest<never>): Promise<ConfigVersionConnection> {
    const tenant = tenantOf(context);
    const page = sortedEntryVersions.page(this.#cursors, { tenantId: tenant.tenantId, key }, request, { key });
    const rows = await this.#database.reader.rows<VersionRow>(page.statement, tenant, ...page.values);
    return page.connection(rows.map(versionRowView));
  }

  /** The registry of settings and limits, with the tenant's values. */
  async knownSettings(context: RequestContext): Promise<KnownSettingType[]> {
    const entries = await this.#entries(
      context,
      knownFacts.map(({ key }) => key),
    );
    const set = new Map(entries.map((entry) => [entry.key, entry]));
    return knownFacts.map((facts) => {
      const entry = set.get(facts.key);
      const isSet = entry !== undefined && !entry.readOnly;
      return { ...facts, isSet, value: entry ? entry.value : facts.default };
    });
  }

  async #entries(context: RequestContext, keys: readonly string[]): Promise<ConfigEntryType[]> {
    const rows = await this.#database.reader.rows<EntryRow>(entriesOfKeys, tenantOf(context), keys);
    return rows.map(entryRowView);
  }
}
