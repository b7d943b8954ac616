import { newId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { storeMessage, storeNotifications } from "./store-notifications.js";

/** A notice of the platform itself. */
export interface Notice {
  /** One that nobody can switch off. */
  readonly category: "security";
  readonly title: string;
  readonly body: string;
  readonly data: Record<string, unknown>;
}

/** Tells a user of the tenant something by an in-app notification, in the transaction that makes it true. */
export async function tellPerson(transaction: Transaction, userId: string, notice: Notice): Promise<void> {
  const message = {
    ...notice,
    ...({ messageId: newId("ntm"), channel: "InApp", priority: "High", audience: "Recipients" } as const),
    ...{ templateKey: null, locale: null, roleCode: null, digest: null },
    ...{ recipientCount: 1, requestedBy: "platform", createdAt: new Date() },
  };
  await storeMessage(transaction, message);
  const recipient = { userId, email: null, phone: null, subscriptionId: null };
  await storeNotifications(transaction, message, [{ notificationId: newId("ntf"), recipient, status: "Sent" }]);
}
