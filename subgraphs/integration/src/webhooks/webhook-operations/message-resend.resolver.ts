import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import type { MessageResendService } from "./message-resend.service.js";
import { WebhookMessageResendType } from "./message-resend.type.js";

@Resolver()
export class MessageResendResolver {
  readonly #resends: MessageResendService;

  constructor(resends: MessageResendService) {
    this.#resends = resends;
  }

  @Mutation(() => WebhookMessageResendType, {
    description:
      "Sends a message that has ended, or that waits for its next attempt, at once. It keeps its webhook-id and goes to the present endpoint.",
  })
  @Auth({ scopes: ["webhooks.subscriptions.write"] })
  resendWebhookMessage(
    @Arg("messageId", () => ID) messageId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookMessageResendType> {
    return this.#resends.resend(context, messageId);
  }
}
