import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { WebhookMessageResendType } from "./message-resend.type.js";
import { SendWebhookExampleInput } from "./webhook-example.input.js";
import type { WebhookExampleService } from "./webhook-example.service.js";

@Resolver()
export class WebhookExampleResolver {
  readonly #examples: WebhookExampleService;

  constructor(examples: WebhookExampleService) {
    this.#examples = examples;
  }

  @Mutation(() => WebhookMessageResendType, {
    description:
      "Sends an example of an event type to an Active subscription, also where its filter would not match. The envelope has the attribute test, and the event is about nothing that exists.",
  })
  @Auth({ scopes: ["webhooks.subscriptions.write"] })
  sendWebhookExample(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Arg("input", () => SendWebhookExampleInput, { nullable: true }) input: SendWebhookExampleInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<WebhookMessageResendType> {
    return this.#examples.send(context, subscriptionId, input);
  }
}
