// tables: tenants, plan_subscriptions, configuration_entries, editions
import { namedStatement } from "@factory/runtime/db/named-parameters";
import type { PreparedStatement } from "@factory/runtime/db/transaction-dialect";
import type { StoredEdition } from "../../tenants/editions/edition.view.js";
import type { StoredTenant } from "../../tenants/tenants/tenant.view.js";

/** A row from either statement as PostgreSQL returns it. */
export type SnapshotRow = Pick<
  StoredTenant,
  "tenant_id" | "version" | "slug" | "status" | "edition_code" | "limits"
> & {
  subscription_status: string | null;
  settings: Record<string, unknown> | null;
  /** Microseconds since 1970, as decimal text. */
  changed_at: string;
  /** Milliseconds since 1970 by the database clock. */
  read_at: string;
};

const epochMicros = (time: string) => `(extract(epoch from ${time}) * 1000000)::bigint`;

/**
 * The facts for the tenants in the sub-select `tenants`. A tenant's tables are read under that tenant's row-level
 * policy: `scope` sets it for each row before the lateral join reads them (as `tenantStatement` does for one tenant).
 * The version is read first, so newer facts may stand beside an older version, never the other way round.
 */
const snapshotsOf = (tenants: string, keys: string) => `
  select scope.tenant_id, scope.version, scope.slug, scope.status, scope.edition_code, scope.limits, scope.changed_at, scope.read_at,
    plan.status as subscription_status, entries.settings
  from (select found.*, set_config('app.tenant', found.tenant_id::text, true)::uuid as tenant from (${tenants}) found
    offset 0) scope
  left join lateral (select subscription.status from plan_subscriptions subscription
    where subscription.tenant_id = scope.tenant order by subscription.created_at limit 1) plan on true
  left join lateral (select json_object_agg(entry.key, entry.value) as settings from configuration_entries entry
    where entry.tenant_id = scope.tenant and entry.key = any(${keys}::text[]) and not entry.is_secret) entries on true`;

const columns = `tenant_id, version, slug, status, edition_code, limits, ${epochMicros("changed_at")} as changed_at,
  (extract(epoch from clock_timestamp()) * 1000)::bigint as read_at`;

/** The tenants with the ids `$1`, and their entries for the keys `$2`. */
export const snapshotsOfTenants: PreparedStatement = {
  name: "tenant_snapshots",
  text: snapshotsOf(
    `select ${columns} from tenants where tenant_id = any($1::uuid[]) order by tenant_id offset 0`,
    "$2",
  ),
};

/**
 * At most `$limit` tenants after the position `$changedAt` (microseconds since 1970) and `$tenant`, ordered by their
 * change, and their entries for the keys.
 */
export const changedSnapshots = namedStatement(
  "changed_tenant_snapshots",
  snapshotsOf(
    `select ${columns} from tenants
    where (changed_at, tenant_id) > (timestamptz 'epoch' + $changedAt::bigint * interval '1 microsecond', $tenant::uuid)
    order by tenants.changed_at, tenant_id limit $limit`,
    "$keys",
  ),
);

export type EditionRow = Pick<StoredEdition, "code" | "version" | "features">;

/** The editions whose code comes after `$1`. */
export const editionsAfter: PreparedStatement = {
  name: "edition_snapshots",
  text: "select code, version, features from editions where code > $1 order by code",
};
