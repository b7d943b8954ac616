import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType()
export class ReportDefinitionFilterInput {
  @Field(() => String, { nullable: true, description: "Only the report with this code." })
  @Constraint({ maxLength: 100 })
  code?: string | null;
}
