import { Json } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { Field, ID, ObjectType, registerEnumType } from "type-graphql";

export const ToolState = {
  Allowed: "Allowed",
  Changed: "Changed",
  NotAllowed: "NotAllowed",
  Removed: "Removed",
} as const;
export type ToolState = (typeof ToolState)[keyof typeof ToolState];
registerEnumType(ToolState, {
  name: "ToolState",
  description: "Whether a tool may be invoked, and the first reason against it.",
  valuesConfig: {
    Changed: { description: "Its server has changed the definition. acceptToolDefinition accepts the new one." },
    NotAllowed: { description: "The setting allowedTools of the connection does not name it." },
    Removed: { description: "The newest list of its server does not have it." },
  },
});

/** The GraphQL type of a tool that the server of a connection has listed. */
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

  @Field(() => String, { nullable: true })
  title: string | null;

  @Field(() => String, { nullable: true })
  description: string | null;

  @Field(() => Json, { nullable: true, description: "A JSON Schema." })
  inputSchema: unknown;

  @Field(() => Json, { nullable: true, description: "A JSON Schema." })
  outputSchema: unknown;

  @Field(() => Json, { nullable: true, description: "Hints of the server about its tool, for example readOnlyHint." })
  annotations: unknown;
}

export const ConnectionToolConnection = connectionType(
  "ConnectionTool",
  () => ConnectionToolType,
  "In order of names by default.",
);
/** A page of tools. */
export type ConnectionToolConnection = Connection<ConnectionToolType>;
