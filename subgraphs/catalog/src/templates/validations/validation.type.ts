import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";

export const ValidationOutcome = {
  Passed: "Passed",
  PassedWithWarnings: "PassedWithWarnings",
  Failed: "Failed",
} as const;
registerEnumType(ValidationOutcome, { name: "ValidationOutcome" });

@ObjectType("ValidationFinding", { simpleResolvers: true })
export class ValidationFindingType {
  @Field()
  check: string;

  @Field({ description: "Error, Warning, or Info when includeInfo is true." })
  severity: string;

  @Field()
  code: string;

  @Field()
  message: string;

  @Field(() => String, { nullable: true, description: "The path of the file in the template source." })
  path: string | null;

  @Field(() => String, { nullable: true, description: "The JSON pointer into that file, or into the parameterSchema." })
  pointer: string | null;

  @Field(() => Int, { nullable: true })
  line: number | null;

  @Field(() => Int, { nullable: true })
  column: number | null;

  @Field(() => String, { nullable: true })
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

  @Field(() => [String])
  checks: string[];

  @Field(() => [ValidationFindingType])
  findings: ValidationFindingType[];

  @Field(() => Int, { description: "The number of samples that SampleGeneration rendered." })
  samples: number;

  @Field(() => String, { nullable: true })
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
