import type { Transaction } from "@factory/runtime/unit-of-work/database";

const bumpVersion = {
  name: "bump_tenant_version",
  text: "update tenants set version = version + 1, changed_at = clock_timestamp() where tenant_id = $1",
};

/** PostgreSQL channel that tells the spine's processes which tenant (`ten_…`) has changed. */
export const tenantChangesChannel = "spine_tenant_changes";

/**
 * Raises the version in the transaction's tenant, so that other subgraphs fetch its snapshot again. Every change in a
 * snapshot's content calls this in its own transaction. The row lock lasts until the commit, so versions ascend in
 * commit order.
 */
export function bumpTenantVersion({
  defer,
  notify,
  tenant,
}: Pick<Transaction, "defer" | "notify" | "tenant">): Promise<void> {
  notify(tenantChangesChannel, tenant.tenantId);
  return defer(bumpVersion, [tenant.uuid]);
}
