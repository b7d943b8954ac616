import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import {
  type ExecutionPhase,
  executionPhases,
  executionStatuses,
  type PullRequestState,
  pullRequestStates,
} from "@factory/schema/vocabularies/executions";
import { Field, ID, Int, ObjectType } from "type-graphql";

const ExecutionStatus = enumType(executionStatuses);

@ObjectType("ExecutionTarget", { simpleResolvers: true })
export class ExecutionTargetType {
  @Field()
  repository: string;

  @Field()
  branch: string;

  @Field(() => ID, {
    nullable: true,
    description: "The connection through which a pull request into the branch is opened.",
  })
  connectionId: string | null;
}

/** The pull request of an execution whose target is a connection. */
@ObjectType("ExecutionPullRequest", { simpleResolvers: true })
export class ExecutionPullRequestType {
  @Field(() => Int, { description: "The number that the vendor gave." })
  number: number;

  @Field()
  url: string;

  @Field(() => enumType(pullRequestStates), { description: "As the vendor has last reported." })
  state: PullRequestState;

  @Field(() => DateTime, { nullable: true })
  openedAt: string | null;

  @Field(() => DateTime, { nullable: true })
  mergedAt: string | null;

  @Field(() => DateTime, { nullable: true })
  closedAt: string | null;
}

@ObjectType("ExecutionCorrelation", { simpleResolvers: true })
export class ExecutionCorrelationType {
  @Field(() => String, { nullable: true })
  agentTaskId: string | null;
}

/** The commit that a completed execution pushed, or found already pushed. */
@ObjectType("ScaffoldOutput", { simpleResolvers: true })
export class ScaffoldOutputType {
  @Field({ description: "URL from which the result can be cloned." })
  repository: string;

  @Field()
  branch: string;

  @Field()
  commitSha: string;

  @Field()
  treeSha: string;

  @Field({ description: "False when the branch had exactly this result already, so that no commit was made." })
  changed: boolean;

  @Field(() => Int)
  filesCreated: number;

  @Field(() => Int)
  filesUpdated: number;

  @Field({ description: "SHA-256 of the rendered template content." })
  contentDigest: string;

  @Field(() => [String])
  primaryOutputs: string[];
}

/** A template instruction that a person has to follow. */
@ObjectType("ManualInstruction", { simpleResolvers: true })
export class ManualInstructionType {
  @Field()
  text: string;

  @Field(() => String, { nullable: true })
  actionId: string | null;
}

/** A problem that does not stop the execution. */
@ObjectType("ExecutionWarning", { simpleResolvers: true })
export class ExecutionWarningType {
  @Field({ description: "A text, since a release may add codes." })
  code: string;

  @Field()
  message: string;
}

/** The reason why an execution failed or was cancelled. */
@ObjectType("ExecutionError", { simpleResolvers: true })
export class ExecutionErrorType {
  @Field({ description: "One of the error codes that have no HTTP status. A text, since a release may add codes." })
  code: string;

  @Field()
  message: string;

  @Field(() => JsonObject, { nullable: true })
  details: Record<string, unknown> | null;
}

/** A library that an execution adds to the projects. */
@ObjectType("ExecutionLibrary", { simpleResolvers: true })
export class ExecutionLibraryType {
  @Field({ description: "The name of the NuGet package." })
  packageName: string;

  @Field({ description: "The version that was asked for." })
  version: string;
}

/** An execution as GraphQL shows it: state, target and result. */
@ObjectType("Execution", { implements: NodeType, simpleResolvers: true })
@NodeKey("executionId")
export class ExecutionType {
  @Field(() => ID)
  executionId: string;

  @Field(() => ID)
  templateId: string;

  @Field(() => ID)
  templateVersionId: string;

  @Field(() => ExecutionStatus)
  status: keyof typeof ExecutionStatus;

  @Field(() => enumType(executionPhases), { nullable: true, description: "Null in a final state." })
  phase: ExecutionPhase | null;

  @Field(() => ID, { nullable: true, description: "Null until the execution is Completed." })
  scaffoldOutputId: string | null;

  @Field(() => DateTime)
  requestedAt: string;

  @Field(() => DateTime, { nullable: true })
  startedAt: string | null;

  @Field(() => DateTime, { nullable: true })
  completedAt: string | null;

  @Field(() => Int, { description: "Number of times that a worker has started it." })
  attempts: number;

  @Field(() => ID, { nullable: true, description: "The failed or cancelled execution that this one retries." })
  retryOf: string | null;

  @Field(() => ExecutionTargetType)
  target: ExecutionTargetType;

  @Field(() => ExecutionCorrelationType)
  correlation: ExecutionCorrelationType;

  @Field(() => ScaffoldOutputType, { nullable: true })
  output: ScaffoldOutputType | null;

  @Field(() => ExecutionPullRequestType, {
    nullable: true,
    description: "The pull request that was opened through target.connectionId. Null without a connection or a change.",
  })
  pullRequest: ExecutionPullRequestType | null;

  @Field(() => [ManualInstructionType], {
    description: "Instructions of the template for a person. Nothing is run automatically.",
  })
  manualInstructions: ManualInstructionType[];

  @Field(() => [ExecutionWarningType])
  warnings: ExecutionWarningType[];

  @Field(() => ExecutionErrorType, { nullable: true })
  error: ExecutionErrorType | null;

  @Field()
  traceId: string;
}

/** A page of executions. */
export const ExecutionConnection = connectionType("Execution", () => ExecutionType, "Newest first.");
/** A page of executions. */
export type ExecutionConnection = Connection<ExecutionType>;

/** One execution step as GraphQL shows it. */
@ObjectType("ExecutionStatusChange", { simpleResolvers: true })
export class ExecutionStatusChangeType {
  @Field(() => ID)
  executionId: string;

  @Field(() => Int, {
    description:
      "The number of the step. It starts at 1 and has no gaps. To resume a subscription, pass it as `after`.",
  })
  sequence: number;

  @Field(() => ExecutionStatus)
  status: keyof typeof ExecutionStatus;

  @Field(() => enumType(executionPhases), { nullable: true, description: "Null in a final state." })
  phase: ExecutionPhase | null;

  @Field(() => DateTime)
  changedAt: string;
}
