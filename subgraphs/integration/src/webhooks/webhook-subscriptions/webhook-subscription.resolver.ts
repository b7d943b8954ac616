import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { CreateWebhookSubscriptionInput, WebhookSubscriptionFilterInput } from "./webhook-subscription.input.js";
import type { WebhookSubscriptionService } from "./webhook-subscription.service.js";
import {
  readWebhookSubscriptions,
  WebhookSubscriptionConnection,
  WebhookSubscriptionType,
} from "./webhook-subscription.type.js";
import { sortedSubscriptions, type WebhookSubscriptionListService } from "./webhook-subscription-list.service.js";

@Resolver(() => WebhookSubscriptionType)
export class WebhookSubscriptionResolver {
  readonly #subscriptions: WebhookSubscriptionService;
  readonly #lists: WebhookSubscriptionListService;

  constructor(subscriptions: WebhookSubscriptionService, lists: WebhookSubscriptionListService) {
    this.#subscriptions = subscriptions;
    this.#lists = lists;
  }

  @Query(() => WebhookSubscriptionType, { description: "A webhook subscription. Its secret is not returned." })
  @Auth(readWebhookSubscriptions)
  webhookSubscription(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookSubscriptionType> {
    return this.#subscriptions.get(context, subscriptionId);
  }

  @Query(() => WebhookSubscriptionConnection, {
    description: "The webhook subscriptions of the tenant, the newest first. Deleted ones are not listed.",
  })
  @Auth(readWebhookSubscriptions)
  webhookSubscriptions(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedSubscriptions) sort: string | null | undefined,
    @Arg("filter", () => WebhookSubscriptionFilterInput, { nullable: true })
    filter: WebhookSubscriptionFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<WebhookSubscriptionConnection> {
    return this.#lists.list(context, { ...page, sort, filter });
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
