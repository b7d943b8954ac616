import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { WebhookDeliveryState } from "./webhook-delivery.states.js";
import type { WebhookDeliveryType } from "./webhook-delivery.type.js";

/** A row of `webhook_deliveries` as PostgreSQL returns it, without its payload. */
export interface DeliveryRow {
  delivery_id: string;
  provider_id: string;
  provider_key: string;
  provider_delivery_id: string;
  event_name: string;
  normalized_event_type: string;
  subscription_id: string | null;
  connection_id: string | null;
  run_id: string;
  status: WebhookDeliveryState;
  attempts: number;
  next_attempt_at: Date | null;
  error_code: string | null;
  error_detail: string | null;
  trace_id: string;
  received_at: Date;
  received_at_text: string;
  processed_at: Date | null;
}

/** The columns that `deliveryView` reads. The text keeps the microseconds, for cursors. */
export const deliveryColumns = `delivery_id, provider_id, provider_key, provider_delivery_id, event_name,
  normalized_event_type, subscription_id, connection_id, run_id, status, attempts, next_attempt_at, error_code,
  error_detail, trace_id, received_at, received_at::text as received_at_text, processed_at`;

export function deliveryView(row: DeliveryRow): WebhookDeliveryType {
  return {
    deliveryId: encodeId("whd", row.delivery_id),
    providerId: encodeId("prv", row.provider_id),
    provider: row.provider_key,
    providerDeliveryId: row.provider_delivery_id,
    eventName: row.event_name,
    normalizedEventType: row.normalized_event_type,
    status: row.status,
    attempts: row.attempts,
    // While the delivery is Processing, the column holds the end of its claim.
    nextAttemptAt: row.status === "Processing" ? null : (row.next_attempt_at?.toISOString() ?? null),
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_detail },
    subscriptionId: row.subscription_id === null ? null : encodeId("whs", row.subscription_id),
    connectionId: row.connection_id === null ? null : encodeId("con", row.connection_id),
    runId: encodeId("run", row.run_id),
    traceId: row.trace_id,
    receivedAt: row.received_at.toISOString(),
    processedAt: row.processed_at?.toISOString() ?? null,
  };
}
