import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

// tables: users

const statuses = {
  name: "user_statuses",
  text: "select user_id, status from users where tenant_id = $1 and user_id = any($2::uuid[])",
};

/** The statuses for those principals who are users in the tenant (`usr_…`). */
export async function userStatuses(
  { execute, tenant }: Transaction,
  principals: Iterable<string>,
): Promise<Map<string, string>> {
  const uuids = [...principals].flatMap((principal) => decodeId("usr", principal) ?? []);
  if (uuids.length === 0) return new Map();
  const rows = await execute<{ user_id: string; status: string }>(statuses, [tenant.uuid, uuids]);
  return new Map(rows.map(({ user_id: uuid, status }) => [encodeId("usr", uuid), status]));
}
