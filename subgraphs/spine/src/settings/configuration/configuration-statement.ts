// tables: configuration_entries, tenants
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { textCondition } from "@factory/runtime/pagination/list-filters";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import { isTenantLimitKey, limitKeyPrefix, tenantLimits } from "@factory/schema/tenant-limits";
import type { ConfigEntryType } from "./configuration.type.js";

const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'`;

const limits = Object.keys(tenantLimits)
  .filter(isTenantLimitKey)
  .map((key) => {
    const { default: value, description } = tenantLimits[key];
    return `(${sqlText(limitKeyPrefix + key)}, ${sqlText(key)}, '${JSON.stringify(value)}'::jsonb, ${sqlText(description)})`;
  });

/** A tenant's entries, and its limits as entries that cannot be changed. */
const shownEntries = `(
  select key, value::text as value, is_secret, false as read_only, description, version, created_at, updated_at, updated_by
    from configuration_entries where tenant_id = scope.tenant
  union all
  select platform_limit.key, coalesce(tenant.limits -> platform_limit.name, by_default)::text, false, true, platform_limit.description,
      tenant.version::int, tenant.created_at, tenant.updated_at, 'platform'
    from tenants tenant cross join (values ${limits.join(", ")}) platform_limit(key, name, by_default, description)
    where tenant.tenant_id = scope.tenant
) entry`;

/** The entries for the keys `$2`. */
export const entriesOfKeys = tenantStatement(
  "configuration_entries_of_keys",
  `select entry.* from ${shownEntries} where entry.key = any($2::text[])`,
);

export const sortedEntries = new SortedList<ConfigEntryType, TenantStatement>({
  list: "configEntries",
  columns: {
    key: { column: "key", type: "text", unique: true, of: ({ key }) => key },
    updatedAt: { column: "updated_at", type: "timestamptz", of: ({ updatedAt }) => updatedAt },
  },
  id: { column: "key", type: "text", of: ({ key }) => key },
  byDefault: "key",
  filters: { prefix: textCondition((prefix) => `starts_with(key, ${prefix})`) },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select entry.* from ${shownEntries} where true ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});
