import type { Connection } from "@factory/runtime/pagination/page";
import { PageInfo } from "@factory/runtime/pagination/page-info.type";
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

@ObjectType({ simpleResolvers: true })
export class ScaffoldFileEdge {
  @Field()
  cursor: string;

  @Field(() => ScaffoldFileType)
  node: ScaffoldFileType;
}

@ObjectType({ simpleResolvers: true, description: "By path, in the order of its bytes." })
export class ScaffoldFileConnection implements Connection<ScaffoldFileType> {
  @Field(() => [ScaffoldFileEdge])
  edges: ScaffoldFileEdge[];

  @Field(() => PageInfo)
  pageInfo: PageInfo;

  @Field(() => [ScaffoldFileType])
  items: ScaffoldFileType[];

  @Field(() => String, { nullable: true, description: "Null on the last page." })
  nextCursor: string | null;
}
