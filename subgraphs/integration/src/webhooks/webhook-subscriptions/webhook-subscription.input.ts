import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import {
  type SigningKeyType,
  signingKeyTypes,
  type WebhookDirection,
  type WebhookOrdering,
  type WebhookSubscriptionStatus,
  webhookContentTypes,
  webhookDirections,
  webhookOrderings,
  webhookSubscriptionStatuses,
} from "@factory/schema/vocabularies/webhooks";
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

  @Field(() => enumType(webhookDirections), { nullable: true, description: "The default is Outbound." })
  direction?: WebhookDirection | null;

  @Field(() => ID, {
    nullable: true,
    description: "Inbound only, and required there: the provider whose deliveries the secret verifies.",
  })
  providerId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Outbound only, and required there: the name of an event type that the caller may read. A text, since a release may add event types.",
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

  @Field(() => enumType(signingKeyTypes), {
    nullable: true,
    description: "Outbound only, for a new signingSecretRef. The default is symmetric.",
  })
  signingKeyType?: SigningKeyType | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "With false the subscription is created Paused. The default is true.",
  })
  active?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: "Outbound only. The default is application/json. A text, since media types are not GraphQL names.",
  })
  @Constraint({ values: webhookContentTypes })
  contentType?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Outbound only: at most this number of webhooks a second. Without it the rate has no limit.",
  })
  @Constraint({ minimum: 1, maximum: 1000 })
  ratePerSecond?: number | null;

  @Field(() => enumType(webhookOrderings), { nullable: true, description: "Outbound only. The default is parallel." })
  ordering?: WebhookOrdering | null;

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
    description:
      "Outbound only: the name of an event type that the caller may read. A text, since a release may add event types.",
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

  @Field(() => enumType(signingKeyTypes), {
    nullable: true,
    description: "Outbound only, for a new signingSecretRef. The default is symmetric.",
  })
  signingKeyType?: SigningKeyType | null;

  @Field(() => String, {
    nullable: true,
    description: "Outbound only. A text, since media types are not GraphQL names.",
  })
  @Constraint({ values: webhookContentTypes })
  contentType?: string | null;

  @Field(() => Int, { nullable: true, description: "Outbound only: at most this number of webhooks a second." })
  @Constraint({ minimum: 1, maximum: 1000 })
  ratePerSecond?: number | null;

  @Field(() => enumType(webhookOrderings), {
    nullable: true,
    description: "Outbound only, for events from now on. Messages that wait keep their order.",
  })
  ordering?: WebhookOrdering | null;

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
  @Field(() => enumType(webhookDirections), { nullable: true })
  direction?: WebhookDirection | null;

  @Field(() => enumType(webhookSubscriptionStatuses), {
    nullable: true,
    description: "Not Deleted, since deleted subscriptions are not listed.",
  })
  status?: WebhookSubscriptionStatus | null;

  @Field(() => String, { nullable: true, description: "A text, since a release may add event types." })
  @Constraint({ maxLength: 200 })
  eventType?: string | null;

  @Field(() => String, { nullable: true, description: "The project that the subscription names." })
  @Constraint({ maxLength: 200 })
  projectId?: string | null;

  @Field(() => ID, { nullable: true, description: "The provider of Inbound subscriptions." })
  @Constraint({ maxLength: 100 })
  providerId?: string | null;
}
