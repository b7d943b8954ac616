import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Int, Query, Resolver } from "type-graphql";
import { readWebhookSubscriptions } from "../webhook-subscriptions/webhook-subscription.type.js";
import type { WebhookStatisticsService } from "./webhook-statistics.service.js";
import { WebhookStatisticsType } from "./webhook-statistics.type.js";

@Resolver()
export class WebhookStatisticsResolver {
  readonly #statistics: WebhookStatisticsService;

  constructor(statistics: WebhookStatisticsService) {
    this.#statistics = statistics;
  }

  @Query(() => WebhookStatisticsType, {
    description: "The rate, the durations and the failures of what a webhook subscription has sent.",
  })
  @Auth(readWebhookSubscriptions)
  webhookStatistics(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Arg("hours", () => Int, { nullable: true, description: "The length of the period, from 1 to 168; default 24." })
    hours: number | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<WebhookStatisticsType> {
    return this.#statistics.of(context, subscriptionId, hours);
  }
}
