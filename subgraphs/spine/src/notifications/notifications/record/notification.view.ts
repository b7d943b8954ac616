import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { NotificationChannel, NotificationPriority, NotificationState } from "./notification.states.js";
import type { NotificationType } from "./notification.type.js";

/** A row of `notifications` with its message, as PostgreSQL returns it. Times are texts inside a transaction. */
export interface NotificationRow {
  notification_id: string;
  message_id: string;
  channel: NotificationChannel;
  category: string;
  priority: NotificationPriority;
  recipient_user_id: string | null;
  recipient_email: string | null;
  recipient_phone: string | null;
  subscription_id: string | null;
  title: string | null;
  body: string | null;
  template_key: string | null;
  status: NotificationState;
  failure_reason: string | null;
  created_at: Date | string;
  sent_at: Date | string | null;
  delivered_at: Date | string | null;
  read_at: Date | string | null;
}

/** The columns of `NotificationRow`, where `notification` and `message` are the two tables, and `erasure` is `withErasure`. */
export const notificationColumns = `notification.notification_id, notification.message_id, notification.channel,
  message.category, message.priority, notification.recipient_user_id,
  case when not erasure.is_pending then notification.recipient_email end as recipient_email,
  notification.recipient_phone, notification.subscription_id,
  case when not erasure.is_pending then message.title end as title,
  case when not erasure.is_pending then message.body end as body, message.template_key,
  notification.status, notification.failure_reason, notification.created_at, notification.sent_at,
  notification.delivered_at, notification.read_at`;

export function notificationRowView(row: NotificationRow): NotificationType {
  return {
    notificationId: encodeId("ntf", row.notification_id),
    messageId: encodeId("ntm", row.message_id),
    channel: row.channel,
    category: row.category,
    priority: row.priority,
    recipient: {
      userId: row.recipient_user_id && encodeId("usr", row.recipient_user_id),
      email: row.recipient_email,
      phone: row.recipient_phone,
      subscriptionId: row.subscription_id && encodeId("whs", row.subscription_id),
    },
    title: row.title,
    body: row.body,
    templateKey: row.template_key,
    status: row.status,
    failureReason: row.failure_reason,
    createdAt: timeOf(row.created_at),
    sentAt: row.sent_at && timeOf(row.sent_at),
    deliveredAt: row.delivered_at && timeOf(row.delivered_at),
    readAt: row.read_at && timeOf(row.read_at),
  };
}

const timeOf = (time: Date | string) => new Date(time).toISOString();
