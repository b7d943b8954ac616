import { Field, Int, ObjectType } from "type-graphql";
import { ExecutionErrorType, ExecutionWarningType, ManualInstructionType } from "../record/execution.type.js";
import { ScaffoldFileChange } from "../record/scaffold-file.type.js";

@ObjectType("PreviewFile", { simpleResolvers: true })
export class PreviewFileType {
  @Field({ description: "Path from the root of the repository, with slashes." })
  path: string;

  @Field(() => ScaffoldFileChange)
  change: keyof typeof ScaffoldFileChange;

  @Field({ description: "True when the execution would fail with TARGET_CONFLICT because of this file." })
  conflict: boolean;

  @Field()
  executable: boolean;

  @Field(() => Int, { nullable: true, description: "The size in bytes after the change. Null when nothing changes." })
  size: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Unified diff for git apply. It shows the merged file for onConflict merge; where both sides changed the same lines, both versions between the marks of git. Null when the file is unchanged, binary or too large.",
  })
  diff: string | null;
}

/** A preview's result, as GraphQL shows it. */
@ObjectType("ExecutionPreview", {
  simpleResolvers: true,
  description:
    "The changes that an execution would make to its target now. A preview writes nothing. Values that the template generates differ in each execution.",
})
export class ExecutionPreviewType {
  @Field(() => [PreviewFileType], { description: "Sorted by path." })
  files: PreviewFileType[];

  @Field({ description: "True when some diffs were left out because the answer would be too large." })
  truncated: boolean;

  @Field(() => [String], {
    description:
      "Paths of the files that the template names as its main results, from the root of the repository and in the order of the template.",
  })
  primaryOutputs: string[];

  @Field(() => String, { nullable: true, description: "SHA-256 of the rendered template content." })
  contentDigest: string | null;

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
    description:
      "The error with which an execution would fail before it writes: TARGET_CONFLICT beside the files for a conflict, and no files with any other error.",
  })
  error: ExecutionErrorType | null;
}
