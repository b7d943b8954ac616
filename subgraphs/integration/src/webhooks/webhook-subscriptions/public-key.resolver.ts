import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Query, Resolver } from "type-graphql";
import { WebhookPublicKeysType } from "./public-key.type.js";
import type { PublicKeys } from "./public-keys.js";
import { readWebhookSubscriptions } from "./webhook-subscription.type.js";

@Resolver()
export class PublicKeyResolver {
  readonly #keys: PublicKeys;

  constructor(keys: PublicKeys) {
    this.#keys = keys;
  }

  @Query(() => WebhookPublicKeysType, {
    description: "The ed25519 public keys that verify the webhooks of a subscription.",
  })
  @Auth(readWebhookSubscriptions)
  webhookPublicKeys(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookPublicKeysType> {
    return this.#keys.of(context, subscriptionId);
  }
}
