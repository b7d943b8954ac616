import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";

export enum ScaffoldFileChange {
  Created = "Created",
  Updated = "Updated",
  Unchanged = "Unchanged",
  Deleted = "Deleted",
}

registerEnumType(ScaffoldFileChange, { name: "ScaffoldFileChange" });

@ObjectType("ScaffoldFile", { simpleResolvers: true })
export class ScaffoldFileType {
  @Field({ description: "From the root of the repository, with slashes." })
  path: string;

  @Field(() => ScaffoldFileChange)
  change: keyof typeof ScaffoldFileChange;

  @Field()
  executable: boolean;

  @Field(() => Int, { description: "Bytes; 0 for a deleted file." })
  size: number;

  @Field(() => ID, { nullable: true, description: "git's name for the content; null for a deleted file." })
  blobSha: string | null;
}

export const ScaffoldFileConnection = connectionType(
  "ScaffoldFile",
  () => ScaffoldFileType,
  "By path, in the order of its bytes.",
);
export type ScaffoldFileConnection = Connection<ScaffoldFileType>;
