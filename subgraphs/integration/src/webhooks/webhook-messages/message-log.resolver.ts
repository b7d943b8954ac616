import { Auth } from "@factory/runtime/graphql/auth";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from "type-graphql";
import { readWebhookSubscriptions } from "../webhook-subscriptions/webhook-subscription.type.js";
import { attemptsOfMessage } from "./message-lists.js";
import type { MessageLogService } from "./message-log.service.js";
import { WebhookAttemptFilterInput, WebhookMessageFilterInput } from "./webhook-message.input.js";
import {
  WebhookAttemptConnection,
  WebhookAttemptType,
  WebhookMessageConnection,
  WebhookMessageType,
} from "./webhook-message.type.js";

@Resolver(() => WebhookMessageType)
export class MessageLogResolver {
  readonly #log: MessageLogService;

  constructor(log: MessageLogService) {
    this.#log = log;
  }

  @Query(() => WebhookMessageType, { description: "A message to a webhook subscription: one event for one receiver." })
  @Auth(readWebhookSubscriptions)
  webhookMessage(
    @Arg("messageId", () => ID) messageId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookMessageType> {
    return this.#log.message(context, messageId);
  }

  @Query(() => WebhookMessageConnection, { description: "The messages of a webhook subscription, the newest first." })
  @Auth(readWebhookSubscriptions)
  webhookMessages(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Args(() => PageArguments) page: PageArguments,
    @Arg("filter", () => WebhookMessageFilterInput, { nullable: true })
    filter: WebhookMessageFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<WebhookMessageConnection> {
    return this.#log.messages(context, subscriptionId, { ...page, filter });
  }

  @Query(() => WebhookAttemptConnection, {
    description: "The attempts to send messages of a webhook subscription, the newest first.",
  })
  @Auth(readWebhookSubscriptions)
  webhookAttempts(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Args(() => PageArguments) page: PageArguments,
    @Arg("filter", () => WebhookAttemptFilterInput, { nullable: true })
    filter: WebhookAttemptFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<WebhookAttemptConnection> {
    return this.#log.attempts(context, subscriptionId, { ...page, filter });
  }

  @Query(() => WebhookAttemptConnection, { description: "The attempts to send one message, the newest first." })
  @Auth(readWebhookSubscriptions)
  webhookMessageAttempts(
    @Arg("messageId", () => ID) messageId: string,
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(attemptsOfMessage) sort: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<WebhookAttemptConnection> {
    return this.#log.attemptsOf(context, messageId, { ...page, sort });
  }

  @FieldResolver(() => [WebhookAttemptType], { description: "The newest 100 attempts, oldest first." })
  async attempts(
    @Root() { messageId, knownAttempts }: WebhookMessageType,
    @Ctx() context: RequestContext,
  ): Promise<WebhookAttemptType[]> {
    return knownAttempts ?? this.#log.newestAttempts(context, messageId);
  }

  @FieldResolver(() => JsonObject, {
    nullable: true,
    description:
      "The event as the receiver gets it. Null without a scope that reads events of this type, and when the event was deleted.",
  })
  body(
    @Root() { messageId }: WebhookMessageType,
    @Ctx() context: RequestContext,
  ): Promise<Record<string, unknown> | null> {
    return this.#log.body(context, messageId);
  }
}
