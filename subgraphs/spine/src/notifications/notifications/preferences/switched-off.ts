import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { NotificationChannel } from "../record/notification.states.js";

/** Categories that nobody can switch off. */
export const lockedCategories: readonly string[] = ["security"];

/** The preference for all categories of a channel that have none of their own. */
export const everyCategory = "*";

/** The reason of a notification that its recipient does not want. */
export const switchedOffReason = "SWITCHED_OFF";

/**
 * SQL condition: the user has switched off the category in the channel. The arguments are SQL of the platform: columns or
 * parameters.
 */
export const switchedOff = (of: Readonly<Record<"tenant" | "user" | "channel" | "category", string>>): string =>
  `(${of.category} not in (${lockedCategories.map((category) => `'${category}'`).join(", ")}) and not coalesce((
    select preference.enabled from notification_preferences preference
    where preference.tenant_id = ${of.tenant} and preference.user_id = ${of.user}
      and preference.channel = ${of.channel} and preference.category in (${of.category}, '${everyCategory}')
    order by preference.category = '${everyCategory}' limit 1), true))`;

const switchedOffBy = {
  name: "notification_switched_off_by",
  text: `select asked.user_id from unnest($2::uuid[]) asked (user_id)
    where ${switchedOff({ tenant: "$1", user: "asked.user_id", channel: "$3::text", category: "$4::text" })}`,
};

/** Those of the users (`usr_…`) who have switched off the category in the channel. */
export async function usersWithout(
  { execute, tenant }: Transaction,
  userIds: readonly string[],
  { channel, category }: { readonly channel: NotificationChannel; readonly category: string },
): Promise<Set<string>> {
  if (userIds.length === 0 || lockedCategories.includes(category)) return new Set();
  const uuids = userIds.map((userId) => decodeId("usr", userId));
  const rows = await execute<{ user_id: string }>(switchedOffBy, [tenant.uuid, uuids, channel, category]);
  return new Set(rows.map((row) => encodeId("usr", row.user_id)));
}

const switchOffOne = {
  name: "notification_switch_off",
  text: `insert into notification_preferences (tenant_id, user_id, channel, category, enabled, updated_at)
    values ($1, $2, $3, $4, false, now())
    on conflict (tenant_id, user_id, channel, category) do update set enabled = false, updated_at = now()`,
};

/** Switches one category off for a user, who can switch it on again. */
export async function switchOff(
  { execute, tenant }: Transaction,
  userId: string,
  { channel, category }: { readonly channel: NotificationChannel; readonly category: string },
): Promise<void> {
  await execute(switchOffOne, [tenant.uuid, decodeId("usr", userId), channel, category]);
}
