import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class NotificationFilterInput {
  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  status?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  channel?: string | null;

  @Field(() => ID, { nullable: true })
  @Constraint({ maxLength: 100 })
  recipientUserId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "True: in-app notifications that their recipient has not read. False: notifications that were read.",
  })
  unread?: boolean | null;
}
