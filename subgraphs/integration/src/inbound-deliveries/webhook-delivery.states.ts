/** The states of an inbound delivery. A dead letter is handled again only when a replay is asked for. */
export const webhookDeliveryStates = {
  Accepted: { next: ["Processing"] },
  Processing: { next: ["Processed", "Ignored", "Failed", "Accepted"] },
  Processed: { next: [] },
  Ignored: { next: [] },
  Failed: { next: ["Processing", "DeadLettered"] },
  DeadLettered: { next: ["Processing"] },
} as const;

/** The state of an inbound delivery. `webhookDeliveryStates` says which states may follow. */
export type WebhookDeliveryState = keyof typeof webhookDeliveryStates;

/** The condition of deliveries that are still to be handled. It must be equal to the condition of their index. */
export const isUnhandled = "status in ('Accepted', 'Processing', 'Failed')";
