import { namedStatement } from "@factory/runtime/db/named-parameters";
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

/** A request's content with its audience. */
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

const insertMessage = namedStatement(
  "notification_message_insert",
  `insert into notification_messages (tenant_id, message_id, channel, category, priority, title, body, template_key,
      data, locale, audience, role_code, recipient_count, requested_by, correlation_id, traceparent, created_at,
      digest_key, digest_seconds)
    values ($tenant, $messageId, $channel, $category, $priority, $title, $body, $templateKey, $data, $locale, $audience,
      $roleCode, $recipientCount, $requestedBy, $correlationId, $traceparent, $createdAt, $digestKey, $digestSeconds)`,
);

const insertNotifications = namedStatement(
  "notifications_insert",
  `insert into notifications (tenant_id, notification_id, message_id, channel, recipient_user_id, recipient_email,
      recipient_email_key, recipient_phone, subscription_id, status, failure_reason, due_at, created_at, sent_at)
    select $tenant::uuid, id, $messageId::uuid, $channel::text, user_id, email, email_key, phone, subscription_id, state,
      case when state = 'Failed' then '${switchedOffReason}' end,
      case when state = 'Queued' then $createdAt::timestamptz end, $createdAt::timestamptz,
      case when state = 'Sent' then $createdAt::timestamptz end
    from unnest($ids::uuid[], $userIds::uuid[], $emails::text[], $emailKeys::text[], $phones::text[],
      $subscriptionIds::uuid[], $states::text[]) asked (id, user_id, email, email_key, phone, subscription_id, state)`,
);

/** Inserts the content for a request or broadcast. */
export async function storeMessage({ defer, tenant, cause }: Transaction, message: NewMessage): Promise<void> {
  const { channel, category, priority, title, body, templateKey, data, locale } = message;
  const { audience, roleCode, recipientCount, requestedBy, createdAt, digest } = message;
  const values = {
    ...{ tenant: tenant.uuid, messageId: decodeId("ntm", message.messageId), channel, category, priority, title, body },
    ...{ templateKey, data: data && JSON.stringify(data), locale, audience, roleCode, recipientCount, requestedBy },
    ...{ correlationId: cause.correlationId ?? cause.trace.traceId, traceparent: traceparent(cause.trace) },
    createdAt: createdAt.toISOString(),
    ...{ digestKey: digest?.key ?? null, digestSeconds: digest?.windowSeconds ?? null },
  };
  await defer(insertMessage, insertMessage.valuesOf(values));
}

/** Inserts a request's notifications in one statement, and records their events. */
export async function storeNotifications(
  transaction: Transaction,
  message: NewMessage,
  notifications: readonly NewNotification[],
): Promise<void> {
  const recipients = notifications.map(({ recipient }) => recipient);
  const values = {
    ...{ tenant: transaction.tenant.uuid, messageId: decodeId("ntm", message.messageId), channel: message.channel },
    createdAt: message.createdAt.toISOString(),
    ids: notifications.map(({ notificationId }) => decodeId("ntf", notificationId)),
    userIds: recipients.map(({ userId }) => decodeId("usr", userId) ?? null),
    emails: recipients.map(({ email }) => email),
    emailKeys: recipients.map(({ email }) => email && mailAddressKey(email)),
    phones: recipients.map(({ phone }) => phone),
    subscriptionIds: recipients.map(({ subscriptionId }) => decodeId("whs", subscriptionId) ?? null),
    states: notifications.map(({ status }) => status),
  };
  await transaction.defer(insertNotifications, insertNotifications.valuesOf(values));
  for (const notification of notifications) recordRequest(transaction, message, notification);
  const sentNotifications = notifications.filter(({ status }) => status === "Sent");
  tellUnread(
    transaction,
    sentNotifications.map(({ recipient }) => recipient.userId),
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
