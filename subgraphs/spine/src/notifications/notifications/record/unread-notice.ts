import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** The channel on which inbox changes are announced; each line is a user's UUID, or a tenant's for all users. */
export const unreadChannel = "spine_unread";

/** Announces after the commit that these users' inboxes (`usr_…`) have changed. */
export function tellUnread({ notify }: Transaction, userIds: readonly (string | null)[]): void {
  const uuids = userIds.flatMap((userId) => decodeId("usr", userId) ?? []);
  if (uuids.length > 0) notify(unreadChannel, uuids.join("\n"));
}

/** Announces after the commit that the inboxes of all the tenant's users may have changed. */
export function tellUnreadOfAll({ notify, tenant }: Transaction): void {
  notify(unreadChannel, tenant.uuid);
}
