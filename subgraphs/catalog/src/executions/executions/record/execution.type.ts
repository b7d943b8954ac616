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

  @Field(() => DateTime, { nullable: true, description: "Null when the vendor does not tell it." })
  openedAt: string | null;

  @Field(() => DateTime, { nullable: true, description: "Null until the merge, or when the vendor does not tell it." })
  mergedAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Also set by a merge. Null while it is open, or when the vendor does not tell it.",
  })
  closedAt: string | null;
}

@ObjectType("ExecutionCorrelation", { simpleResolvers: true })
export class ExecutionCorrelationType {
  @Field(() => String, {
    nullable: true,
    description:
      "The agent task for which the execution runs, as the request or the token names it. Null when neither does.",
  })
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

  @Field(() => Int, { description: "Number of files that the target did not have before." })
  filesCreated: number;

  @Field(() => Int, {
    description: "Number of files that the target had and that the commit changes. Deleted files do not count.",
  })
  filesUpdated: number;

  @Field({ description: "SHA-256 of the rendered template content." })
  contentDigest: string;

  @Field(() => [String], {
    description:
      "Paths of the files that the template names as its main results, from the root of the repository and in the order of the template.",
  })
  primaryOutputs: string[];
}

/** A template instruction that a person has to follow. */
@ObjectType("ManualInstruction", { simpleResolvers: true })
export class ManualInstructionType {
  @Field()
  text: string;

  @Field(() => String, {
    nullable: true,
    description:
      "The kind of the post action, as a GUID: for a restore it is 210D431B-A78B-4D2F-B762-4ED3E3EA9025. Null where the template names none.",
  })
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

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "Further members, which depend on the code: for example `paths` with TARGET_CONFLICT, or `findings` when the template cannot be rendered. Null where the code has none.",
  })
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

  @Field(() => DateTime, {
    nullable: true,
    description: "The time when a worker began its first attempt. Null before that.",
  })
  startedAt: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "The time when the execution became Completed, Failed or Cancelled. Null before that.",
  })
  completedAt: string | null;

  @Field(() => Int, { description: "Number of times that a worker has started it." })
  attempts: number;

  @Field(() => ID, { nullable: true, description: "The failed or cancelled execution that this one retries." })
  retryOf: string | null;

  @Field(() => ExecutionTargetType)
  target: ExecutionTargetType;

  @Field(() => ExecutionCorrelationType)
  correlation: ExecutionCorrelationType;

  @Field(() => ScaffoldOutputType, {
    nullable: true,
    description: "The commit with the result. Null until the execution is Completed.",
  })
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

  @Field(() => [ExecutionWarningType], {
    description: "Problems that do not stop the execution. The request's problems come first.",
  })
  warnings: ExecutionWarningType[];

  @Field(() => ExecutionErrorType, {
    nullable: true,
    description: "The reason why the execution is Failed or Cancelled. Null in all other states.",
  })
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
