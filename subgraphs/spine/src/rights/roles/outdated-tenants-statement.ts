import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

// tables: tenants

/** IDs (`ten_…`) for tenants whose system roles were made from another list than the one with this digest. */
export async function tenantsWithOutdatedRoles(
  { execute }: Pick<Transaction, "execute">,
  digest: string,
  limit: number,
): Promise<string[]> {
  const rows = await execute<{ tenant_id: string }>(
    "select tenant_id from tenants where system_roles_digest is distinct from $1 limit $2",
    [digest, limit],
  );
  return rows.map(({ tenant_id: uuid }) => encodeId("ten", uuid));
}
