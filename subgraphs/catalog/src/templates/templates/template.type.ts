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

  @Field(() => String, { nullable: true })
  title: string | null;

  @Field(() => String, { nullable: true })
  description: string | null;

  @Field(() => String, { nullable: true })
  category: string | null;

  @Field(() => String, { nullable: true })
  owner: string | null;

  @Field(() => [String])
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
