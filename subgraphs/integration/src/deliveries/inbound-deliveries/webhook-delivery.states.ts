/**
 * The states of an inbound delivery. Processed and DeadLettered become Processing only by a replay; Processing becomes
 * Accepted when a process gives its claim back at its stop. The last failed attempt is made while it is Processing.
 */
export const webhookDeliveryStates = {
  Accepted: { next: ["Processing"] },
  Processing: { next: ["Processed", "Ignored", "Failed", "DeadLettered", "Accepted"] },
  Processed: { next: ["Processing"] },
  Ignored: { next: [] },
  Failed: { next: ["Processing"] },
  DeadLettered: { next: ["Processing"] },
} as const;

/** The state of an inbound delivery. `webhookDeliveryStates` says which states may follow. */
export type WebhookDeliveryState = keyof typeof webhookDeliveryStates;

/** The condition of deliveries that are still to be handled. It must be equal to the condition of their index. */
export const isUnhandled = "status in ('Accepted', 'Processing', 'Failed')";

/** The states of deliveries that were not handled, which a list finds among very many others by an index. */
export const failedStates: readonly string[] = ["Failed", "DeadLettered"] satisfies WebhookDeliveryState[];

/** The condition of these states. It must be equal to the condition of their index. */
export const hasFailed = "status in ('Failed', 'DeadLettered')";
