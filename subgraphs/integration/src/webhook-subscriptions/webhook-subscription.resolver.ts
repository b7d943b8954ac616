import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import type { WebhookMessageService } from "../webhook-messages/webhook-message.service.js";
import { WebhookMessageType } from "../webhook-messages/webhook-message.type.js";
import { CreateWebhookSubscriptionInput } from "./webhook-subscription.input.js";
import type { WebhookSubscriptionService } from "./webhook-subscription.service.js";
import { WebhookSubscriptionType } from "./webhook-subscription.type.js";

const defaultPage = 50;
const largestPage = 200;

@Resolver(() => WebhookSubscriptionType)
export class WebhookSubscriptionResolver {
  readonly #subscriptions: WebhookSubscriptionService;
  readonly #messages: WebhookMessageService;

  constructor(subscriptions: WebhookSubscriptionService, messages: WebhookMessageService) {
    this.#subscriptions = subscriptions;
    this.#messages = messages;
  }

  @Query(() => WebhookSubscriptionType, { description: "A webhook subscription without its secret." })
  @Auth({ scopes: ["webhooks.subscriptions.read"] })
  webhookSubscription(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookSubscriptionType> {
    return this.#subscriptions.get(context, subscriptionId);
  }

  @Mutation(() => WebhookSubscriptionType, {
    description:
      "Sends one type of event to an address, signed with the secret that is named. An unknown name makes a new secret, which this answer alone shows.",
  })
  @Auth({ scopes: ["webhooks.subscriptions.write"] })
  createWebhookSubscription(
    @Arg("input") input: CreateWebhookSubscriptionInput,
    @Ctx() context: RequestContext,
  ): Promise<WebhookSubscriptionType> {
    return this.#subscriptions.create(context, input);
  }

  @FieldResolver(() => [WebhookMessageType], { description: "Newest first; 50 unless said otherwise, at most 200." })
  @Auth({ scopes: ["webhooks.subscriptions.read"] })
  deliveries(
    @Root() { subscriptionId }: WebhookSubscriptionType,
    @Arg("first", () => Int, { nullable: true }) first: number | undefined,
    @Ctx() context: RequestContext,
  ): Promise<WebhookMessageType[]> {
    const page = Math.min(Math.max(first ?? defaultPage, 0), largestPage);
    return this.#messages.ofSubscription(context, subscriptionId, page);
  }
}
