import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import type { VariableType } from "@factory/schema/vocabularies/notifications";
import { variableTypes } from "@factory/schema/vocabularies/notifications";
import { Directive, Field, ID, Int, ObjectType } from "type-graphql";

const NotificationTemplateVariableTypeEnum = enumType(variableTypes);

@ObjectType("NotificationTemplateVariable", { simpleResolvers: true })
class NotificationTemplateVariableType {
  @Field()
  name: string;

  @Field(() => NotificationTemplateVariableTypeEnum)
  type: VariableType;

  @Field()
  isOptional: boolean;

  @Field(() => [String], { description: "The names of the values in each item of a list." })
  members: readonly string[];
}

@ObjectType("NotificationTemplateText", { simpleResolvers: true, description: "The texts in one language." })
class NotificationTemplateTextType {
  @Field()
  locale: string;

  @Field()
  subject: string;

  @Field(() => [String], {
    description: "1 to 20 paragraphs, in the order of the message. A name in braces stands for its value: `{{name}}`.",
  })
  paragraphs: readonly string[];

  @Field(() => String, {
    nullable: true,
    description: "The text of the link. Null if the template has no linkVariable.",
  })
  linkLabel: string | null;
}

/** The members that a template and the answer to its change have. */
@ObjectType("NotificationTemplateMembers", { simpleResolvers: true })
class NotificationTemplateMembers {
  @Field(() => ID)
  key: string;

  @Field({ description: "Whether it belongs to the platform. A template of the tenant with the same key replaces it." })
  isBuiltIn: boolean;

  @Field(() => [NotificationTemplateVariableType], {
    description:
      "The values that the texts use, from the data of a notification: at most 50, in the order in which the template declares them.",
  })
  variables: readonly NotificationTemplateVariableType[];

  @Field(() => String, { nullable: true, description: "The variable with the address of the link." })
  linkVariable: string | null;

  @Field(() => [NotificationTemplateTextType], {
    description:
      "A notification has the first of these languages that there is: its own, that of the tenant, en, the first of the list.",
  })
  texts: readonly NotificationTemplateTextType[];

  @Field(() => Int, {
    description: "Rises by one with each change. It is also the entity tag. 0 for a built-in template.",
  })
  version: number;

  @Field(() => DateTime, { nullable: true, description: "Null for a built-in template." })
  updatedAt: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The subject of the token that changed it last. Null for a built-in template.",
  })
  updatedBy: string | null;
}

@ObjectType("NotificationTemplate", {
  implements: NodeType,
  simpleResolvers: true,
  description: "The texts of notifications, which sendNotification names by templateKey.",
})
@Directive('@key(fields: "id")')
export class NotificationTemplateType extends NotificationTemplateMembers {}

@ObjectType("NotificationTemplateSetting", { simpleResolvers: true })
export class SetNotificationTemplateType extends NotificationTemplateMembers {
  @Field({ description: "False if the tenant had a template with this key already." })
  created: boolean;
}

@ObjectType("NotificationTemplateLink", { simpleResolvers: true })
class NotificationTemplateLinkType {
  @Field()
  label: string;

  @Field()
  url: string;
}

@ObjectType("NotificationTemplatePreview", {
  simpleResolvers: true,
  description: "The content that a notification with this template and these values would have.",
})
export class NotificationTemplatePreviewType {
  @Field({ description: "The language of the texts." })
  locale: string;

  @Field()
  title: string;

  @Field({ description: "The whole body as one text, as an inbox shows it." })
  body: string;

  @Field(() => [String], {
    description:
      "The body without the link, in order and without empty paragraphs. A paragraph may have several lines.",
  })
  paragraphs: readonly string[];

  @Field(() => NotificationTemplateLinkType, {
    nullable: true,
    description:
      "The link below the paragraphs. Null if the template has none, or if the values have no address for it.",
  })
  link: NotificationTemplateLinkType | null;
}

export const NotificationTemplateConnection = connectionType(
  "NotificationTemplate",
  () => NotificationTemplateType,
  "In the order of the keys.",
);
export type NotificationTemplateConnection = Connection<NotificationTemplateType>;
