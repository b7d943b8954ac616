import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

// tables: users

/** A user's deletion waits until the transaction ends, so it finds and erases the rows that were written. */
const lockActive = {
  name: "lock_active_users",
  text: `select user_id from users
    where tenant_id = $1 and user_id = any($2::uuid[]) and status = 'Active' order by user_id for key share`,
};

/** Those among the users (`usr_…`) that are active. */
export async function activeUsers({ execute, tenant }: Transaction, userIds: readonly string[]): Promise<Set<string>> {
  const uuids = userIds.flatMap((userId) => decodeId("usr", userId) ?? []);
  if (uuids.length === 0) return new Set();
  const rows = await execute<{ user_id: string }>(lockActive, [tenant.uuid, uuids]);
  return new Set(rows.map((row) => encodeId("usr", row.user_id)));
}
