import type { WebhookDeliveryStatus } from "@factory/schema/vocabularies/webhooks";
/**
 * An inbound delivery's states. Processed and DeadLettered become Processing only by a replay; Processing becomes
 * Accepted when a process gives its claim back at its stop. The last failed attempt is made while it is Processing.
 */
export const webhookDeliveryStates = {
  Accepted: { next: ["Processing"] },
  Processing: { next: ["Processed", "Ignored", "Failed", "DeadLettered", "Accepted"] },
  Processed: { next: ["Processing"] },
  Ignored: { next: [] },
  Failed: { next: ["Processing"] },
  DeadLettered: { next: ["Processing"] },
} as const satisfies Record<WebhookDeliveryStatus, object>;

/** An inbound delivery's state. `webhookDeliveryStates` says which states may follow. */
export type WebhookDeliveryState = WebhookDeliveryStatus;

/** The condition for deliveries that are still to be handled. It must be equal to the condition on their index. */
export const isUnhandled = "status in ('Accepted', 'Processing', 'Failed')";

/** The states in which a delivery was not handled, which a list finds among very many others by an index. */
export const failedStates: readonly string[] = ["Failed", "DeadLettered"] satisfies WebhookDeliveryState[];

/** The condition for these states. It must be equal to the condition on their index. */
export const hasFailed = "status in ('Failed', 'DeadLettered')";
