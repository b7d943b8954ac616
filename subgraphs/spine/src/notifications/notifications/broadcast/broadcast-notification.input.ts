import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import {
  type NotificationChannel,
  type NotificationPriority,
  notificationChannels,
  notificationPriorities,
} from "@factory/schema/vocabularies/notifications";
import { Field, InputType } from "type-graphql";
import { categoryForm, categoryFormInWords } from "../record/category-form.js";

@InputType()
export class BroadcastNotificationInput {
  @Field(() => enumType(notificationChannels), {
    nullable: true,
    description: "The only channel of a broadcast is InApp.",
  })
  channel?: NotificationChannel | null;

  @Field(() => String, {
    nullable: true,
    description: "The role of the recipients. Default: all active users of the tenant.",
  })
  @Constraint({ minLength: 1, maxLength: 64 })
  roleCode?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  title?: string | null;

  @Field({ description: "Plain text." })
  @Constraint({ minLength: 1, maxLength: 10_000, pattern: "\\S" })
  body: string;

  @Field(() => String, { nullable: true, description: `As in SendNotificationInput: ${categoryFormInWords}.` })
  @Constraint(categoryForm)
  category?: string | null;

  @Field(() => enumType(notificationPriorities), { nullable: true, description: "Default: Normal." })
  priority?: NotificationPriority | null;
}
