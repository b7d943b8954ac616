import { DateTime } from "@factory/runtime/graphql/scalars";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("Principal", {
  simpleResolvers: true,
  description: "The principal of the caller's access token, as the token describes it.",
})
export class PrincipalView {
  @Field({ description: "User, Service or Agent." })
  principalType: string;

  @Field(() => ID, { description: "The id of the user, or of the client that acts for itself." })
  subject: string;

  @Field(() => ID)
  clientId: string;

  @Field(() => ID, { nullable: true })
  tenantId: string | null;

  @Field(() => String, { nullable: true })
  tenantSlug: string | null;

  @Field(() => [String])
  scopes: string[];

  @Field(() => [String])
  roles: string[];

  @Field()
  platformAdmin: boolean;

  @Field(() => String, { nullable: true, description: "The task for which the agent's token was issued." })
  agentTaskId: string | null;

  @Field(() => DateTime, { description: "The time at which the token expires." })
  expiresAt: string;
}
