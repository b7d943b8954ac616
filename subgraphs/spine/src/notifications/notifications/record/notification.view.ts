import { columnsOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { Notification } from "./notification.entity.js";
import type { NotificationType } from "./notification.type.js";
import { NotificationMessage } from "./notification-message.entity.js";

const shownMembers = [
  "notificationId",
  "messageId",
  "channel",
  "recipientUserId",
  "recipientPhone",
  "subscriptionId",
  "status",
  "failureReason",
  "createdAt",
  "sentAt",
  "deliveredAt",
  "readAt",
] as const;
const messageMembers = ["category", "priority", "templateKey"] as const;

/** A notification with its message. */
export type NotificationRow = RowOf<Notification, (typeof shownMembers)[number] | "recipientEmail"> &
  RowOf<NotificationMessage, (typeof messageMembers)[number] | "title" | "body">;

/** The columns for `NotificationRow`, from the tables `notification` and `message`, and `withErasure` as `erasure`. */
export const notificationColumns = `${columnsOf(Notification, shownMembers, "notification")},
  ${columnsOf(NotificationMessage, messageMembers, "message")},
  case when not erasure.is_pending then notification.recipient_email end as recipient_email,
  case when not erasure.is_pending then message.title end as title,
  case when not erasure.is_pending then message.body end as body`;

const readNotification = rowReader(Notification);

export function notificationRowView(row: NotificationRow): NotificationType {
  const notification = readNotification(row);
  const { notificationId, messageId, channel, status, failureReason } = notification;
  const { category, priority, title, body, template_key: templateKey } = row;
  return {
    ...{ notificationId, messageId, channel, category, priority, title, body, templateKey, status, failureReason },
    recipient: {
      userId: notification.recipientUserId,
      email: notification.recipientEmail,
      phone: notification.recipientPhone,
      subscriptionId: notification.subscriptionId,
    },
    createdAt: notification.createdAt.toISOString(),
    sentAt: notification.sentAt?.toISOString() ?? null,
    deliveredAt: notification.deliveredAt?.toISOString() ?? null,
    readAt: notification.readAt?.toISOString() ?? null,
  };
}
