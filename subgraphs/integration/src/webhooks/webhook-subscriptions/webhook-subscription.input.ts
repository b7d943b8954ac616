import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import { Field, ID, InputType, Int } from "type-graphql";
import type { DeliverySettingsInput } from "./delivery-settings/delivery-settings.js";

@InputType()
export class CreateWebhookSubscriptionInput implements DeliverySettingsInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Outbound: events that name another project are not sent, and events that name no project are. Inbound: the project of the deliveries that the secret verifies, where their connection names none. Without it events of all projects are sent.",
  })
  @Constraint({ minLength: 1, maxLength: 200 })
  projectId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Outbound sends events to endpointUrl. Inbound verifies deliveries of a provider with the named secret. The default is Outbound.",
  })
  @Constraint({ maxLength: 100 })
  direction?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "Inbound only, and required there: the provider whose deliveries the secret verifies.",
  })
  providerId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Outbound only, and required there: the name of an event type that the caller may read.",
  })
  @Constraint({ minLength: 1, maxLength: 200 })
  eventType?: string | null;

  @Field(() => String, { nullable: true, description: "Outbound only, and required there." })
  @Constraint({ maxLength: 2048, format: "iri" })
  endpointUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The name of a credential of the kind WebhookSigning, for example secret://orders. A new name creates the credential. Required, except for an Inbound subscription of a provider whose deliveries have a JWS.",
  })
  @Constraint({ pattern: credentialReferencePattern })
  signingSecretRef?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Outbound only, for a new signingSecretRef: symmetric makes a secret (whsec_), which the response shows; ed25519 makes a key pair (whsk_), of which receivers read the public key. The default is symmetric.",
  })
  @Constraint({ maxLength: 100 })
  signingKeyType?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "With false the subscription is created Paused. The default is true.",
  })
  active?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: "Outbound only: application/json or application/cloudevents+json. The default is application/json.",
  })
  @Constraint({ maxLength: 100 })
  contentType?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Outbound only: at most this number of webhooks a second. Without it the rate has no limit.",
  })
  @Constraint({ minimum: 1, maximum: 1000 })
  ratePerSecond?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Outbound only: parallel, or fifo for events in the order of their partitionkey. A failing webhook holds up only those with the same key. The default is parallel.",
  })
  @Constraint({ maxLength: 100 })
  ordering?: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      'Outbound only: only events with a matching envelope are sent, for example {"data": {"status": {"$in": ["Failed"]}}}. The operators are $eq, $neq, $gt, $gte, $lt, $lte, $in, $nin, $startsWith, $endsWith, $exist, $and, $or and $not. An empty object matches every event.',
  })
  filter?: Record<string, unknown> | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Outbound only: with true the receiver is asked first, by OPTIONS as in the webhook specification of CloudEvents, and nothing is sent until it agrees. The default is false.",
  })
  handshake?: boolean | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "Outbound only: further headers of each webhook, with strings as values. They are shown to readers, so they cannot have secrets.",
  })
  headers?: Record<string, unknown> | null;
}

@InputType({
  description:
    "Members that are absent stay as they are. Null removes the project, the rate, the filter and the headers, and changes nothing else.",
})
export class UpdateWebhookSubscriptionInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Outbound: from now on events that name another project are not sent. Inbound: the project of the deliveries. Null removes the project.",
  })
  @Constraint({ minLength: 1, maxLength: 200 })
  projectId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "False pauses an Active subscription. True resumes one that is Paused or Disabled.",
  })
  active?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: "Outbound only: the name of an event type that the caller may read.",
  })
  @Constraint({ minLength: 1, maxLength: 200 })
  eventType?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Outbound only. Messages that wait go to the new endpoint too. The caller must be allowed to read the events.",
  })
  @Constraint({ maxLength: 2048, format: "iri" })
  endpointUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The name of another credential of the kind WebhookSigning. A new name creates the credential. The former secret signs nothing any more; to change it with a grace period, rotate it.",
  })
  @Constraint({ pattern: credentialReferencePattern })
  signingSecretRef?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Outbound only, for a new signingSecretRef: symmetric or ed25519. The default is symmetric.",
  })
  @Constraint({ maxLength: 100 })
  signingKeyType?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Outbound only: application/json or application/cloudevents+json.",
  })
  @Constraint({ maxLength: 100 })
  contentType?: string | null;

  @Field(() => Int, { nullable: true, description: "Outbound only: at most this number of webhooks a second." })
  @Constraint({ minimum: 1, maximum: 1000 })
  ratePerSecond?: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Outbound only: parallel or fifo, for events from now on. Messages that wait keep their order.",
  })
  @Constraint({ maxLength: 100 })
  ordering?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Outbound only: with true the receiver is asked, and nothing is sent until it agrees. With false it is not asked any more, and what waits is sent.",
  })
  handshake?: boolean | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: "Outbound only: replaces the filter, for events from now on.",
  })
  filter?: Record<string, unknown> | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: "Outbound only: replaces the further headers of each webhook.",
  })
  headers?: Record<string, unknown> | null;
}

@InputType({ description: "A subscription must match every member that is given." })
export class WebhookSubscriptionFilterInput {
  @Field(() => String, { nullable: true, description: "Outbound or Inbound." })
  @Constraint({ maxLength: 100 })
  direction?: string | null;

  @Field(() => String, { nullable: true, description: "Active, Paused or Disabled." })
  @Constraint({ maxLength: 100 })
  status?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 200 })
  eventType?: string | null;

  @Field(() => String, { nullable: true, description: "The project that the subscription names." })
  @Constraint({ maxLength: 200 })
  projectId?: string | null;

  @Field(() => ID, { nullable: true, description: "The provider of Inbound subscriptions." })
  @Constraint({ maxLength: 100 })
  providerId?: string | null;
}
