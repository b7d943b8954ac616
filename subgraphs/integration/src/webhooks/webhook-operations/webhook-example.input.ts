import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class SendWebhookExampleInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The name of an event type of the platform. The default is that of the subscription. A text, since a release may add event types.",
  })
  @Constraint({ minLength: 1, maxLength: 200 })
  eventType?: string | null;
}
