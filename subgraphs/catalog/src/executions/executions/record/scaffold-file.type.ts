import { enumType } from "@factory/runtime/graphql/enum-type";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { scaffoldFileChanges } from "@factory/schema/vocabularies/executions";
import { Field, ID, Int, ObjectType } from "type-graphql";

export const ScaffoldFileChange = enumType(scaffoldFileChanges);

/** One target file after an execution. */
@ObjectType("ScaffoldFile", { simpleResolvers: true })
export class ScaffoldFileType {
  @Field({ description: "Path from the root of the repository, with slashes." })
  path: string;

  @Field(() => ScaffoldFileChange)
  change: keyof typeof ScaffoldFileChange;

  @Field()
  executable: boolean;

  @Field(() => Int, { description: "The size in bytes. It is 0 for a deleted file." })
  size: number;

  @Field(() => ID, { nullable: true, description: "The git blob id of the content. Null for a deleted file." })
  blobSha: string | null;
}

/** A page of scaffold files. */
export const ScaffoldFileConnection = connectionType(
  "ScaffoldFile",
  () => ScaffoldFileType,
  "Sorted by the bytes of the path.",
);
/** A page of scaffold files. */
export type ScaffoldFileConnection = Connection<ScaffoldFileType>;
