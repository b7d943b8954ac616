import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Field, ObjectType } from "type-graphql";

@ObjectType("WebhookSubscriptionEvents", {
  simpleResolvers: true,
  description: "Events that a webhook subscription selects, oldest first.",
})
export class WebhookSubscriptionEventsType {
  @Field(() => [JsonObject], { description: "The events, each as the body of a webhook." })
  items: Record<string, unknown>[];

  @Field({
    description:
      "The cursor of the next request, also after an empty page. It stays valid for the 7 days that events are kept.",
  })
  nextCursor: string;

  @Field({ description: "True if the log has later events, of which some may be for this subscription. Ask again." })
  hasMore: boolean;
}
