import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type TemplateCheck, templateChecks } from "@factory/schema/vocabularies/templates";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class ValidateTemplateVersionInput {
  @Field(() => ID)
  templateVersionId: string;

  @Field(() => [enumType(templateChecks)], {
    nullable: true,
    description: "The checks to run. Without any, all checks run.",
  })
  @Constraint({ maxItems: 20 })
  checks?: TemplateCheck[] | null;

  @Field(() => Boolean, { nullable: true, description: "Whether to return findings of severity Info too." })
  includeInfo?: boolean | null;
}
