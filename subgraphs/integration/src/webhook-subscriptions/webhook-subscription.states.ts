export const webhookSubscriptionStates = {
  Active: { next: ["Paused", "Disabled", "Deleted"] },
  Paused: { next: ["Active", "Deleted"] },
  Disabled: { next: ["Active", "Deleted"] },
  Deleted: { next: [] },
} as const;

export type WebhookSubscriptionState = keyof typeof webhookSubscriptionStates;

export const webhookContentTypes = ["application/json", "application/cloudevents+json"] as const;
export type WebhookContentType = (typeof webhookContentTypes)[number];

/** Why the platform stopped sending; shown in WebhookSubscriptionDisabled. */
export type DisabledReason = "ReceiverGone" | "ReceiverDisabled" | "OnlyFailures";
