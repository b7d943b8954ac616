import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import { traceparent } from "@factory/runtime/telemetry/trace";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { NotificationRecipient } from "../delivery/channel-driver.js";
import { switchedOffReason } from "../preferences/switched-off.js";
import { aboutNotification, type NotificationFacts } from "../record/notification.events.js";
import type { NotificationState } from "../record/notification.states.js";
import { tellUnread } from "../record/unread-notice.js";
import type { RequestedContent } from "./notification-request.js";

/** The content of a request with its audience. */
export interface NewMessage extends RequestedContent {
  readonly messageId: string;
  readonly audience: "Recipients" | "Tenant" | "Role";
  readonly roleCode: string | null;
  readonly recipientCount: number;
  readonly requestedBy: string;
  readonly createdAt: Date;
}

/** The notification to one recipient, in the state in which it begins. */
export interface NewNotification {
  readonly notificationId: string;
  readonly recipient: NotificationRecipient;
  /** Failed: its recipient has switched the category off. */
  readonly status: Extract<NotificationState, "Queued" | "Sent" | "Failed">;
}

const insertMessage = {
  name: "notification_message_insert",
  text: `insert into notification_messages (tenant_id, message_id, channel, category, priority, title, body, template_key,
      data, locale, audience, role_code, recipient_count, requested_by, correlation_id, traceparent, created_at,
      digest_key, digest_seconds)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
};

const insertNotifications = {
  name: "notifications_insert",
  text: `insert into notifications (tenant_id, notification_id, message_id, channel, recipient_user_id, recipient_email,
      recipient_email_key, recipient_phone, subscription_id, status, failure_reason, due_at, created_at, sent_at)
    select $1::uuid, id, $2::uuid, $3::text, user_id, email, email_key, phone, subscription_id, state,
      case when state = 'Failed' then '${switchedOffReason}' end,
      case when state = 'Queued' then $4::timestamptz end, $4::timestamptz, case when state = 'Sent' then $4::timestamptz end
    from unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::text[], $10::uuid[], $11::text[])
      asked (id, user_id, email, email_key, phone, subscription_id, state)`,
};

/** Inserts the content of a request or broadcast. */
export async function storeMessage({ defer, tenant, cause }: Transaction, message: NewMessage): Promise<void> {
  await defer(insertMessage, [
    ...[tenant.uuid, decodeId("ntm", message.messageId), message.channel, message.category, message.priority],
    ...[message.title, message.body, message.templateKey, message.data && JSON.stringify(message.data)],
    ...[message.locale, message.audience, message.roleCode, message.recipientCount, message.requestedBy],
    ...[cause.correlationId ?? cause.trace.traceId, traceparent(cause.trace), message.createdAt.toISOString()],
    ...[message.digest?.key ?? null, message.digest?.windowSeconds ?? null],
  ]);
}

/** Inserts the notifications of a request in one statement, and records their events. */
export async function storeNotifications(
  transaction: Transaction,
  message: NewMessage,
  notifications: readonly NewNotification[],
): Promise<void> {
  const recipients = notifications.map(({ recipient }) => recipient);
  await transaction.defer(insertNotifications, [
    ...[transaction.tenant.uuid, decodeId("ntm", message.messageId), message.channel, message.createdAt.toISOString()],
    notifications.map(({ notificationId }) => decodeId("ntf", notificationId)),
    recipients.map(({ userId }) => decodeId("usr", userId) ?? null),
    recipients.map(({ email }) => email),
    recipients.map(({ email }) => email && mailAddressKey(email)),
    recipients.map(({ phone }) => phone),
    recipients.map(({ subscriptionId }) => decodeId("whs", subscriptionId) ?? null),
    notifications.map(({ status }) => status),
  ]);
  for (const notification of notifications) recordRequest(transaction, message, notification);
  const delivered = notifications.filter(({ status }) => status === "Sent");
  tellUnread(
    transaction,
    delivered.map(({ recipient }) => recipient.userId),
  );
}

/** Records the request, and the outcome of a notification that has one already. */
function recordRequest({ tenant, record }: Transaction, message: NewMessage, notification: NewNotification): void {
  const { messageId, channel, category } = message;
  const { notificationId, recipient, status } = notification;
  const { userId: recipientUserId } = recipient;
  const facts: NotificationFacts = {
    ...{ tenantId: tenant.tenantId, messageId, notificationId, channel, category, recipientUserId },
  };
  const at = message.createdAt.toISOString();
  record({ type: "NotificationRequested", ...aboutNotification(facts, requestFacts(message, recipient)) });
  if (status === "Sent")
    record({ type: "NotificationSent", ...aboutNotification(facts, { recipientCount: 1, sentAt: at }) });
  if (status === "Failed") {
    const failure = { reason: switchedOffReason, failedAt: at };
    record({ type: "NotificationFailed", ...aboutNotification(facts, failure) });
  }
}

/** The event carries the content to the webhook subscription that is the recipient, and otherwise no content. */
function requestFacts(message: NewMessage, { subscriptionId }: NotificationRecipient): Record<string, unknown> {
  const { priority, audience, roleCode, recipientCount, requestedBy, createdAt, channel, title, body, data } = message;
  return {
    ...{ priority, audience, roleCode, recipientCount, requestedBy, subscriptionId },
    requestedAt: createdAt.toISOString(),
    ...(channel === "Webhook" ? { title, body, data } : {}),
  };
}
