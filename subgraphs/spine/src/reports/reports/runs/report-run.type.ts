import type { AuthRule } from "@factory/runtime/graphql/auth";
import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { reportRunStatuses } from "@factory/schema/vocabularies/reports";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { ReportPeriod } from "../definitions/report-period.js";
import type { ReportRunState } from "./report-run.states.js";

export const ReportRunStatus = enumType(reportRunStatuses);

/** The scopes for reading a report run. */
export const readReportRuns = { scopes: ["report.read", "report.generate"] } as const satisfies AuthRule;

/** The reason why a report run has ended without a content. */
@ObjectType("ReportRunError", { simpleResolvers: true })
export class ReportRunErrorType {
  @Field({ description: "A text, since a release may add codes." })
  code: string;

  @Field()
  detail: string;
}

const rowsDoneDescription = "The number of rows that were written so far.";
const rowsTotalDescription = "The number of rows of the report. Null before they are counted.";

/** A report run's GraphQL type. */
@ObjectType("ReportRun", { implements: NodeType, simpleResolvers: true, description: "One generation of a report." })
@NodeKey("reportRunId")
export class ReportRunType {
  @Field(() => ID)
  reportRunId: string;

  @Field(() => ID)
  reportDefinitionId: string;

  @Field({ description: "The code of the report, for example audit-log." })
  reportCode: string;

  @Field({ description: "A text, since a newer release may write other formats." })
  format: string;

  @Field(() => JsonObject, {
    description:
      "The members from and to: the first and the last day of the period in UTC as YYYY-MM-DD. The report definition has their schema.",
  })
  parameters: ReportPeriod;

  @Field({
    description:
      "Whether the period was over for an hour when the run was requested. If not, the report has the rows up to now, and the same report later may have more.",
  })
  periodOver: boolean;

  @Field(() => ReportRunStatus)
  status: ReportRunState;

  @Field(() => Int, { description: rowsDoneDescription })
  rowsDone: number;

  @Field(() => Int, { nullable: true, description: rowsTotalDescription })
  rowsTotal: number | null;

  @Field(() => DateTime)
  requestedAt: string;

  @Field({ description: "The subject of the token, or the actor of the command, that requested the run." })
  requestedBy: string;

  @Field(() => DateTime, {
    nullable: true,
    description: "The begin of the first attempt. Null if no attempt has begun.",
  })
  startedAt: string | null;

  @Field(() => DateTime, { nullable: true, description: "When the run was completed, failed or was cancelled." })
  completedAt: string | null;

  @Field(() => DateTime, { nullable: true, description: "When the content is deleted." })
  expiresAt: string | null;

  @Field(() => String, { nullable: true, description: "The media type of the content." })
  contentType: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "The length of the content. Null until the run is Completed; it stays after the content has expired.",
  })
  sizeBytes: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The SHA-256 of the content in hexadecimal digits. The same report over the same rows has the same one within a release.",
  })
  sha256: string | null;

  @Field(() => ReportRunErrorType, {
    nullable: true,
    description: "The reason for the end without a content. Null unless the run is Failed or Cancelled.",
  })
  error: ReportRunErrorType | null;

  @Field()
  correlationId: string;

  @Field()
  traceId: string;
}

@ObjectType("ReportRunChange", { simpleResolvers: true, description: "The state and progress of a report run." })
export class ReportRunChangeType {
  @Field(() => ID)
  reportRunId: string;

  @Field(() => Int, { description: "Ascending. Changes that follow each other quickly are told as one." })
  sequence: number;

  @Field(() => ReportRunStatus)
  status: ReportRunState;

  @Field(() => Int, { description: rowsDoneDescription })
  rowsDone: number;

  @Field(() => Int, { nullable: true, description: rowsTotalDescription })
  rowsTotal: number | null;

  @Field(() => DateTime)
  changedAt: string;
}

export const ReportRunConnection = connectionType("ReportRun", () => ReportRunType, "Newest first.");
/** A page with report runs. */
export type ReportRunConnection = Connection<ReportRunType>;
