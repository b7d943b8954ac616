import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import { switchedOffReason } from "../preferences/switched-off.js";
import { unreadCondition } from "../record/notification.states.js";
import type { NotificationType } from "../record/notification.type.js";
import { notificationColumns } from "../record/notification.view.js";
import { withErasure } from "../record/notification-erasure.entity.js";

/** The conditions for a list, which are part of its statement, so that each list is read from an index. */
export interface ListConditions {
  readonly status: string | null;
  readonly channel: string | null;
  /** A UUID. */
  readonly recipient: string | null;
  readonly unread: boolean | null;
  /** Leaves out the notifications that their recipient has switched off. */
  readonly wanted: boolean;
}

const notificationId: SortColumn<NotificationType> = {
  column: "notification_id",
  type: "uuid",
  unique: true,
  of: (notification) => decodeId("ntf", notification.notificationId) ?? "",
};

const columns = { status: "status", channel: "channel", recipient: "recipient_user_id" } as const;
type Compared = keyof typeof columns;
const comparedNames = Object.keys(columns) as Compared[];

const unreadConditions = { any: "", unread: `and ${unreadCondition}`, read: "and status = 'Read'" } as const;

const isWanted = `and failure_reason is distinct from '${switchedOffReason}'`;

/**
 * Ids are in creation order. A page is cut from the notifications first. Its content is then read row by row: the limit
 * keeps PostgreSQL, which does not know the page size when it plans, from reading all content.
 */
function sortedBy(names: readonly Compared[], unread: keyof typeof unreadConditions, onlyWanted = false) {
  const suffix = `_${names.map(([initial]) => initial).join("")}_${unread}${onlyWanted ? "_wanted" : ""}`;
  return new SortedList<NotificationType, TenantStatement>({
    list: "notifications",
    columns: { createdAt: notificationId },
    id: notificationId,
    byDefault: "createdAt",
    parameters: names,
    statement: (name, { place, after, order, limit }) => {
      const conditions = names.map((condition) => `and ${columns[condition]} = ${place(condition)}`).join(" ");
      return tenantStatement(
        name + suffix,
        `select ${notificationColumns}
         from (select * from notifications
           where tenant_id = scope.tenant ${conditions} ${unreadConditions[unread]} ${onlyWanted ? isWanted : ""} ${after}
           order by ${order} limit ${limit}) notification
         cross join lateral (select * from notification_messages
           where tenant_id = scope.tenant and message_id = notification.message_id limit 1) message
         ${withErasure}
         order by notification.${order}`,
      );
    },
  });
}

/** The list without conditions. */
export const sortedNotifications = sortedBy([], "any");

const lists = new Map<string, SortedList<NotificationType, TenantStatement>>([["any", sortedNotifications]]);

/** The list with these conditions. There are at most 36 such lists. */
export function notificationsWhere(conditions: ListConditions) {
  const names = comparedNames.filter((name) => conditions[name] !== null);
  const unread = conditions.unread === null ? "any" : conditions.unread ? "unread" : "read";
  const key = [...names, unread, ...(conditions.wanted ? ["wanted"] : [])].join();
  const list = lists.get(key) ?? sortedBy(names, unread, conditions.wanted);
  lists.set(key, list);
  return list;
}

/** The notification `$2` with its content. */
export const oneNotification = keyStatement(
  "one_notification",
  `select ${notificationColumns}
   from notifications notification
   join notification_messages message
     on message.tenant_id = scope.tenant and message.message_id = notification.message_id
   ${withErasure}
   where notification.tenant_id = scope.tenant and notification.notification_id = $2
   limit 1`,
);
