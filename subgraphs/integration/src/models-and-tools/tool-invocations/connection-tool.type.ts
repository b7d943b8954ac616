import { enumType } from "@factory/runtime/graphql/enum-type";
import { Json } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { toolStates } from "@factory/schema/vocabularies/runs";
import { type ClassType, Field, ID, ObjectType } from "type-graphql";

export const ToolState = enumType(toolStates);
export type ToolState = keyof typeof ToolState;

/** The GraphQL type for a tool that a connection's server has listed. */
@ObjectType("ConnectionTool", {
  simpleResolvers: true,
  description: "A tool of a tool server. The texts and schemas are claims of that server.",
})
export class ConnectionToolType {
  @Field(() => ID)
  connectionId: string;

  @Field({ description: "The name that the tool server uses." })
  toolName: string;

  @Field(() => String, {
    nullable: true,
    description: "The name for models. Null while the connection serves no tools.",
  })
  qualifiedName: string | null;

  @Field(() => ToolState)
  state: ToolState;

  @Field({ description: "SHA-256 of the newest definition." })
  definitionHash: string;

  @Field({ description: "SHA-256 of the definition that may be invoked." })
  acceptedHash: string;

  @Field(() => String, {
    nullable: true,
    description: "The name for people. Null if the server gives none, and for a Removed tool.",
  })
  title: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The text that tells a model about the tool. Null if the server gives none, and for a Removed tool.",
  })
  description: string | null;

  @Field(() => Json, { nullable: true, description: "A JSON Schema." })
  inputSchema: unknown;

  @Field(() => Json, { nullable: true, description: "A JSON Schema." })
  outputSchema: unknown;

  @Field(() => Json, { nullable: true, description: "Hints of the server about its tool, for example readOnlyHint." })
  annotations: unknown;
}

/** The GraphQL type for a tool that the platform does not offer. */
@ObjectType("LeftOutTool", { simpleResolvers: true, description: "A tool of a list that the platform does not offer." })
class LeftOutToolType {
  @Field({ description: "The name that the tool server uses. Empty where it gives none." })
  toolName: string;

  @Field()
  reason: string;
}

const ToolPage = connectionType("ConnectionTool", () => ConnectionToolType, "In order of names by default.");
Field(() => [LeftOutToolType], {
  description:
    "The tools that the newest list of the server had and the platform does not offer, each with the reason. At most 100, the same on every page.",
})(ToolPage.prototype, "leftOut");

/** A page with tools. */
export interface ConnectionToolConnection extends Connection<ConnectionToolType> {
  readonly leftOut: readonly LeftOutToolType[];
}
export const ConnectionToolConnection: ClassType<Connection<ConnectionToolType>> = ToolPage;
