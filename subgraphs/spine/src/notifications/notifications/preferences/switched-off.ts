import { namedStatement } from "@factory/runtime/db/named-parameters";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { NotificationChannel } from "@factory/schema/vocabularies/notifications";

/** Categories that nobody can switch off. */
export const lockedCategories: readonly string[] = ["security"];

/** The preference for all categories in a channel that have no separate one. */
const everyCategory = "*";

/** The reason for a notification that its recipient does not want. */
export const switchedOffReason = "SWITCHED_OFF";

/**
 * SQL condition: the user has switched off the category in the channel. The arguments are the platform's SQL: columns
 * or parameters.
 */
export const switchedOff = (of: Readonly<Record<"tenant" | "user" | "channel" | "category", string>>): string =>
  `(${of.category} not in (${lockedCategories.map((category) => `'${category}'`).join(", ")}) and not coalesce((
    select preference.enabled from notification_preferences preference
    where preference.tenant_id = ${of.tenant} and preference.user_id = ${of.user}
      and preference.channel = ${of.channel} and preference.category in (${of.category}, '${everyCategory}')
    order by preference.category = '${everyCategory}' limit 1), true))`;

const switchedOffBy = namedStatement(
  "notification_switched_off_by",
  `select asked.user_id from unnest($users::uuid[]) asked (user_id)
    where ${switchedOff({ tenant: "$tenant", user: "asked.user_id", channel: "$channel::text", category: "$category::text" })}`,
);

/** Those among the users (`usr_…`) who have switched off the category in the channel. */
export async function usersWithout(
  { execute, tenant }: Transaction,
  userIds: readonly string[],
  { channel, category }: { readonly channel: NotificationChannel; readonly category: string },
): Promise<Set<string>> {
  if (userIds.length === 0 || lockedCategories.includes(category)) return new Set();
  const users = userIds.map((userId) => decodeId("usr", userId));
  const values = switchedOffBy.valuesOf({ tenant: tenant.uuid, users, channel, category });
  const rows = await execute<{ user_id: string }>(switchedOffBy, values);
  return new Set(rows.map((row) => encodeId("usr", row.user_id)));
}

const switchOffOne = namedStatement(
  "notification_switch_off",
  `insert into notification_preferences (tenant_id, user_id, channel, category, enabled, updated_at)
    values ($tenant, $user, $channel, $category, false, now())
    on conflict (tenant_id, user_id, channel, category) do update set enabled = false, updated_at = now()`,
);

/** Switches one category off for a user, who can switch it on again. */
export async function switchOff(
  { execute, tenant }: Transaction,
  userId: string,
  { channel, category }: { readonly channel: NotificationChannel; readonly category: string },
): Promise<void> {
  const user = decodeId("usr", userId);
  await execute(switchOffOne, switchOffOne.valuesOf({ tenant: tenant.uuid, user, channel, category }));
}
