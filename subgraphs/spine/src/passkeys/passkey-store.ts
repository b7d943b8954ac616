import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** Deletes all passkeys of a user and returns their ids. */
export async function erasePasskeys({ execute, tenant }: Transaction, userId: string): Promise<readonly string[]> {
  const gone = await execute<{ factor_id: string }>(
    "delete from passkeys where tenant_id = $1 and user_id = $2 returning factor_id",
    [tenant.uuid, decodeId("usr", userId)],
  );
  return gone.map(({ factor_id: id }) => encodeId("fac", id));
}
