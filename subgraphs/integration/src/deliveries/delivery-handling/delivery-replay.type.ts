import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("WebhookDeliveryReplay", {
  simpleResolvers: true,
  description: "A delivery that is being handled again.",
})
export class WebhookDeliveryReplayType {
  @Field(() => ID)
  deliveryId: string;

  @Field({ description: "Processing." })
  status: string;

  @Field(() => ID, { description: "The new run of the operation ProcessDelivery." })
  runId: string;
}
