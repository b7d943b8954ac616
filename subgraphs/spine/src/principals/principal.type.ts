import { DateTime } from "@factory/runtime/graphql/scalars";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("Principal", { simpleResolvers: true, description: "Who the token at hand speaks for, as the token says." })
export class PrincipalView {
  @Field({ description: "User, Service or Agent." })
  principalType: string;

  @Field(() => ID, { description: "The user, or the client that speaks for itself." })
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

  @Field(() => String, { nullable: true, description: "The one task that an agent's token was issued for." })
  agentTaskId: string | null;

  @Field(() => DateTime, { description: "When the token expires." })
  expiresAt: string;
}
