import { Auth } from "@factory/runtime/graphql/auth";
import { ExpectedVersion, preconditionsOf } from "@factory/runtime/input-validation/expected-version";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { UpdateWebhookSubscriptionInput } from "./webhook-subscription.input.js";
import { WebhookSubscriptionType } from "./webhook-subscription.type.js";
import type { WebhookSubscriptionChangeService } from "./webhook-subscription-change.service.js";
import type { WebhookSubscriptionLifecycleService } from "./webhook-subscription-lifecycle.service.js";

const write = { scopes: ["webhooks.subscriptions.write"] } as const;

@Resolver(() => WebhookSubscriptionType)
export class WebhookSubscriptionLifecycleResolver {
  readonly #changes: WebhookSubscriptionChangeService;
  readonly #lifecycle: WebhookSubscriptionLifecycleService;

  constructor(changes: WebhookSubscriptionChangeService, lifecycle: WebhookSubscriptionLifecycleService) {
    this.#changes = changes;
    this.#lifecycle = lifecycle;
  }

  @Mutation(() => WebhookSubscriptionType, {
    description: "Changes the members that are given. The direction and the provider of a subscription stay.",
  })
  @Auth(write)
  updateWebhookSubscription(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Arg("input") input: UpdateWebhookSubscriptionInput,
    @Args(() => ExpectedVersion) expected: ExpectedVersion,
    @Ctx() context: RequestContext,
  ): Promise<WebhookSubscriptionType> {
    return this.#changes.change(context, { subscriptionId, input, ...preconditionsOf(expected) });
  }

  @Mutation(() => WebhookSubscriptionType, {
    description:
      "Pauses an Active subscription. Messages that wait end as Skipped, and events are not kept for it until it is resumed.",
  })
  @Auth(write)
  pauseWebhookSubscription(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookSubscriptionType> {
    return this.#lifecycle.pause(context, subscriptionId);
  }

  @Mutation(() => WebhookSubscriptionType, {
    description: "Makes a Paused subscription Active, or one that the platform has Disabled.",
  })
  @Auth(write)
  resumeWebhookSubscription(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookSubscriptionType> {
    return this.#lifecycle.resume(context, subscriptionId);
  }

  @Mutation(() => WebhookSubscriptionType, {
    description:
      "Deletes a subscription for good. Messages that wait end as Skipped. The credential of its secret stays.",
  })
  @Auth(write)
  deleteWebhookSubscription(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Args(() => ExpectedVersion) expected: ExpectedVersion,
    @Ctx() context: RequestContext,
  ): Promise<WebhookSubscriptionType> {
    return this.#lifecycle.delete(context, subscriptionId, preconditionsOf(expected));
  }
}
