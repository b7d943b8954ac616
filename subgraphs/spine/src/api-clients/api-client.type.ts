import { DateTime } from "@factory/runtime/subgraph/scalars";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("ApiClientSecret", { simpleResolvers: true })
export class ApiClientSecretType {
  @Field(() => ID)
  clientId: string;

  @Field({ description: "Shown in this answer only." })
  clientSecret: string;

  @Field()
  name: string;

  @Field(() => [String])
  scopes: string[];

  @Field(() => [String])
  grantTypes: string[];

  @Field()
  principalType: string;

  @Field(() => ID)
  tenantId: string;

  @Field(() => DateTime)
  createdAt: string;
}
