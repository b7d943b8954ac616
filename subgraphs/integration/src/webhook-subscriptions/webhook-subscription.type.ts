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

/** What reading a webhook subscription needs, by a root field or from another entity. */
export const readWebhookSubscriptions = { scopes: ["webhooks.subscriptions.read"] } as const satisfies AuthRule;

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
    description: "Only in the first answer to a creation that generated it; a replayed answer does not hold it.",
  })
  signingSecret: string | null;

  @Field(() => WebhookSubscriptionStatus)
  status: WebhookSubscriptionState;

  @Field(() => String, { nullable: true })
  projectId: string | null;

  @Field(() => DateTime)
  createdAt: string;
}
