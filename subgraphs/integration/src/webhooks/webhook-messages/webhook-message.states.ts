import type { WebhookMessageStatus } from "@factory/schema/vocabularies/webhooks";

const webhookMessageStates = {
  Pending: { next: ["Delivering", "Skipped"] },
  Delivering: { next: ["Delivered", "RetryScheduled", "Exhausted", "Aborted", "Pending", "Skipped"] },
  RetryScheduled: { next: ["Delivering", "Aborted", "Skipped"] },
  Delivered: { next: ["Pending"] },
  Exhausted: { next: ["Pending"] },
  Aborted: { next: ["Pending"] },
  Skipped: { next: ["Pending"] },
} as const satisfies Record<WebhookMessageStatus, object>;

/** A webhook message's state. `webhookMessageStates` says which states may follow. */
export type WebhookMessageState = keyof typeof webhookMessageStates;

/** The condition for messages that are still to be sent. It must be equal to the condition on their index. */
export const isWaiting = "status in ('Pending', 'Delivering', 'RetryScheduled')";

/** The condition for messages that ended without success. It must be equal to the condition on their index. */
export const isUnsent = "status in ('Exhausted', 'Aborted', 'Skipped')";

/** The states from which a message can be made due again. */
export const endedMessageStates = [
  "Delivered",
  "Exhausted",
  "Aborted",
  "Skipped",
] as const satisfies WebhookMessageState[];

/** The limit on a message's attempts, with those in resends and replays. */
export const maxMessageAttempts = 100;
