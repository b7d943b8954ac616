import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Query, Resolver } from "type-graphql";
import { readConnections } from "../../connections/connections/connection.type.js";
import { readWebhookSubscriptions } from "../../webhooks/webhook-subscriptions/webhook-subscription.type.js";
import type { RefusedDeliveriesService } from "./refused-deliveries.service.js";
import { RefusedDeliveriesType } from "./refused-deliveries.type.js";

@Resolver()
export class RefusedDeliveriesResolver {
  readonly #refused: RefusedDeliveriesService;

  constructor(service: RefusedDeliveriesService) {
    this.#refused = service;
  }

  @Query(() => RefusedDeliveriesType, {
    description: "The refused deliveries to the deliveryUrl of a webhook subscription.",
  })
  @Auth(readWebhookSubscriptions)
  webhookSubscriptionRefusals(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Ctx() context: RequestContext,
  ): Promise<RefusedDeliveriesType> {
    return this.#refused.ofSubscription(context, subscriptionId);
  }

  @Query(() => RefusedDeliveriesType, { description: "The refused deliveries to the deliveryUrl of a connection." })
  @Auth(readConnections)
  connectionRefusals(
    @Arg("connectionId", () => ID) connectionId: string,
    @Ctx() context: RequestContext,
  ): Promise<RefusedDeliveriesType> {
    return this.#refused.ofConnection(context, connectionId);
  }
}
