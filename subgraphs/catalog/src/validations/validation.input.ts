import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class ValidateTemplateVersionInput {
  @Field(() => ID)
  templateVersionId: string;

  @Field(() => [String], {
    nullable: true,
    description: "StructuralLint, ParameterSchema, SampleGeneration; none means all.",
  })
  @Constraint({ maxItems: 20, maxLength: 100 })
  checks?: string[] | null;

  @Field(() => Boolean, { nullable: true, description: "Also findings of severity Info." })
  includeInfo?: boolean | null;
}
