import { Auth } from "@factory/runtime/graphql/auth";
import type { PageBounds } from "@factory/runtime/pagination/page";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, FieldResolver, Int, Resolver, Root } from "type-graphql";
import {
  readWebhookSubscriptions,
  WebhookSubscriptionType,
} from "../webhook-subscriptions/webhook-subscription.type.js";
import type { MessageLogService } from "./message-log.service.js";
import type { WebhookMessageService } from "./webhook-message.service.js";
import { WebhookMessageConnection, WebhookMessageType } from "./webhook-message.type.js";

const defaultPage = 50;
const maxPage = 200;

@Resolver(() => WebhookSubscriptionType)
export class WebhookMessageResolver {
  readonly #messages: WebhookMessageService;
  readonly #log: MessageLogService;

  constructor(messages: WebhookMessageService, log: MessageLogService) {
    this.#messages = messages;
    this.#log = log;
  }

  @FieldResolver(() => WebhookMessageConnection, { name: "messages", description: "The newest messages first." })
  @Auth(readWebhookSubscriptions)
  messagePage(
    @Root() { subscriptionId }: WebhookSubscriptionType,
    @Args(() => PageArguments) page: PageBounds,
    @Ctx() context: RequestContext,
  ): Promise<WebhookMessageConnection> {
    return this.#log.messages(context, subscriptionId, page);
  }

  @FieldResolver(() => [WebhookMessageType], {
    description: "The newest messages first. The default is 50 messages, the maximum is 200.",
    deprecationReason: "Use `messages`.",
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
