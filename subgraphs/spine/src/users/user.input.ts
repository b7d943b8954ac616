import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType()
export class UserFilterInput {
  @Field(() => String, { nullable: true, description: "Without it everybody but the deleted." })
  @Constraint({ maxLength: 100 })
  status?: string | null;

  @Field(() => String, { nullable: true, description: "The whole address, in any case." })
  @Constraint({ maxLength: 254 })
  email?: string | null;

  @Field(() => String, { nullable: true, description: "Who holds that role now." })
  @Constraint({ maxLength: 64 })
  roleCode?: string | null;

  @Field(() => String, { nullable: true, description: "How the address or the display name begins, in any case." })
  @Constraint({ maxLength: 200 })
  q?: string | null;
}
