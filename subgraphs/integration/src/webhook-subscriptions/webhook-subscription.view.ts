import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { WebhookSubscriptionState } from "./webhook-subscription.states.js";
import type { WebhookSubscriptionType } from "./webhook-subscription.type.js";

/** A row of `webhook_subscriptions` as PostgreSQL returns it. */
export interface SubscriptionRow {
  subscription_id: string;
  project_id: string | null;
  event_type: string;
  endpoint_url: string;
  signing_secret_ref: string;
  status: WebhookSubscriptionState;
  created_at: Date;
}

export function subscriptionView(row: SubscriptionRow): WebhookSubscriptionType {
  return {
    subscriptionId: encodeId("whs", row.subscription_id),
    eventType: row.event_type,
    endpointUrl: row.endpoint_url,
    signingSecretRef: row.signing_secret_ref,
    signingSecret: null,
    status: row.status,
    projectId: row.project_id,
    createdAt: row.created_at.toISOString(),
  };
}
