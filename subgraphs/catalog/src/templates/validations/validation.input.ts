import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class ValidateTemplateVersionInput {
  @Field(() => ID)
  templateVersionId: string;

  @Field(() => [String], {
    nullable: true,
    description: "The checks to run: StructuralLint, ParameterSchema, SampleGeneration. Without any, all checks run.",
  })
  @Constraint({ maxItems: 20, maxLength: 100 })
  checks?: string[] | null;

  @Field(() => Boolean, { nullable: true, description: "Whether to return findings of severity Info too." })
  includeInfo?: boolean | null;
}
