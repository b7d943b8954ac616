import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import type { NotificationChannel } from "@factory/schema/vocabularies/notifications";
import type { TenantState } from "../../../tenants/tenants/tenant.states.js";
import { switchedOff } from "../preferences/switched-off.js";
import { Notification } from "../record/notification.entity.js";
import { withErasure } from "../record/notification-erasure.entity.js";
import { NotificationMessage } from "../record/notification-message.entity.js";
import { isQueued } from "../record/plan-by-keys.js";

// tables: notifications, notification_messages, users, tenants

const notificationMembers = [
  "messageId",
  "channel",
  "recipientUserId",
  "recipientPhone",
  "subscriptionId",
  "lane",
  "handle",
  "createdAt",
] as const;

const messageMembers = [
  "category",
  "priority",
  "title",
  "body",
  "templateKey",
  "data",
  "locale",
  "digestKey",
  "digestSeconds",
  "requestedBy",
  "correlationId",
  "traceparent",
] as const;

/** A notification that waits for its job, with its content and its user's present address. */
export type QueuedRow = RowOf<Notification, (typeof notificationMembers)[number]> &
  RowOf<NotificationMessage, (typeof messageMembers)[number]> & {
    channel: Exclude<NotificationChannel, "InApp">;
    tenant_status: TenantState;
    tenant_name: string;
    email: string | null;
    /** Null for a recipient without a user id, unless it has a deleted user's address. */
    user_status: "Active" | "Disabled" | "Deleted" | null;
    /** The user, or the active user with the address, has switched off the category in the channel. */
    switched_off: boolean;
  };

const isSwitchedOff = switchedOff({
  tenant: "$1",
  user: "coalesce(notification.recipient_user_id, addressee.user_id)",
  channel: "notification.channel",
  category: "message.category",
});

/**
 * $1: tenant, $2: notification. The notification, if it is Queued and due. A job that comes again after a kill, while
 * another one waits for the time or somebody else answers, finds nothing. The first due time is by the process clock,
 * so two seconds are allowed.
 */
export const queuedNotification = {
  name: "queued_notification",
  text: `select owner.status as tenant_status, owner.name as tenant_name,
     ${columnsOf(Notification, notificationMembers, "notification")},
     coalesce(recipient.email, notification.recipient_email) as email,
     case when erasure.is_pending then 'Deleted' else recipient.status end as user_status,
     coalesce(notification.recipient_user_id, addressee.user_id) is not null and ${isSwitchedOff} as switched_off,
     ${columnsOf(NotificationMessage, messageMembers, "message")}
   from notifications notification
   join tenants owner on owner.tenant_id = $1
   join notification_messages message
     on message.tenant_id = $1 and message.message_id = notification.message_id
   left join users recipient
     on recipient.tenant_id = $1 and recipient.user_id = notification.recipient_user_id
   ${withErasure}
   left join lateral (
     select user_id from users
     where tenant_id = $1 and email_key = notification.recipient_email_key and status <> 'Deleted'
       and status || '' = 'Active'
     limit 1) addressee on true
   where notification.tenant_id = $1 and notification.notification_id = $2
     and notification.${isQueued}
     and (notification.due_at is null or notification.due_at <= now() + interval '2 seconds')
   limit 1`,
};
