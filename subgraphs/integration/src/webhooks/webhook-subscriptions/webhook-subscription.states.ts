export const webhookSubscriptionStates = {
  Active: { next: ["Paused", "Disabled", "Deleted"] },
  Paused: { next: ["Active", "Deleted"] },
  Disabled: { next: ["Active", "Deleted"] },
  Deleted: { next: [] },
} as const;

export type WebhookSubscriptionState = keyof typeof webhookSubscriptionStates;

export const webhookContentTypes = ["application/json", "application/cloudevents+json"] as const;
export type WebhookContentType = (typeof webhookContentTypes)[number];

/** The reason why the platform disabled a subscription. The event WebhookSubscriptionDisabled contains it. */
export type DisabledReason = "ReceiverGone" | "ReceiverDisabled" | "OnlyFailures" | "HandshakeFailed";

/** Pending: nothing is sent until the receiver agrees. Null in a subscription without a handshake. */
export type HandshakeState = "Pending" | "Succeeded";

/** Outbound sends the platform's events; Inbound verifies a vendor's deliveries. */
export const webhookDirections = ["Outbound", "Inbound"] as const;
export type WebhookDirection = (typeof webhookDirections)[number];
