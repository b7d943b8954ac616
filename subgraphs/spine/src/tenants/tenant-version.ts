import type { Transaction } from "@factory/runtime/unit-of-work/database";

const bumpVersion = {
  name: "bump_tenant_version",
  text: "update tenants set version = version + 1, changed_at = clock_timestamp() where tenant_id = $1",
};

/**
 * Raises the version of the transaction's tenant, so that other subgraphs fetch its snapshot again. Every change of
 * what a snapshot contains calls this in its own transaction. The row lock lasts until the commit, so versions ascend
 * in the order of the commits.
 */
export function bumpTenantVersion({ defer, tenant }: Pick<Transaction, "defer" | "tenant">): Promise<void> {
  return defer(bumpVersion, [tenant.uuid]);
}
