import type { AuthRule } from "@factory/runtime/graphql/auth";
import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import type {
  DisabledReason,
  HandshakeState,
  WebhookContentType,
  WebhookDirection,
} from "@factory/schema/vocabularies/webhooks";
import {
  disabledReasons,
  type WebhookOrdering,
  webhookContentTypes,
  webhookDirections,
  webhookHandshakeStatuses,
  webhookOrderings,
  webhookSubscriptionStatuses,
} from "@factory/schema/vocabularies/webhooks";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { WebhookSubscriptionState } from "./webhook-subscription.states.js";

const WebhookSubscriptionStatus = enumType(webhookSubscriptionStatuses);

const WebhookSubscriptionDirection = enumType(webhookDirections);

/** The scopes for reading a webhook subscription, through a root field or through another entity. */
export const readWebhookSubscriptions = { scopes: ["webhooks.subscriptions.read"] } as const satisfies AuthRule;

const WebhookHandshakeStatus = enumType(webhookHandshakeStatuses);

/** The question to a receiver whether it wants webhooks. */
@ObjectType("WebhookHandshake", { simpleResolvers: true })
class WebhookHandshakeType {
  @Field(() => WebhookHandshakeStatus, { description: "Pending: nothing is sent until the receiver agrees." })
  status: HandshakeState;

  @Field(() => Int, {
    description:
      "The number of questions to the receiver. It begins at 0 again for a new receiver, and when a subscription without its agreement is resumed.",
  })
  attempts: number;

  @Field(() => DateTime, {
    nullable: true,
    description: "When the receiver is asked next, if the subscription is Active then. Null after its agreement.",
  })
  nextAttemptAt: string | null;

  @Field(() => String, { nullable: true, description: "Why the newest attempt did not succeed." })
  detail: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "The number of webhooks a minute that the receiver has allowed. Null for any number.",
  })
  allowedPerMinute: number | null;
}

/** The GraphQL type for a webhook subscription, which is also the view that the service returns. */
@ObjectType("WebhookSubscription", { implements: NodeType, simpleResolvers: true })
@NodeKey("subscriptionId")
export class WebhookSubscriptionType {
  @Field(() => ID)
  subscriptionId: string;

  @Field(() => WebhookSubscriptionDirection)
  direction: WebhookDirection;

  @Field(() => ID, { nullable: true, description: "The provider of an Inbound subscription." })
  providerId: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Null in an Inbound subscription. A text, since a release may add event types.",
  })
  eventType: string | null;

  @Field(() => String, { nullable: true, description: "Null in an Inbound subscription." })
  endpointUrl: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Null in an Inbound subscription without a secret, whose vendor signs with a key of its own.",
  })
  signingSecretRef: string | null;

  @Field(() => String, { description: "A text, since media types are not GraphQL names." })
  @Constraint({ values: webhookContentTypes })
  contentType: WebhookContentType;

  @Field(() => String, {
    nullable: true,
    description:
      "The generated secret. Only the first response to the creation, or to the change that names a new signingSecretRef, contains it; a replayed response does not.",
  })
  signingSecret: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The URL to enter at the vendor of an Inbound subscription. Only the response to the creation contains it.",
  })
  deliveryUrl: string | null;

  @Field(() => Int, { nullable: true, description: "The limit on webhooks a second. Null for an unlimited rate." })
  ratePerSecond: number | null;

  @Field(() => enumType(webhookOrderings))
  ordering: WebhookOrdering;

  @Field(() => JsonObject, { nullable: true, description: "Only events with a matching envelope are sent." })
  filter: Record<string, unknown> | null;

  @Field(() => JsonObject, { nullable: true, description: "Further headers of each webhook." })
  headers: Record<string, string> | null;

  @Field(() => WebhookHandshakeType, { nullable: true, description: "Null in a subscription without a handshake." })
  handshake: WebhookHandshakeType | null;

  @Field(() => WebhookSubscriptionStatus)
  status: WebhookSubscriptionState;

  @Field(() => enumType(disabledReasons), {
    nullable: true,
    description: "Why the platform has disabled the subscription.",
  })
  disabledReason: DisabledReason | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Outbound: events that name another project are not sent. Inbound: the project of the deliveries. Null: events of all projects are sent.",
  })
  projectId: string | null;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => Int, { description: "The entity tag. It grows with every change of the subscription." })
  version: number;
}

export const WebhookSubscriptionConnection = connectionType(
  "WebhookSubscription",
  () => WebhookSubscriptionType,
  "Newest first.",
);
export type WebhookSubscriptionConnection = Connection<WebhookSubscriptionType>;
