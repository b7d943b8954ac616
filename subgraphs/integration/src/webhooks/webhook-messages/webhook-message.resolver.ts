import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from "type-graphql";
import {
  readWebhookSubscriptions,
  WebhookSubscriptionType,
} from "../webhook-subscriptions/webhook-subscription.type.js";
import type { WebhookMessageService } from "./webhook-message.service.js";
import { WebhookMessageType } from "./webhook-message.type.js";

const defaultPage = 50;
const maxPage = 200;

@Resolver(() => WebhookSubscriptionType)
export class WebhookMessageResolver {
  readonly #messages: WebhookMessageService;

  constructor(messages: WebhookMessageService) {
    this.#messages = messages;
  }

  @FieldResolver(() => [WebhookMessageType], {
    description: "The newest messages first. The default is 50 messages, the maximum is 200.",
  })
  @Auth(readWebhookSubscriptions)
  deliveries(
    @Root() { subscriptionId }: WebhookSubscriptionType,
    @Arg("first", () => Int, { nullable: true }) first: number | undefined,
    @Ctx() context: RequestContext,
  ): Promise<WebhookMessageType[]> {
    const page = Math.min(Math.max(first ?? defaultPage, 0), maxPage);
    return this.#messages.ofSubscription(context, subscriptionId, page);
  }
}
