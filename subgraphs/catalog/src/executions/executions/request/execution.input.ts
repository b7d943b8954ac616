import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import {
  type ConflictStrategy,
  conflictStrategies,
  type ExecutionStatus,
  executionStatuses,
} from "@factory/schema/vocabularies/executions";
import { Field, ID, InputType } from "type-graphql";
import { LibraryReferenceInput } from "../../../libraries/libraries/library-reference.input.js";

@InputType({ description: "The content of the pull request of an execution." })
export class PullRequestInput {
  @Field(() => String, { nullable: true, description: "Default: the template and its version." })
  @Constraint({ minLength: 1, maxLength: 200 })
  title?: string | null;

  @Field(() => String, { nullable: true, description: "In Markdown. Default: how the result was made." })
  @Constraint({ maxLength: 20_000 })
  body?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: "Labels for the pull request, each with at most 50 characters and without commas.",
  })
  @Constraint({ maxItems: 20, minLength: 1, maxLength: 50 })
  labels?: string[] | null;
}

@InputType()
export class ExecutionTargetInput {
  @Field({ description: "A git URL, or owner/name in the git store of the platform." })
  @Constraint({ minLength: 1, maxLength: 2048 })
  repository: string;

  @Field(() => String, { nullable: true, description: "Default: main." })
  @Constraint({ minLength: 1, maxLength: 200 })
  branch?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Folder of the repository for everything that is produced, like the output folder of dotnet new. Default: the root.",
  })
  @Constraint({ maxLength: 240 })
  directory?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Like dotnet new without an output folder: when the template has preferNameDirectory and the parameters have a name, a folder of that name contains everything. Default: false.",
  })
  nameDirectory?: boolean | null;

  @Field(() => enumType(conflictStrategies), {
    nullable: true,
    description: "How to treat a file that exists and differs. Default: fail.",
  })
  onConflict?: ConflictStrategy | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Credential for the target, for example secret://github. Its kind is Basic, BearerToken, ApiKey or SshKey.",
  })
  @Constraint({ pattern: credentialReferencePattern })
  credentialRef?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      "A connection to a source-control vendor, which needs the scope integration.connections.read. The repository is then owner/name at the vendor. The result is pushed to a branch of its own, and a pull request into `branch` is opened.",
  })
  connectionId?: string | null;

  @Field(() => PullRequestInput, { nullable: true, description: "Only with connectionId." })
  pullRequest?: PullRequestInput | null;
}

@InputType()
export class ExecutionCorrelationInput {
  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 200 })
  agentTaskId?: string | null;
}

/** The request for an execution or a preview. */
@InputType()
export class RequestExecutionInput {
  @Field(() => ID)
  templateVersionId: string;

  @Field(() => JsonObject, { nullable: true, description: "They must satisfy the parameterSchema of the version." })
  parameters?: Record<string, unknown> | null;

  @Field(() => [LibraryReferenceInput], {
    nullable: true,
    description:
      "Packages to add to the rendered projects, each package once. An incompatible set gives warnings, or an error where the tenant sets execution.requireCompatible.",
  })
  @Constraint({ maxItems: 200 })
  libraries?: LibraryReferenceInput[] | null;

  @Field(() => ExecutionTargetInput)
  target: ExecutionTargetInput;

  @Field(() => ExecutionCorrelationInput, { nullable: true })
  correlation?: ExecutionCorrelationInput | null;
}

/** The changes that a retry makes to the earlier execution's request. */
@InputType()
export class RetryExecutionInput {
  @Field(() => enumType(conflictStrategies), {
    nullable: true,
    description: "Default: the value of the retried execution.",
  })
  onConflict?: ConflictStrategy | null;
}

/** Filters for an execution list. */
@InputType({ description: "An execution must match all given members." })
export class ExecutionFilterInput {
  @Field(() => ID, { nullable: true })
  templateId?: string | null;

  @Field(() => ID, { nullable: true })
  templateVersionId?: string | null;

  @Field(() => enumType(executionStatuses), { nullable: true })
  status?: ExecutionStatus | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 200 })
  agentTaskId?: string | null;
  @Field(() => String, { nullable: true, description: "The repository as target.repository shows it." })
  @Constraint({ minLength: 1, maxLength: 2048 })
  repository?: string | null;

  @Field(() => String, { nullable: true, description: "The branch as target.branch shows it." })
  @Constraint({ minLength: 1, maxLength: 200 })
  branch?: string | null;
}
