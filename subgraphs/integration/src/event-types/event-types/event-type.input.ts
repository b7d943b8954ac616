import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType()
export class EventTypeFilterInput {
  @Field(() => String, { nullable: true, description: "catalog, integration or spine." })
  @Constraint({ maxLength: 50 })
  source?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only types that the token may read, or only the others." })
  readable?: boolean | null;
}
