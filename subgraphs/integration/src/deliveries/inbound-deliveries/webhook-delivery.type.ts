import type { AuthRule } from "@factory/runtime/graphql/auth";
import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { challengeMediaTypes, webhookDeliveryStatuses } from "@factory/schema/vocabularies/webhooks";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { WebhookDeliveryState } from "./webhook-delivery.states.js";

const WebhookDeliveryStatus = enumType(webhookDeliveryStatuses);

/** The scopes for reading deliveries. Their payload needs another one. */
export const readWebhookDeliveries = { scopes: ["webhooks.subscriptions.read"] } as const satisfies AuthRule;

@ObjectType("WebhookDeliveryError", { simpleResolvers: true })
class WebhookDeliveryErrorType {
  @Field({ description: "A text, since a release may add codes." })
  code: string;

  @Field(() => String, { nullable: true, description: "One sentence for people that explains the code." })
  message: string | null;
}

/** The GraphQL type for an inbound delivery. `payload` has its own resolver. */
@ObjectType("WebhookDelivery", {
  implements: NodeType,
  simpleResolvers: true,
  description: "A verified delivery of a vendor.",
})
@NodeKey("deliveryId")
export class WebhookDeliveryType {
  @Field(() => ID)
  deliveryId: string;

  @Field(() => ID)
  providerId: string;

  @Field({ description: "The key of the provider." })
  provider: string;

  @Field({ description: "The vendor's ID of the delivery." })
  providerDeliveryId: string;

  @Field({ description: "The vendor's name of the event." })
  eventName: string;

  @Field({ description: "A text, since vendors have events of their own." })
  normalizedEventType: string;

  @Field(() => WebhookDeliveryStatus)
  status: WebhookDeliveryState;

  @Field(() => Int, {
    description: "The number of attempts to handle it that have ended. A replay counts from 0 again.",
  })
  attempts: number;

  @Field(() => DateTime, {
    nullable: true,
    description: "When the next attempt to handle it is due. Null while it is Processing, and after its end.",
  })
  nextAttemptAt: string | null;

  @Field(() => WebhookDeliveryErrorType, {
    nullable: true,
    description: "Why the last attempt to handle it failed. Null after a success, and after the beginning of a replay.",
  })
  error: WebhookDeliveryErrorType | null;

  @Field(() => ID, { nullable: true, description: "The subscription whose secret has verified the signature." })
  subscriptionId: string | null;

  @Field(() => ID, { nullable: true, description: "The connection that the delivery belongs to." })
  connectionId: string | null;

  @Field(() => ID)
  runId: string;

  @Field()
  traceId: string;

  @Field(() => DateTime)
  receivedAt: string;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "When its handling ended: it is then Processed, Ignored or DeadLettered. Null before that, and during a replay.",
  })
  processedAt: string | null;
}

export const WebhookDeliveryConnection = connectionType(
  "WebhookDelivery",
  () => WebhookDeliveryType,
  "The newest first.",
);
export type WebhookDeliveryConnection = Connection<WebhookDeliveryType>;

@ObjectType("AcceptedWebhookDelivery", { simpleResolvers: true })
class AcceptedWebhookDeliveryType {
  @Field(() => ID)
  deliveryId: string;

  @Field({ description: "A text, since vendors have events of their own." })
  normalizedEventType: string;
}

@ObjectType("IngestedWebhookDelivery", { simpleResolvers: true, description: "The answer to the vendor." })
export class IngestedWebhookDeliveryType {
  @Field(() => ID, { nullable: true, description: "Null in the answer to a test of the URL." })
  deliveryId: string | null;

  @Field(() => WebhookDeliveryStatus)
  status: WebhookDeliveryState;

  @Field(() => String, { nullable: true, description: "A text, since vendors have events of their own." })
  normalizedEventType: string | null;

  @Field()
  traceId: string;

  @Field(() => String, { nullable: true, description: "The answer that the vendor expects to its test of the URL." })
  challenge: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Null without a challenge. A text, since media types are not GraphQL names.",
  })
  @Constraint({ values: challengeMediaTypes })
  challengeMediaType: string | null;

  @Field(() => [AcceptedWebhookDeliveryType], { description: "One for each event of a body that is a list of events." })
  deliveries: AcceptedWebhookDeliveryType[];

  @Field(() => [String], {
    description:
      "The vendor's IDs of those events of a list that were not recorded, because another body was received under the ID before.",
  })
  conflicts: string[];
}
