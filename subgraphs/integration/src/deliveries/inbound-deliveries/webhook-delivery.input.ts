import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type CallMethod, probeMethods } from "@factory/schema/vocabularies/providers";
import { type WebhookDeliveryStatus, webhookDeliveryStatuses } from "@factory/schema/vocabularies/webhooks";
import { Field, ID, InputType } from "type-graphql";

@InputType()
class DeliveryHeaderInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 256 })
  name: string;

  @Field()
  @Constraint({ maxLength: 16_384 })
  value: string;
}

@InputType({ description: "A delivery exactly as the vendor has sent it, because its signature covers the bytes." })
export class IngestWebhookDeliveryInput {
  @Field(() => String, {
    nullable: true,
    description: "The key of the provider in the path. Without it the header X-Svc-Provider names the provider.",
  })
  @Constraint({ maxLength: 200 })
  providerKey?: string | null;

  @Field(() => [DeliveryHeaderInput], { description: "All headers of the request. A header may occur several times." })
  @Constraint({ maxItems: 200 })
  headers: DeliveryHeaderInput[];

  @Field({ description: "The bytes of the body in base64, at most 1 MiB." })
  @Constraint({ maxLength: 1_400_000, pattern: "^[A-Za-z0-9+/]*={0,2}$" })
  body: string;

  @Field({ description: "The path that was called, with its query." })
  @Constraint({ minLength: 1, maxLength: 8192, pattern: "^/" })
  path: string;

  @Field(() => enumType(probeMethods), {
    nullable: true,
    description: "POST, which is the default; GET or HEAD for a vendor's test of the URL.",
  })
  method?: CallMethod | null;
}

@InputType({ description: "A delivery must match every member that is given." })
export class WebhookDeliveryFilterInput {
  @Field(() => enumType(webhookDeliveryStatuses), { nullable: true })
  status?: WebhookDeliveryStatus | null;

  @Field(() => ID, { nullable: true })
  providerId?: string | null;

  @Field(() => ID, { nullable: true })
  subscriptionId?: string | null;

  @Field(() => ID, { nullable: true })
  connectionId?: string | null;

  @Field(() => String, { nullable: true, description: "A text, since vendors have events of their own." })
  @Constraint({ maxLength: 200 })
  normalizedEventType?: string | null;

  @Field(() => String, { nullable: true, description: "The vendor's ID of the delivery." })
  @Constraint({ maxLength: 255 })
  providerDeliveryId?: string | null;
}
