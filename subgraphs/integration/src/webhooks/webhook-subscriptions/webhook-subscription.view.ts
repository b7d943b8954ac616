import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { WebhookOrdering } from "./delivery-settings/delivery-settings.js";
import type { WebhookSubscription } from "./webhook-subscription.entity.js";
import type {
  DisabledReason,
  HandshakeState,
  WebhookContentType,
  WebhookDirection,
  WebhookSubscriptionState,
} from "./webhook-subscription.states.js";
import type { WebhookSubscriptionType } from "./webhook-subscription.type.js";

/** The columns that `subscriptionView` reads. */
export const subscriptionColumns = `subscription_id, project_id, direction, provider_id, event_type, endpoint_url,
  signing_secret_ref, content_type, rate_per_second, ordering, filter, headers, handshake,
  handshake_attempts, handshake_next_at, handshake_detail, allowed_per_minute, status, disabled_reason, version, created_at`;

/** A row of `webhook_subscriptions` as PostgreSQL returns it. */
export interface SubscriptionRow {
  subscription_id: string;
  project_id: string | null;
  direction: WebhookDirection;
  provider_id: string | null;
  event_type: string | null;
  endpoint_url: string | null;
  signing_secret_ref: string | null;
  rate_per_second: number | null;
  ordering: WebhookOrdering;
  filter: Record<string, unknown> | null;
  headers: Record<string, string> | null;
  handshake: HandshakeState | null;
  handshake_attempts: number;
  handshake_next_at: Date | string | null;
  handshake_detail: string | null;
  allowed_per_minute: number | null;
  content_type: WebhookContentType;
  status: WebhookSubscriptionState;
  disabled_reason: DisabledReason | null;
  version: number;
  /** The rows of a transaction have text here. */
  created_at: Date | string;
}

export function subscriptionView(row: SubscriptionRow): WebhookSubscriptionType {
  return {
    subscriptionId: encodeId("whs", row.subscription_id),
    direction: row.direction,
    providerId: row.provider_id === null ? null : encodeId("prv", row.provider_id),
    eventType: row.event_type,
    endpointUrl: row.endpoint_url,
    signingSecretRef: row.signing_secret_ref,
    contentType: row.content_type,
    signingSecret: null,
    deliveryUrl: null,
    ratePerSecond: row.rate_per_second,
    ordering: row.ordering,
    filter: row.filter,
    headers: row.headers,
    handshake: row.handshake && {
      status: row.handshake,
      attempts: row.handshake_attempts,
      nextAttemptAt: row.handshake_next_at && new Date(row.handshake_next_at).toISOString(),
      detail: row.handshake_detail,
      allowedPerMinute: row.allowed_per_minute,
    },
    status: row.status,
    disabledReason: row.disabled_reason,
    projectId: row.project_id,
    createdAt: new Date(row.created_at).toISOString(),
    version: row.version,
  };
}

/** A subscription that was just created. */
export function subscriptionEntityView(row: WebhookSubscription, deliveryUrl: string | null): WebhookSubscriptionType {
  const { subscriptionId, direction, providerId, eventType, endpointUrl, signingSecretRef, status, projectId } = row;
  const { contentType, disabledReason, version } = row;
  return {
    ...{ subscriptionId, direction, providerId, eventType, endpointUrl, signingSecretRef, status, projectId },
    ...{ contentType, disabledReason, version },
    signingSecret: null,
    deliveryUrl,
    ratePerSecond: row.ratePerSecond,
    ordering: row.ordering,
    filter: row.filter,
    headers: row.headers,
    handshake: row.handshake && {
      status: row.handshake,
      attempts: row.handshakeAttempts,
      nextAttemptAt: row.handshakeNextAt?.toISOString() ?? null,
      detail: row.handshakeDetail,
      allowedPerMinute: row.allowedPerMinute,
    },
    createdAt: row.createdAt.toISOString(),
  };
}
