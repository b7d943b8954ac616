import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { WebhookSubscription } from "./webhook-subscription.entity.js";
import type { WebhookSubscriptionType } from "./webhook-subscription.type.js";

/** The members that a reader sees. Each change to them has another `version`. */
const shownMembers = [
  "subscriptionId",
  "projectId",
  "direction",
  "providerId",
  "eventType",
  "endpointUrl",
  "signingSecretRef",
  "contentType",
  "ratePerSecond",
  "ordering",
  "filter",
  "headers",
  "handshake",
  "handshakeAttempts",
  "handshakeNextAt",
  "handshakeDetail",
  "allowedPerMinute",
  "status",
  "disabledReason",
  "version",
  "createdAt",
] as const satisfies (keyof WebhookSubscription)[];
type ShownMember = (typeof shownMembers)[number];

export const subscriptionColumns = columnsOf(WebhookSubscription, shownMembers);
export type SubscriptionRow = RowOf<WebhookSubscription, ShownMember>;
/** All columns, for statements that read others. */
export type StoredSubscriptionRow = RowOf<WebhookSubscription>;
export type SubscriptionRecord = RecordOf<WebhookSubscription, ShownMember>;
export const readSubscription = rowReader(WebhookSubscription);

/** `deliveryUrl` is shown for an Inbound subscription that was just created. */
export function subscriptionView(
  subscription: SubscriptionRecord,
  deliveryUrl: string | null = null,
): WebhookSubscriptionType {
  const { handshake, handshakeAttempts, handshakeNextAt, handshakeDetail, allowedPerMinute, createdAt, ...members } =
    subscription;
  return {
    subscriptionId: members.subscriptionId,
    direction: members.direction,
    providerId: members.providerId,
    eventType: members.eventType,
    endpointUrl: members.endpointUrl,
    signingSecretRef: members.signingSecretRef,
    contentType: members.contentType,
    signingSecret: null,
    deliveryUrl,
    ratePerSecond: members.ratePerSecond,
    ordering: members.ordering,
    filter: members.filter,
    headers: members.headers,
    handshake: handshake && {
      status: handshake,
      attempts: handshakeAttempts,
      nextAttemptAt: handshakeNextAt?.toISOString() ?? null,
      detail: handshakeDetail,
      allowedPerMinute,
    },
    status: members.status,
    disabledReason: members.disabledReason,
    projectId: members.projectId,
    createdAt: createdAt.toISOString(),
    version: members.version,
  };
}
