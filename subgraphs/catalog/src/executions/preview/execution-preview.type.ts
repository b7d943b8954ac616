import { Field, Int, ObjectType } from "type-graphql";
import { ExecutionErrorType, ExecutionWarningType, ManualInstructionType } from "../record/execution.type.js";
import { ScaffoldFileChange } from "../record/scaffold-file.type.js";

@ObjectType("PreviewFile", { simpleResolvers: true })
export class PreviewFileType {
  @Field({ description: "From the root of the repository, with slashes." })
  path: string;

  @Field(() => ScaffoldFileChange)
  change: keyof typeof ScaffoldFileChange;

  @Field({ description: "The execution would fail with TARGET_CONFLICT because of this file." })
  conflict: boolean;

  @Field()
  executable: boolean;

  @Field(() => Int, { nullable: true, description: "Bytes after the change; null where nothing changes." })
  size: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Unified diff that git apply reads; null: unchanged, binary, or too large to be shown.",
  })
  diff: string | null;
}

@ObjectType("ExecutionPreview", {
  simpleResolvers: true,
  description:
    "What an execution would do to its target now. Nothing is written; generated values differ per execution.",
})
export class ExecutionPreviewType {
  @Field(() => [PreviewFileType], { description: "By path." })
  files: PreviewFileType[];

  @Field({ description: "Some diffs were left out to bound the answer." })
  truncated: boolean;

  @Field(() => [String])
  primaryOutputs: string[];

  @Field(() => String, { nullable: true, description: "SHA-256 of the template content that was rendered." })
  contentDigest: string | null;

  @Field(() => [ManualInstructionType])
  manualInstructions: ManualInstructionType[];

  @Field(() => [ExecutionWarningType])
  warnings: ExecutionWarningType[];

  @Field(() => ExecutionErrorType, { nullable: true, description: "Why an execution would fail before it writes." })
  error: ExecutionErrorType | null;
}
