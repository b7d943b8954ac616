import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { emailKey } from "../users/email-key.js";
import type { DeletedPerson } from "../users/personal-data.js";

/**
 * Deletes the preferences of a deleted user and the notifications to that user, with content that no other recipient shares, and replaces the former
 * address in those that were sent to it.
 */
export async function eraseNotifications(
  { execute, tenant }: Transaction,
  { userId, formerEmail, replacementEmail }: DeletedPerson,
): Promise<void> {
  await execute(
    `with gone as (delete from notifications where tenant_id = $1 and recipient_user_id = $2 returning message_id)
     delete from notification_messages message using gone
     where message.tenant_id = $1 and message.message_id = gone.message_id and message.recipient_count = 1`,
    [tenant.uuid, decodeId("usr", userId)],
  );
  await execute("delete from notification_preferences where tenant_id = $1 and user_id = $2", [
    tenant.uuid,
    decodeId("usr", userId),
  ]);
  await execute(
    `update notifications set recipient_email = $3, recipient_email_key = $3
     where tenant_id = $1 and recipient_email_key = $2`,
    [tenant.uuid, emailKey(formerEmail), replacementEmail],
  );
}
