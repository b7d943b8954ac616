import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class GenerateReportInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field({ description: "One of the formats of the definition: csv, json, xlsx or pdf." })
  @Constraint({ minLength: 1, maxLength: 20 })
  format: string;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "The parameters of the report: from and to, the first and the last day of the period in UTC as YYYY-MM-DD.",
  })
  parameters?: Readonly<Record<string, unknown>> | null;
}

@InputType()
export class ReportRunFilterInput {
  @Field(() => String, { nullable: true, description: "Only runs in this state." })
  @Constraint({ maxLength: 50 })
  status?: string | null;

  @Field(() => ID, { nullable: true, description: "Only runs of this report definition." })
  reportDefinitionId?: string | null;

  @Field(() => String, { nullable: true, description: "Only runs in this format." })
  @Constraint({ maxLength: 20 })
  format?: string | null;
}
