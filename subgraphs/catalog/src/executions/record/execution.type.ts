import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { Directive, Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";

export const ExecutionStatus = {
  Requested: "Requested",
  Running: "Running",
  Completed: "Completed",
  Failed: "Failed",
  Cancelled: "Cancelled",
} as const;
registerEnumType(ExecutionStatus, { name: "ExecutionStatus" });

@ObjectType("ExecutionTarget", { simpleResolvers: true })
export class ExecutionTargetType {
  @Field()
  repository: string;

  @Field()
  branch: string;
}

@ObjectType("ExecutionCorrelation", { simpleResolvers: true })
export class ExecutionCorrelationType {
  @Field(() => String, { nullable: true })
  agentTaskId: string | null;
}

@ObjectType("ScaffoldOutput", { simpleResolvers: true })
export class ScaffoldOutputType {
  @Field({ description: "Where the result can be cloned from." })
  repository: string;

  @Field()
  branch: string;

  @Field()
  commitSha: string;

  @Field()
  treeSha: string;

  @Field({ description: "False: the branch held exactly this result already and no commit was made." })
  changed: boolean;

  @Field(() => Int)
  filesCreated: number;

  @Field(() => Int)
  filesUpdated: number;

  @Field({ description: "SHA-256 of the template content that was rendered." })
  contentDigest: string;

  @Field(() => [String])
  primaryOutputs: string[];
}

@ObjectType("ManualInstruction", { simpleResolvers: true })
export class ManualInstructionType {
  @Field()
  text: string;

  @Field(() => String, { nullable: true })
  actionId: string | null;
}

@ObjectType("ExecutionWarning", { simpleResolvers: true })
export class ExecutionWarningType {
  @Field()
  code: string;

  @Field()
  message: string;
}

@ObjectType("ExecutionError", { simpleResolvers: true })
export class ExecutionErrorType {
  @Field({ description: "One of the codes without an HTTP status in the error list." })
  code: string;

  @Field()
  message: string;

  @Field(() => JsonObject, { nullable: true })
  details: Record<string, unknown> | null;
}

@ObjectType("Execution", { simpleResolvers: true })
@Directive('@key(fields: "executionId")')
export class ExecutionType {
  @Field(() => ID)
  executionId: string;

  @Field(() => ID)
  templateId: string;

  @Field(() => ID)
  templateVersionId: string;

  @Field(() => ExecutionStatus)
  status: keyof typeof ExecutionStatus;

  @Field(() => String, {
    nullable: true,
    description: "Queued, FetchingSource, Rendering, InjectingLibraries or Pushing; null when final.",
  })
  phase: string | null;

  @Field(() => ID, { nullable: true, description: "Null until Completed." })
  scaffoldOutputId: string | null;

  @Field(() => DateTime)
  requestedAt: string;

  @Field(() => DateTime, { nullable: true })
  startedAt: string | null;

  @Field(() => DateTime, { nullable: true })
  completedAt: string | null;

  @Field(() => Int, { description: "How often a worker has taken it up." })
  attempts: number;

  @Field(() => ID, { nullable: true, description: "The failed or cancelled execution that this one tries again." })
  retryOf: string | null;

  @Field(() => ExecutionTargetType)
  target: ExecutionTargetType;

  @Field(() => ExecutionCorrelationType)
  correlation: ExecutionCorrelationType;

  @Field(() => ScaffoldOutputType, { nullable: true })
  output: ScaffoldOutputType | null;

  @Field(() => [ManualInstructionType], { description: "What the template asks a person to do; nothing is ever run." })
  manualInstructions: ManualInstructionType[];

  @Field(() => [ExecutionWarningType])
  warnings: ExecutionWarningType[];

  @Field(() => ExecutionErrorType, { nullable: true })
  error: ExecutionErrorType | null;

  @Field()
  traceId: string;
}

export const ExecutionConnection = connectionType("Execution", () => ExecutionType, "Newest first.");
export type ExecutionConnection = Connection<ExecutionType>;

@ObjectType("ExecutionStatusChange", { simpleResolvers: true })
export class ExecutionStatusChangeType {
  @Field(() => ID)
  executionId: string;

  @Field(() => Int, { description: "From 1, without a gap; resume with it as after." })
  sequence: number;

  @Field(() => ExecutionStatus)
  status: keyof typeof ExecutionStatus;

  @Field(() => String, { nullable: true })
  phase: string | null;

  @Field(() => DateTime)
  changedAt: string;
}
