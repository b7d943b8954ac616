import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import {
  type NotificationChannel,
  type NotificationPriority,
  notificationChannels,
  notificationPriorities,
} from "@factory/schema/vocabularies/notifications";
import { Field, ID, InputType, Int } from "type-graphql";
import { categoryForm, categoryFormInWords } from "../record/category-form.js";

@InputType({ description: "One recipient: exactly one of the members, as the channel needs it." })
export class NotificationRecipientInput {
  @Field(() => ID, { nullable: true, description: "An active user, for InApp and Email." })
  @Constraint({ minLength: 1, maxLength: 100 })
  userId?: string | null;

  @Field(() => String, { nullable: true, description: "An address, for Email." })
  @Constraint({ maxLength: 254, format: "idn-email" })
  email?: string | null;

  @Field(() => String, { nullable: true, description: "A number in the form of E.164, for Sms." })
  @Constraint({ pattern: "^\\+[1-9][0-9]{6,14}$" })
  phone?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "A webhook subscription with the event type NotificationRequested, for Webhook.",
  })
  @Constraint({ minLength: 1, maxLength: 100 })
  subscriptionId?: string | null;
}

@InputType({
  description: "Notifications to one recipient with the same key become one message at the end of the window.",
})
class NotificationDigestInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 100 })
  key: string;

  @Field(() => Int, { description: "The window begins with its first notification." })
  @Constraint({ minimum: 1, maximum: 86_400 })
  windowSeconds: number;
}

@InputType({ description: "Has either a body or a templateKey." })
export class SendNotificationInput {
  @Field(() => enumType(notificationChannels))
  channel: NotificationChannel;

  @Field(() => NotificationRecipientInput, { nullable: true, description: "The only recipient." })
  recipient?: NotificationRecipientInput | null;

  @Field(() => [NotificationRecipientInput], {
    nullable: true,
    description: "Several recipients, in place of recipient. Each of them gets a notification of its own.",
  })
  @Constraint({ minItems: 1, maxItems: 100 })
  recipients?: NotificationRecipientInput[] | null;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  title?: string | null;

  @Field(() => String, { nullable: true, description: "Plain text." })
  @Constraint({ minLength: 1, maxLength: 10_000, pattern: "\\S" })
  body?: string | null;

  @Field(() => String, { nullable: true, description: "The template that the content is made from." })
  @Constraint({ minLength: 1, maxLength: 100 })
  templateKey?: string | null;

  @Field(() => JsonObject, { nullable: true, description: "The values of the template, at most 32 KiB as JSON." })
  data?: Record<string, unknown> | null;

  @Field(() => String, {
    nullable: true,
    description: "The language of the template (BCP 47). Default: that of the template.",
  })
  @Constraint({ maxLength: 35, pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$" })
  locale?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `The kind of content, by which people choose what they get: ${categoryFormInWords}. Default: general. The category security cannot be switched off.`,
  })
  @Constraint(categoryForm)
  category?: string | null;

  @Field(() => NotificationDigestInput, {
    nullable: true,
    description: "For Email and Sms. Default: a message of its own.",
  })
  digest?: NotificationDigestInput | null;

  @Field(() => enumType(notificationPriorities), { nullable: true, description: "Default: Normal." })
  priority?: NotificationPriority | null;
}
