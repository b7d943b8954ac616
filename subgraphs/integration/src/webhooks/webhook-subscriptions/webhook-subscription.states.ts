import type { WebhookSubscriptionStatus } from "@factory/schema/vocabularies/webhooks";
export const webhookSubscriptionStates = {
  Active: { next: ["Paused", "Disabled", "Deleted"] },
  Paused: { next: ["Active", "Deleted"] },
  Disabled: { next: ["Active", "Deleted"] },
  Deleted: { next: [] },
} as const satisfies Record<WebhookSubscriptionStatus, object>;

export type WebhookSubscriptionState = WebhookSubscriptionStatus;
