import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import { Field, ID, InputType } from "type-graphql";
import { LibraryReferenceInput } from "../../libraries/library-reference.input.js";

const onConflictDescription =
  "fail (default), overwrite or merge: what to do with a file that exists and differs. merge is three-way, against what the template rendered last.";

@InputType()
export class ExecutionTargetInput {
  @Field({ description: "A git URL, or owner/name in the platform's own git store." })
  @Constraint({ minLength: 1, maxLength: 2048 })
  repository: string;

  @Field(() => String, { nullable: true, description: "Defaults to main." })
  @Constraint({ minLength: 1, maxLength: 200 })
  branch?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Folder of the repository for everything that is produced, as the output folder of dotnet new. Its top if absent.",
  })
  @Constraint({ maxLength: 240 })
  directory?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "As dotnet new without an output folder: where the template has preferNameDirectory and the parameters give a name, a folder of that name holds everything. Default false.",
  })
  nameDirectory?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: onConflictDescription,
  })
  @Constraint({ maxLength: 50 })
  onConflict?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Credential for the target, e.g. secret://github; of kind Basic, BearerToken or SshKey.",
  })
  @Constraint({ pattern: credentialReferencePattern })
  credentialRef?: string | null;
}

@InputType()
export class ExecutionCorrelationInput {
  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 200 })
  agentTaskId?: string | null;
}

@InputType()
export class RequestExecutionInput {
  @Field(() => ID)
  templateVersionId: string;

  @Field(() => JsonObject, { nullable: true, description: "Must satisfy the parameterSchema of the version." })
  parameters?: Record<string, unknown> | null;

  @Field(() => [LibraryReferenceInput], { nullable: true })
  @Constraint({ maxItems: 200 })
  libraries?: LibraryReferenceInput[] | null;

  @Field(() => ExecutionTargetInput)
  target: ExecutionTargetInput;

  @Field(() => ExecutionCorrelationInput, { nullable: true })
  correlation?: ExecutionCorrelationInput | null;
}

@InputType()
export class RetryExecutionInput {
  @Field(() => String, { nullable: true, description: "As it was, if absent." })
  @Constraint({ maxLength: 50 })
  onConflict?: string | null;
}

@InputType({ description: "All that are given must hold." })
export class ExecutionFilterInput {
  @Field(() => ID, { nullable: true })
  templateId?: string | null;

  @Field(() => ID, { nullable: true })
  templateVersionId?: string | null;

  @Field(() => String, { nullable: true, description: "Requested, Running, Completed, Failed or Cancelled." })
  @Constraint({ maxLength: 50 })
  status?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 200 })
  agentTaskId?: string | null;
}
