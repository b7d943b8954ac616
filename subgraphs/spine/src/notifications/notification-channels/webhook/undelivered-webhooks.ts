import type { BusMessage, EventConsumer } from "@factory/runtime/bus/bus";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { settleNotification } from "../../notifications/delivery/settle-notification.js";
import { planByKeys } from "../../notifications/record/plan-by-keys.js";
import { causeOfEvent } from "../messages/cause-of-event.js";
import { lockNamedReceiver } from "./named-receiver-statement.js";

/** Fails the notifications whose webhook was given up by the subscription that is their recipient. */
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
  const { eventType, eventSubject, failure, subscriptionId } = envelope.data;
  if (eventType !== "NotificationRequested" || typeof eventSubject !== "string") return;
  const notificationId = eventSubject.replace(/^notifications\//, "");
  const reason = typeof failure === "string" ? failure : "WEBHOOK_NOT_DELIVERED";
  await database.transaction(tenantWithId(envelope.tenantid), causeOfEvent(envelope), async (transaction) => {
    await planByKeys(transaction);
    // other webhooks get the events from all channels, and their failure does not fail the notification
    const { execute, tenant } = transaction;
    const receiver = decodeId("whs", typeof subscriptionId === "string" ? subscriptionId : "");
    const receiverRows = await execute(lockNamedReceiver, [tenant.uuid, decodeId("ntf", notificationId), receiver]);
    if (receiverRows.length > 0) await settleNotification(transaction, notificationId, { status: "Failed", reason });
  });
}
