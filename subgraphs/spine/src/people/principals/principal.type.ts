import { enumType } from "@factory/runtime/graphql/enum-type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { type PrincipalType, principalTypes } from "@factory/schema/vocabularies/people";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("Principal", {
  simpleResolvers: true,
  description: "The principal of the caller's access token, as the token describes it.",
})
export class PrincipalView {
  @Field(() => enumType(principalTypes))
  principalType: PrincipalType;

  @Field(() => ID, { description: "The id of the user, or of the client that acts for itself." })
  subject: string;

  @Field(() => ID)
  clientId: string;

  @Field(() => ID, { nullable: true, description: "Null for a token that does not belong to a tenant." })
  tenantId: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The slug that the tenant had when the token was issued. Null for a token that does not belong to a tenant.",
  })
  tenantSlug: string | null;

  @Field(() => [String], { description: "Texts, since names with dots are not GraphQL names." })
  scopes: string[];

  @Field(() => [String], {
    description:
      "The codes of the roles that the principal had when the token was issued. Empty for an agent that acts for a principal.",
  })
  roles: string[];

  @Field()
  platformAdmin: boolean;

  @Field(() => String, { nullable: true, description: "The task for which the agent's token was issued." })
  agentTaskId: string | null;

  @Field(() => DateTime, { description: "The time at which the token expires." })
  expiresAt: string;
}
