import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { CreateWebhookSubscriptionInput } from "./webhook-subscription.input.js";
import type { WebhookSubscriptionService } from "./webhook-subscription.service.js";
import { readWebhookSubscriptions, WebhookSubscriptionType } from "./webhook-subscription.type.js";

@Resolver(() => WebhookSubscriptionType)
export class WebhookSubscriptionResolver {
  readonly #subscriptions: WebhookSubscriptionService;

  constructor(subscriptions: WebhookSubscriptionService) {
    this.#subscriptions = subscriptions;
  }

  @Query(() => WebhookSubscriptionType, { description: "A webhook subscription. Its secret is not returned." })
  @Auth(readWebhookSubscriptions)
  webhookSubscription(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookSubscriptionType> {
    return this.#subscriptions.get(context, subscriptionId);
  }

  @Mutation(() => WebhookSubscriptionType, {
    description:
      "Sends events of one type to a URL, signed with the named secret. A new name creates a secret, which only this response contains.",
  })
  @Auth({ scopes: ["webhooks.subscriptions.write"] })
  createWebhookSubscription(
    @Arg("input") input: CreateWebhookSubscriptionInput,
    @Ctx() context: RequestContext,
  ): Promise<WebhookSubscriptionType> {
    return this.#subscriptions.create(context, input);
  }
}
