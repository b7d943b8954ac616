import { foreignJson } from "@factory/runtime/db/foreign-json-column";
import { expiringTenantTable, withLookup } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { EventType } from "@factory/schema/event-names";
import type {
  DisabledReason,
  HandshakeState,
  WebhookContentType,
  WebhookDirection,
  WebhookOrdering,
} from "@factory/schema/vocabularies/webhooks";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { WebhookSubscriptionState } from "./webhook-subscription.states.js";

/** Workers find the secrets that may verify an inbound delivery, and delete subscriptions that were deleted long ago. */
@Entity(withLookup(expiringTenantTable("webhook_subscriptions", "deleted_at IS NOT NULL"), "status = 'Active'"))
@Index({
  name: "webhook_subscriptions_by_time",
  properties: ["tenantId", "createdAt", "subscriptionId"],
  where: "status <> 'Deleted'",
})
@Index({
  name: "webhook_subscriptions_deleted_at",
  properties: ["deletedAt"],
  where: "deleted_at is not null",
})
@Index({ name: "webhook_subscriptions_lookup", properties: ["subscriptionId"], where: "status = 'Active'" })
@Index({
  name: "webhook_subscriptions_active",
  properties: ["tenantId", "eventType"],
  where: "status = 'Active'",
})
export class WebhookSubscription {
  [PrimaryKeyProp]?: ["tenantId", "subscriptionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("whs") })
  subscriptionId: string;

  @Property({ type: "text", nullable: true })
  projectId: string | null;

  /** Outbound: events are sent to `endpointUrl`. Inbound: the secret verifies the provider's deliveries. */
  @Property({ type: "text", default: "Outbound" })
  direction: WebhookDirection;

  /** The provider whose deliveries an Inbound subscription verifies. */
  @Property({ type: wireId("prv"), nullable: true })
  providerId: string | null;

  /** Null in an Inbound subscription. */
  @Property({ type: "text", nullable: true })
  eventType: EventType | null;

  /** Null in an Inbound subscription. */
  @Property({ type: "text", nullable: true })
  endpointUrl: string | null;

  /** The reference as the caller wrote it. Null in an Inbound subscription whose vendor signs with its own key. */
  @Property({ type: "text", nullable: true })
  signingSecretRef: string | null;

  @Property({ type: wireId("crd"), nullable: true })
  credentialId: string | null;

  @Property({ type: "text" })
  contentType: WebhookContentType;

  /** The limit on webhooks a second, in all processes together. */
  @Property({ type: "integer", nullable: true })
  ratePerSecond: number | null;

  @Property({ type: "text", default: "parallel" })
  ordering: WebhookOrdering;

  /** As `matchesFilter` evaluates it. */
  @Property({ ...foreignJson(), nullable: true })
  filter: Record<string, unknown> | null;

  /** Further headers on each webhook, with names in lower case. */
  @Property({ type: "json", nullable: true })
  headers: Record<string, string> | null;

  /** Whether the receiver has agreed to webhooks, in a subscription with a handshake. */
  @Property({ type: "text", nullable: true })
  handshake: HandshakeState | null;

  /** The endpoint that has agreed. Nothing is sent to another one. */
  @Property({ type: "text", nullable: true })
  handshakeUrl: string | null;

  /** The time when the platform began to ask this receiver. */
  @Property({ type: "timestamptz", nullable: true })
  handshakeSince: Date | null;

  @Property({ type: "integer", default: 0 })
  handshakeAttempts: number;

  /** The time when the receiver is asked next. */
  @Property({ type: "timestamptz", nullable: true })
  handshakeNextAt: Date | null;

  /** Why the newest question did not succeed. */
  @Property({ type: "text", nullable: true })
  handshakeDetail: string | null;

  /** The number of webhooks a minute that the receiver has allowed. Null for any number. */
  @Property({ type: "integer", nullable: true })
  allowedPerMinute: number | null;

  @Property({ type: "text" })
  status: WebhookSubscriptionState;

  @Property({ type: "text", nullable: true })
  disabledReason: DisabledReason | null;

  /** The time since which no attempt has succeeded. Null after a success. */
  @Property({ type: "timestamptz", nullable: true })
  failingSince: Date | null;

  /** The time when this failure streak's first message had no attempt left. */
  @Property({ type: "timestamptz", nullable: true })
  exhaustedSince: Date | null;

  /** The time when the tenant was warned about this failure streak. */
  @Property({ type: "timestamptz", nullable: true })
  warnedAt: Date | null;

  /** Grows with every change that a reader sees. It is the entity tag. */
  @Property({ type: "integer", default: 1 })
  version: number;

  @Property({ type: "timestamptz", length: 3 })
  createdAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  deletedAt: Date | null;
}
