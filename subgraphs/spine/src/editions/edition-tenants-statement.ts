// tables: tenants
import type { PreparedStatement } from "@factory/runtime/db/transaction-dialect";

/**
 * Raises the version of every tenant of the edition `$1`, as `bumpTenantVersion` does for one tenant, because their
 * snapshots contain its features. It needs a transaction of the platform.
 */
export const bumpTenantsOfEdition: PreparedStatement = {
  name: "bump_tenants_of_edition",
  text: "update tenants set version = version + 1, changed_at = clock_timestamp() where edition_code = $1",
};
