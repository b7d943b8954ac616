import { failpoint } from "@factory/runtime/faults/failpoint";
import type { Delivery } from "../../notifications/delivery/channel-driver.js";

/** After this time integration does not carry out the command any more. */
const expiresAfterMs = 12 * 3_600_000;
/** Integration ends every run within this time, so an answer that is still missing was lost. */
const answeredAfterMs = 24 * 3_600_000;

/** A command to a vendor that delivers one notification. */
interface DeliveryCommand {
  readonly type: "SendEmail" | "SendSms";
  readonly data: Record<string, unknown>;
}

/**
 * Hands the notification to a connection that the tenant has. The events that answer the command settle it
 * (`vendor-answers.ts`). The command leaves with the transaction that notes its id, so it is sent once. Without an
 * answer the delivery comes again with the id.
 */
export async function deliverByCommand(delivery: Delivery, { type, data }: DeliveryCommand): Promise<void> {
  const { notificationId } = delivery.notification;
  const now = Date.now();
  const command = {
    ...{ type, data, subject: `notifications/${notificationId}`, partitionKey: notificationId },
    expiresAt: new Date(now + expiresAfterMs),
  };
  await delivery.handOver(new Date(now + answeredAfterMs), async ({ send }) => send(command).id);
  failpoint("notification.handedOver");
}
