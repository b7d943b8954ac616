import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { RunType } from "../../runs/run.type.js";
import { ReplayWebhookMessagesInput } from "./webhook-replay.input.js";
import type { WebhookReplayService } from "./webhook-replay.service.js";

@Resolver(() => RunType)
export class WebhookReplayResolver {
  readonly #replays: WebhookReplayService;

  constructor(replays: WebhookReplayService) {
    this.#replays = replays;
  }

  @Mutation(() => RunType, {
    description:
      "Sends again what was meant for a webhook subscription, as a run with progress that can be cancelled. Each webhook keeps its webhook-id.",
  })
  @Auth({ scopes: ["webhooks.subscriptions.write"] })
  replayWebhookMessages(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Arg("input", () => ReplayWebhookMessagesInput) input: ReplayWebhookMessagesInput,
    @Ctx() context: RequestContext,
  ): Promise<RunType> {
    return this.#replays.start(context, subscriptionId, input);
  }
}
