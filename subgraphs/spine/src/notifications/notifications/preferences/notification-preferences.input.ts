import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type NotificationChannel, notificationChannels } from "@factory/schema/vocabularies/notifications";
import { Field, ID, InputType } from "type-graphql";
import { categoryFormInWords } from "../record/category-form.js";

@InputType()
export class NotificationPreferenceInput {
  @Field(() => enumType(notificationChannels))
  channel: NotificationChannel;

  @Field({
    description: `A category (${categoryFormInWords}), or * for all categories of the channel that are not in the list.`,
  })
  @Constraint({ maxLength: 64, pattern: "^([a-z][a-z0-9._-]*|\\*)$" })
  category: string;

  @Field()
  enabled: boolean;
}

@InputType({ description: "All preferences of the user. A channel and category without one is switched on." })
export class SetNotificationPreferencesInput {
  @Field(() => ID, {
    nullable: true,
    description: "Default: the person of the token. A service must name the user.",
  })
  @Constraint({ minLength: 1, maxLength: 100 })
  recipientUserId?: string | null;

  @Field(() => [NotificationPreferenceInput], {
    description:
      "The complete new list, with each channel and category once. Preferences that are left out are removed.",
  })
  @Constraint({ maxItems: 100 })
  preferences: NotificationPreferenceInput[];
}
