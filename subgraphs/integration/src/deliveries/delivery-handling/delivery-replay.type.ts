import { enumType } from "@factory/runtime/graphql/enum-type";
import { type WebhookDeliveryStatus, webhookDeliveryStatuses } from "@factory/schema/vocabularies/webhooks";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("WebhookDeliveryReplay", {
  simpleResolvers: true,
  description: "A delivery that is being handled again.",
})
export class WebhookDeliveryReplayType {
  @Field(() => ID)
  deliveryId: string;

  @Field(() => enumType(webhookDeliveryStatuses), { description: "Processing, since the delivery is handled again." })
  status: WebhookDeliveryStatus;

  @Field(() => ID, { description: "The new run of the operation ProcessDelivery." })
  runId: string;
}
