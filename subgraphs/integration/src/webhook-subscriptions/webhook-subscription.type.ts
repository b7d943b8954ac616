import type { AuthRule } from "@factory/runtime/graphql/auth";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { Directive, Field, ID, ObjectType, registerEnumType } from "type-graphql";
import type { WebhookSubscriptionState } from "./webhook-subscription.states.js";

export const WebhookSubscriptionStatus = {
  Active: "Active",
  Paused: "Paused",
  Disabled: "Disabled",
  Deleted: "Deleted",
} as const satisfies { [State in WebhookSubscriptionState]: State };
registerEnumType(WebhookSubscriptionStatus, { name: "WebhookSubscriptionStatus" });

/** The scopes for reading a webhook subscription, through a root field or through another entity. */
export const readWebhookSubscriptions = { scopes: ["webhooks.subscriptions.read"] } as const satisfies AuthRule;

/** The GraphQL type of a webhook subscription, which is also the view that the service returns. */
@ObjectType("WebhookSubscription", { simpleResolvers: true })
@Directive('@key(fields: "subscriptionId")')
export class WebhookSubscriptionType {
  @Field(() => ID)
  subscriptionId: string;

  @Field()
  eventType: string;

  @Field()
  endpointUrl: string;

  @Field()
  signingSecretRef: string;

  @Field(() => String, {
    nullable: true,
    description:
      "The generated secret. Only the first response to the creation contains it; a replayed response does not.",
  })
  signingSecret: string | null;

  @Field(() => WebhookSubscriptionStatus)
  status: WebhookSubscriptionState;

  @Field(() => String, { nullable: true })
  projectId: string | null;

  @Field(() => DateTime)
  createdAt: string;
}
