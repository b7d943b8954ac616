import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Int, Query, Resolver } from "type-graphql";
import { readWebhookSubscriptions } from "../../webhooks/webhook-subscriptions/webhook-subscription.type.js";
import type { EventPullService } from "./event-pull.service.js";
import { WebhookSubscriptionEventsType } from "./event-pull.type.js";

@Resolver()
export class EventPullResolver {
  readonly #pulls: EventPullService;

  constructor(pulls: EventPullService) {
    this.#pulls = pulls;
  }

  @Query(() => WebhookSubscriptionEventsType, {
    description:
      "The events of the last 7 days that a webhook subscription selects by its type and its filter, also while it is Paused. Without a cursor the oldest ones come first. The token needs a scope that reads events of this type.",
  })
  @Auth(readWebhookSubscriptions)
  webhookSubscriptionEvents(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Arg("first", () => Int, { nullable: true }) first: number | null | undefined,
    @Arg("after", () => String, { nullable: true }) after: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<WebhookSubscriptionEventsType> {
    return this.#pulls.pull(context, subscriptionId, { first, after });
  }
}
