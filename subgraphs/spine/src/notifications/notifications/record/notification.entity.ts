import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { NotificationChannel } from "@factory/schema/vocabularies/notifications";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { DeliveryLane } from "./delivery-lane.js";
import { expiredCondition, type NotificationState, queuedCondition, unreadCondition } from "./notification.states.js";

/** A message to one recipient over one channel. Ids are in creation order. */
@Entity(sweptTenantTable("notifications", queuedCondition, expiredCondition))
@Index({ name: "notifications_status", properties: ["tenantId", "status", "notificationId"] })
@Index({ name: "notifications_channel", properties: ["tenantId", "channel", "notificationId"] })
@Index({ name: "notifications_channel_status", properties: ["tenantId", "channel", "status", "notificationId"] })
@Index({
  name: "notifications_recipient",
  expression:
    "create index notifications_recipient on notifications (tenant_id, recipient_user_id, notification_id) where recipient_user_id is not null",
})
@Index({
  name: "notifications_unread",
  expression: `create index notifications_unread on notifications (tenant_id, recipient_user_id, notification_id) where ${unreadCondition}`,
})
@Index({
  name: "notifications_all_unread",
  expression: `create index notifications_all_unread on notifications (tenant_id, notification_id) where ${unreadCondition}`,
})
@Index({
  name: "notifications_due",
  expression: `create index notifications_due on notifications (due_at, notification_id) where ${queuedCondition}`,
})
@Index({
  name: "notifications_handle",
  expression: "create index notifications_handle on notifications (tenant_id, handle) where handle is not null",
})
@Index({
  name: "notifications_email",
  expression:
    "create index notifications_email on notifications (tenant_id, recipient_email_key) where recipient_email_key is not null",
})
@Index({ name: "notifications_created", properties: ["createdAt"] })
export class Notification {
  [PrimaryKeyProp]?: ["tenantId", "notificationId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("ntf") })
  notificationId: string;

  /** The content, which all recipients in one request share. */
  @Property({ type: wireId("ntm") })
  messageId: string;

  @Property({ type: "text" })
  channel: NotificationChannel;

  @Property({ type: wireId("usr"), nullable: true })
  recipientUserId: string | null;

  /** Null for a recipient with a user id, whose present address is used. */
  @Property({ type: "text", nullable: true })
  recipientEmail: string | null;

  /** The same address in the form that `mailAddressKey` makes, by which it is erased. */
  @Property({ type: "text", nullable: true })
  recipientEmailKey: string | null;

  @Property({ type: "text", nullable: true })
  recipientPhone: string | null;

  /** The webhook subscription that gets the notification's event. */
  @Property({ type: wireId("whs"), nullable: true })
  subscriptionId: string | null;

  @Property({ type: "text" })
  status: NotificationState;

  @Property({ type: "text", nullable: true })
  failureReason: string | null;

  /** While it is Queued: the time from which its job runs, or by which somebody else answers. */
  @Property({ type: "timestamptz", nullable: true })
  dueAt: Date | null;

  /** While it is Queued: the queue with its job. */
  @Property({ type: "text", default: "Common" })
  lane: DeliveryLane;

  /** The name by which a later answer finds it, for example a command's id. */
  @Property({ type: "text", nullable: true })
  handle: string | null;

  @Property({ type: "timestamptz" })
  createdAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  sentAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  deliveredAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  readAt: Date | null;
}
