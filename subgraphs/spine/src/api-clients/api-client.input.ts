import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType()
export class CreateApiClientInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  name: string;

  @Field(() => [String], { description: "Scopes of a tenant; inside a tenant a subset of the caller's own." })
  @Constraint({ minItems: 1, maxItems: 100, minLength: 1, maxLength: 100 })
  scopes: string[];

  @Field(() => [String], { nullable: true, description: "Defaults to client_credentials." })
  @Constraint({ minItems: 1, maxItems: 10, minLength: 1, maxLength: 100 })
  grantTypes?: string[] | null;

  @Field(() => String, { nullable: true, description: "Service or Agent; defaults to Service." })
  @Constraint({ minLength: 1, maxLength: 50 })
  principalType?: string | null;
}
