import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { CredentialRotationType } from "../../credential-rotation/credential-rotation.type.js";
import { RotateWebhookSecretInput } from "./webhook-secret-rotation.input.js";
import type { WebhookSecretRotationService } from "./webhook-secret-rotation.service.js";

@Resolver(() => CredentialRotationType)
export class WebhookSecretRotationResolver {
  readonly #rotation: WebhookSecretRotationService;

  constructor(rotation: WebhookSecretRotationService) {
    this.#rotation = rotation;
  }

  @Mutation(() => CredentialRotationType, {
    description:
      "Replaces the secret of a webhook subscription by a rotation of its credential, which all subscriptions with the same signingSecretRef share.",
  })
  @Auth({ scopes: ["integration.credentials.rotate"] })
  rotateWebhookSubscriptionSecret(
    @Arg("subscriptionId", () => ID) subscriptionId: string,
    @Arg("input", () => RotateWebhookSecretInput, { nullable: true })
    input: RotateWebhookSecretInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<CredentialRotationType> {
    return this.#rotation.rotate(context, subscriptionId, input);
  }
}
