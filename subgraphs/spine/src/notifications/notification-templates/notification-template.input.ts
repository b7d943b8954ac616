import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type VariableType, variableTypes } from "@factory/schema/vocabularies/notifications";
import { Field, InputType } from "type-graphql";

const nameForm = { pattern: "^[A-Za-z][A-Za-z0-9_]{0,63}$" };
const localeForm = { maxLength: 35, pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$" };

@InputType()
export class NotificationTemplateVariableInput {
  @Field({
    description:
      "The name in the texts and in the data of a notification: a letter, then at most 63 letters, digits and underscores.",
  })
  @Constraint(nameForm)
  name: string;

  @Field(() => enumType(variableTypes))
  type: VariableType;

  @Field(() => Boolean, { nullable: true, description: "True: a notification may leave it out. Default: false." })
  isOptional?: boolean | null;

  @Field(() => [String], {
    nullable: true,
    description: "The names of the values in each item of a list. Default: the items are values themselves, {{.}}.",
  })
  @Constraint({ maxItems: 20, ...nameForm })
  members?: string[] | null;
}

@InputType({
  description:
    "The texts in one language. {{name}} is a value, {{#name}}…{{/name}} is there for each item of a list or once for any other value, {{^name}}…{{/name}} where there is none, and {{.}} is the present item. Everything else is text: HTML is shown as it is written.",
})
export class NotificationTemplateTextInput {
  @Field({ description: "A language tag (BCP 47), for example de or pt-BR." })
  @Constraint(localeForm)
  locale: string;

  @Field({ description: "The title. It has at most 200 characters with its values." })
  @Constraint({ minLength: 1, maxLength: 500, pattern: "\\S" })
  subject: string;

  @Field(() => [String], { description: "They have at most 10,000 characters together, with their values." })
  @Constraint({ minItems: 1, maxItems: 20, minLength: 1, maxLength: 5000, pattern: "\\S" })
  paragraphs: string[];

  @Field(() => String, { nullable: true, description: "The text of the link, if the template has a linkVariable." })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  linkLabel?: string | null;
}

@InputType({ description: "The whole template, with at most 32 KiB as JSON." })
export class SetNotificationTemplateInput {
  @Field(() => [NotificationTemplateVariableInput], {
    nullable: true,
    description: "The values that the texts use. Default: none.",
  })
  @Constraint({ maxItems: 50 })
  variables?: NotificationTemplateVariableInput[] | null;

  @Field(() => String, {
    nullable: true,
    description: "The variable with the address of the link, of the type address. Default: the template has no link.",
  })
  @Constraint(nameForm)
  linkVariable?: string | null;

  @Field(() => [NotificationTemplateTextInput], {
    description:
      "One for each language. One of them is in en, or in the language of the tenant (the setting notifications.locale).",
  })
  @Constraint({ minItems: 1, maxItems: 20 })
  texts: NotificationTemplateTextInput[];
}

@InputType()
export class PreviewNotificationTemplateInput {
  @Field(() => String, { nullable: true, description: "A language tag (BCP 47). Default: the language of the tenant." })
  @Constraint(localeForm)
  locale?: string | null;

  @Field(() => JsonObject, { nullable: true, description: "The values of the variables." })
  data?: Record<string, unknown> | null;
}
