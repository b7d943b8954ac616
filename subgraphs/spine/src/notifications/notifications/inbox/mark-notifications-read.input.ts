import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class MarkNotificationsReadInput {
  @Field(() => ID, {
    nullable: true,
    description: "The user whose inbox it is. Default: the person of the token. A service must name the user.",
  })
  @Constraint({ minLength: 1, maxLength: 100 })
  recipientUserId?: string | null;
}
