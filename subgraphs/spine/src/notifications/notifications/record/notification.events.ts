import type { NewEvent } from "@factory/runtime/messages/envelope";
import type { NotificationChannel } from "@factory/schema/vocabularies/notifications";

/** The facts in all events about one notification. Addresses are left out, because they are personal data. */
export interface NotificationFacts {
  readonly tenantId: string;
  readonly messageId: string;
  readonly notificationId: string;
  readonly channel: NotificationChannel;
  readonly category: string;
  readonly recipientUserId: string | null;
}

/** The subject and the data for an event about one notification, with the members that its type adds. */
export function aboutNotification(
  { tenantId, messageId, notificationId, channel, category, recipientUserId }: NotificationFacts,
  further: Readonly<Record<string, unknown>>,
): Pick<NewEvent, "subject" | "data"> {
  return {
    subject: `notifications/${notificationId}`,
    data: { tenantId, messageId, notificationId, channel, category, recipientUserId, ...further },
  };
}
