import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { templateStatuses } from "@factory/schema/vocabularies/templates";
import { Field, ID, ObjectType } from "type-graphql";
import { TemplateVersionType } from "./template-version.type.js";

export const TemplateStatus = enumType(templateStatuses);

/** A template with its versions, as GraphQL shows it. */
@ObjectType("Template", { implements: NodeType, simpleResolvers: true })
@NodeKey("templateId")
export class TemplateType {
  @Field(() => ID)
  templateId: string;

  @Field({ description: "Unique in the tenant, ignoring case." })
  name: string;

  @Field(() => String, {
    nullable: true,
    description: "The own title. Null when none was given; then searches show the one that the content has.",
  })
  title: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The own description, at most 4,000 characters. Null when none was given; then searches show the one that the content has.",
  })
  description: string | null;

  @Field(() => String, {
    nullable: true,
    description: "A group of templates, for example Web. Lists can be filtered by it. Null when none was given.",
  })
  category: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The responsible team or person. Lists can be filtered by it. Null when none was given.",
  })
  owner: string | null;

  @Field(() => [String], {
    description: "Words by which lists can be filtered and searches find the template, in the order of the request.",
  })
  tags: string[];

  @Field(() => TemplateStatus)
  status: keyof typeof TemplateStatus;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => [TemplateVersionType], {
    name: "allVersions",
    simple: false,
    description: "All versions in one list, as `versions` sorts them. For one template; a list of templates has pages.",
  })
  versions: TemplateVersionType[];
}

export const TemplateVersionConnection = connectionType(
  "TemplateVersion",
  () => TemplateVersionType,
  "Sorted by semantic version, the newest first. Drafts are included.",
);
export type TemplateVersionConnection = Connection<TemplateVersionType>;

export const TemplateConnection = connectionType("Template", () => TemplateType, "Sorted by name, ignoring case.");
export type TemplateConnection = Connection<TemplateType>;
