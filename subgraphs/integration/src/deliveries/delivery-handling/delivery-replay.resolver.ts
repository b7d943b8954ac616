import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import type { DeliveryReplayService } from "./delivery-replay.service.js";
import { WebhookDeliveryReplayType } from "./delivery-replay.type.js";

@Resolver()
export class DeliveryReplayResolver {
  readonly #replays: DeliveryReplayService;

  constructor(replays: DeliveryReplayService) {
    this.#replays = replays;
  }

  @Mutation(() => WebhookDeliveryReplayType, {
    description:
      "Handles a delivery that is Processed, Failed or DeadLettered again, under a new run. Its event is published once more.",
  })
  @Auth({ scopes: ["webhooks.subscriptions.write"] })
  replayWebhookDelivery(
    @Arg("deliveryId", () => ID) deliveryId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookDeliveryReplayType> {
    return this.#replays.replay(context, deliveryId);
  }
}
