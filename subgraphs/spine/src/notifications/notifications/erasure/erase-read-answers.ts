import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { DeletedPerson } from "../../../people/users/personal-data.js";

/**
 * $1: tenant, $2: user, $3: replaced address. The answer is the whole notification, without foreign JSON, and it is kept
 * for repeated requests.
 */
const eraseContents = {
  name: "notification_answers_erase",
  text: `update idempotency_records set result = (result::jsonb || '{"title": null, "body": null}')::json
    where tenant_id = $1 and field = 'markNotificationRead'
      and (result->'recipient'->>'userId' = $2 or result->'recipient'->>'email' = $3)`,
};

/**
 * Erases what a deleted person has received from the answers that are kept for repeated requests. The former address in them
 * was replaced before, as in all such answers.
 */
export async function eraseAnswers(
  { defer, tenant }: Transaction,
  { userId, replacementEmail }: DeletedPerson,
): Promise<void> {
  await defer(eraseContents, [tenant.uuid, userId, replacementEmail]);
}
