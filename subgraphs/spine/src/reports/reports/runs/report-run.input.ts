import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import {
  type ReportFormatName,
  type ReportRunStatus,
  reportFormatNames,
  reportRunStatuses,
} from "@factory/schema/vocabularies/reports";
import { Field, ID, InputType } from "type-graphql";

@InputType()
export class GenerateReportInput {
  @Field(() => ID, { nullable: true, description: "The tenant of the caller. It may be left out." })
  tenantId?: string | null;

  @Field(() => enumType(reportFormatNames), { description: "A format that the report definition lists." })
  format: ReportFormatName;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "The parameters of the report: from and to, the first and the last day of the period in UTC as YYYY-MM-DD.",
  })
  parameters?: Readonly<Record<string, unknown>> | null;
}

@InputType()
export class ReportRunFilterInput {
  @Field(() => enumType(reportRunStatuses), { nullable: true, description: "Only runs in this state." })
  status?: ReportRunStatus | null;

  @Field(() => ID, { nullable: true, description: "Only runs of this report definition." })
  reportDefinitionId?: string | null;

  @Field(() => enumType(reportFormatNames), { nullable: true, description: "Only runs in this format." })
  format?: ReportFormatName | null;
}
