import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { WebhookDelivery } from "./webhook-delivery.entity.js";
import type { WebhookDeliveryType } from "./webhook-delivery.type.js";

/** A delivery's members without its payload. */
const shownMembers = [
  "deliveryId",
  "providerId",
  "providerKey",
  "providerDeliveryId",
  "eventName",
  "normalizedEventType",
  "subscriptionId",
  "connectionId",
  "runId",
  "status",
  "attempts",
  "nextAttemptAt",
  "errorCode",
  "errorDetail",
  "traceId",
  "receivedAt",
  "processedAt",
] as const satisfies (keyof WebhookDelivery)[];
type ShownMember = (typeof shownMembers)[number];

/** The text keeps the microseconds, for cursors. */
export const deliveryColumns = `${columnsOf(WebhookDelivery, shownMembers)}, received_at::text as received_at_text`;
export type DeliveryRow = RowOf<WebhookDelivery, ShownMember> & { received_at_text: string };
/** All columns, for statements that read others. */
export type StoredDeliveryRow = RowOf<WebhookDelivery>;
export const readDeliveryRow = rowReader(WebhookDelivery);

export function deliveryView(delivery: RecordOf<WebhookDelivery, ShownMember>): WebhookDeliveryType {
  const { status, errorCode, errorDetail } = delivery;
  return {
    deliveryId: delivery.deliveryId,
    providerId: delivery.providerId,
    provider: delivery.providerKey,
    providerDeliveryId: delivery.providerDeliveryId,
    eventName: delivery.eventName,
    normalizedEventType: delivery.normalizedEventType,
    status,
    attempts: delivery.attempts,
    // While the delivery is Processing, the column holds the time when its claim ends.
    nextAttemptAt: status === "Processing" ? null : (delivery.nextAttemptAt?.toISOString() ?? null),
    error: errorCode === null ? null : { code: errorCode, message: errorDetail },
    subscriptionId: delivery.subscriptionId,
    connectionId: delivery.connectionId,
    runId: delivery.runId,
    traceId: delivery.traceId,
    receivedAt: delivery.receivedAt.toISOString(),
    processedAt: delivery.processedAt?.toISOString() ?? null,
  };
}
