import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType()
export class RevokeCredentialInput {
  @Field(() => String, { nullable: true, description: "The reason is part of the event." })
  @Constraint({ minLength: 1, maxLength: 2000 })
  reason?: string | null;
}
