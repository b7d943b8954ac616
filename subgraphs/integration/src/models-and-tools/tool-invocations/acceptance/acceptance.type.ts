import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("AcceptedTool", {
  simpleResolvers: true,
  description: "A tool of a tool server, whose definition may be invoked.",
})
export class AcceptedToolType {
  @Field(() => ID)
  connectionId: string;

  @Field({ description: "The name that the tool server uses." })
  toolName: string;

  @Field({ description: "SHA-256 of the accepted definition." })
  definitionHash: string;
}
