import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { DeletedPerson } from "../users/personal-data.js";

/** Replaces the address and removes the name in the invitation that a deleted user (`usr_…`) accepted. */
export async function eraseInvitee(
  { execute, tenant }: Transaction,
  { userId, replacementEmail }: DeletedPerson,
): Promise<void> {
  await execute(
    "update invitations set email = $3, email_key = $3, display_name = null where tenant_id = $1 and user_id = $2",
    [tenant.uuid, decodeId("usr", userId), replacementEmail],
  );
}
