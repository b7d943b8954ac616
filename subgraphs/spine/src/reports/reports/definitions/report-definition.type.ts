import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { Field, ID, ObjectType } from "type-graphql";

/** A report definition's GraphQL type. */
@ObjectType("ReportDefinition", {
  implements: NodeType,
  simpleResolvers: true,
  description: "A report that the tenant can generate.",
})
@NodeKey("reportDefinitionId")
export class ReportDefinitionType {
  @Field(() => ID)
  reportDefinitionId: string;

  @Field({ description: "The name for programs, for example audit-log. It is the same in all tenants." })
  code: string;

  @Field()
  name: string;

  @Field()
  description: string;

  @Field(() => [String], { description: "The formats in which the report can be generated." })
  formats: string[];

  @Field(() => JsonObject, { description: "The JSON Schema (draft 2020-12) of the parameters." })
  parametersSchema: Readonly<Record<string, unknown>>;

  @Field(() => [String], {
    description:
      "The scopes that a reader of the content needs beside report.read or report.generate. Generating takes none of them.",
  })
  contentScopes: string[];

  @Field(() => DateTime)
  createdAt: string;
}

export const ReportDefinitionConnection = connectionType(
  "ReportDefinition",
  () => ReportDefinitionType,
  "In the order of creation.",
);
/** A page with report definitions. */
export type ReportDefinitionConnection = Connection<ReportDefinitionType>;
