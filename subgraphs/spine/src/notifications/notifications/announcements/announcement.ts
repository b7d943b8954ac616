import { newId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { settingNow } from "../../../settings/configuration/tenant-settings.js";
import { composeMessage, plainBody } from "../../notification-templates/compose-message.js";
import type { MessageTemplate } from "../../notification-templates/message-template.js";
import { deliverNotificationJob } from "../delivery/deliver-notification-job.js";
import { storeMessage, storeNotifications } from "../request/store-notifications.js";

/** A message from the platform itself to people in a tenant. */
interface Announcement {
  readonly template: MessageTemplate;
  readonly data: Readonly<Record<string, unknown>>;
  readonly userIds: readonly string[];
  readonly channels: readonly ("InApp" | "Email")[];
  /** The page that an inbox opens for the message. */
  readonly url?: string;
  /** The content's id on the first channel, so that a repetition is recognized. Absent: a new one. */
  readonly messageId?: string;
}

/**
 * Notifies the users in the transaction. The category is one that nobody can switch off, and no tenant limit applies,
 * since the platform itself tells it.
 */
export async function announce(
  transaction: Transaction,
  jobs: JobQueue,
  { template, data, userIds, channels, url, messageId }: Announcement,
): Promise<void> {
  if (userIds.length === 0) return;
  const text = composeMessage(template, data, [await settingNow(transaction, "notifications.locale")]);
  const createdAt = new Date();
  for (const [place, channel] of channels.entries()) {
    const message = {
      ...({ channel, category: "security", priority: "High", title: text.title, body: plainBody(text) } as const),
      ...{
        templateKey: null,
        data: url === undefined ? null : { url },
        locale: null,
        digest: null,
        messageId: place === 0 && messageId !== undefined ? messageId : newId("ntm"),
        createdAt,
      },
      ...({ audience: "Recipients", roleCode: null, recipientCount: userIds.length } as const),
      requestedBy: transaction.cause.actorId ?? "platform",
    };
    const status = channel === "InApp" ? ("Sent" as const) : ("Queued" as const);
    const notifications = userIds.map((userId) => ({
      ...{ notificationId: newId("ntf"), status },
      recipient: { userId, email: null, phone: null, subscriptionId: null },
    }));
    await storeMessage(transaction, message);
    await storeNotifications(transaction, message, notifications);
    if (channel === "InApp") continue;
    const { tenantId } = transaction.tenant;
    const payloads = notifications.map(({ notificationId }) => ({ tenantId, notificationId }));
    await jobs.sendAll(transaction, deliverNotificationJob, payloads);
  }
}
