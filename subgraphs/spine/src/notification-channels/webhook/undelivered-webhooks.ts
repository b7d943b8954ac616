import type { BusMessage, EventConsumer } from "@factory/runtime/bus/bus";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { settleNotification } from "../../notifications/delivery/settle-notification.js";
import { causeOfEvent } from "../messages/cause-of-event.js";

/** Fails the notifications whose webhook was given up. */
export function undeliveredWebhooks(database: Database): EventConsumer {
  return {
    group: "spine.notification-webhooks",
    types: ["WebhookDeliveryExhausted", "WebhookDeliveryAborted"],
    async handle(messages: readonly BusMessage[]) {
      for (const { envelope } of messages) await fail(database, envelope);
    },
  };
}

async function fail(database: Database, envelope: Envelope): Promise<void> {
  const { eventType, eventSubject, failure } = envelope.data;
  if (eventType !== "NotificationRequested" || typeof eventSubject !== "string") return;
  const notificationId = eventSubject.replace(/^notifications\//, "");
  const reason = typeof failure === "string" ? failure : "WEBHOOK_NOT_DELIVERED";
  await database.transaction(tenantWithId(envelope.tenantid), causeOfEvent(envelope), async (transaction) => {
    await settleNotification(transaction, notificationId, { status: "Failed", reason });
  });
}
