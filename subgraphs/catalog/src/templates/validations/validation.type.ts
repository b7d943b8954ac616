import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import {
  type FindingSeverity,
  findingSeverities,
  type TemplateCheck,
  templateChecks,
  validationOutcomes,
} from "@factory/schema/vocabularies/templates";
import { Field, ID, Int, ObjectType } from "type-graphql";

export const ValidationOutcome = enumType(validationOutcomes);

@ObjectType("ValidationFinding", { simpleResolvers: true })
export class ValidationFindingType {
  @Field(() => enumType(templateChecks))
  check: string;

  @Field(() => enumType(findingSeverities))
  severity: FindingSeverity;

  @Field({ description: "A text, since a release may add codes." })
  code: string;

  @Field()
  message: string;

  @Field(() => String, { nullable: true, description: "The path of the file in the template source." })
  path: string | null;

  @Field(() => String, { nullable: true, description: "The JSON pointer into that file, or into the parameterSchema." })
  pointer: string | null;

  @Field(() => Int, { nullable: true, description: "The line in the file, counted from 1. Null when it is not known." })
  line: number | null;

  @Field(() => Int, {
    nullable: true,
    description: "The character in the line, counted from 1. Null when it is not known.",
  })
  column: number | null;

  @Field(() => String, {
    nullable: true,
    description: "A change that removes the finding. Null when the check knows none.",
  })
  suggestion: string | null;
}

@ObjectType("ValidationResult", { implements: NodeType, simpleResolvers: true })
@NodeKey("validationResultId")
export class ValidationResultType {
  @Field(() => ID)
  validationResultId: string;

  @Field(() => ID)
  templateVersionId: string;

  @Field(() => ValidationOutcome)
  outcome: keyof typeof ValidationOutcome;

  @Field(() => [enumType(templateChecks)], {
    description: "The checks that were requested, in the order in which they run.",
  })
  checks: TemplateCheck[];

  @Field(() => [ValidationFindingType], {
    description: "In the order of `checks`, then by path, line and code. Each check lists at most 200.",
  })
  findings: ValidationFindingType[];

  @Field(() => Int, { description: "The number of samples that SampleGeneration rendered." })
  samples: number;

  @Field(() => String, {
    nullable: true,
    description: "The digest of the content that was checked. Null when the source could not be read.",
  })
  contentDigest: string | null;

  @Field({ description: "True when the Draft was replaced since the validation began. The result does not count." })
  voided: boolean;

  @Field(() => DateTime)
  validatedAt: string;
}

export const ValidationResultConnection = connectionType(
  "ValidationResult",
  () => ValidationResultType,
  "Newest first.",
);
export type ValidationResultConnection = Connection<ValidationResultType>;
