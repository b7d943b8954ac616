import { enumType } from "@factory/runtime/graphql/enum-type";
import { publicKeyAlgorithms, type WebhookKeyAlgorithm } from "@factory/schema/vocabularies/webhooks";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("WebhookPublicKey", { simpleResolvers: true })
class WebhookPublicKeyType {
  @Field(() => enumType(publicKeyAlgorithms))
  algorithm: WebhookKeyAlgorithm;

  @Field({ description: 'The key as in the Standard Webhooks specification: "whpk_" and 32 bytes in base64.' })
  publicKey: string;
}

@ObjectType("WebhookPublicKeys", { simpleResolvers: true })
export class WebhookPublicKeysType {
  @Field(() => ID)
  subscriptionId: string;

  @Field(() => [WebhookPublicKeyType], {
    description:
      "The keys that verify the v1a signatures of the subscription, newest first, with those of the grace period. Empty when its secrets are symmetric.",
  })
  keys: WebhookPublicKeyType[];
}
