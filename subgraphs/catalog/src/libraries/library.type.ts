import { DateTime } from "@factory/runtime/subgraph/scalars";
import { Directive, Field, ID, ObjectType, registerEnumType } from "type-graphql";

export const LibraryStatus = { Active: "Active" } as const;
registerEnumType(LibraryStatus, { name: "LibraryStatus" });

export const LibraryVersionStatus = { Published: "Published", Deprecated: "Deprecated", Retired: "Retired" } as const;
registerEnumType(LibraryVersionStatus, { name: "LibraryVersionStatus" });

@ObjectType("Capability", { simpleResolvers: true })
export class CapabilityType {
  @Field()
  name: string;

  @Field(() => String, { nullable: true })
  contract: string | null;
}

@ObjectType("LibraryVersion", { simpleResolvers: true })
export class LibraryVersionType {
  @Field(() => ID)
  libraryVersionId: string;

  @Field()
  semanticVersion: string;

  @Field(() => String, {
    nullable: true,
    description: "The lowest of targetFrameworks; null: the version runs anywhere.",
  })
  targetFramework: string | null;

  @Field(() => [String])
  targetFrameworks: string[];

  @Field(() => LibraryVersionStatus)
  status: keyof typeof LibraryVersionStatus;
}

@ObjectType("Library", { simpleResolvers: true })
@Directive('@key(fields: "libraryId")')
@Directive('@key(fields: "packageName")')
export class LibraryType {
  @Field(() => ID)
  libraryId: string;

  @Field({ description: "Unique in the tenant, ignoring case." })
  packageName: string;

  @Field(() => String, { nullable: true })
  area: string | null;

  @Field(() => String, { nullable: true })
  owner: string | null;

  @Field(() => [CapabilityType])
  capabilities: CapabilityType[];

  @Field(() => [String])
  tags: string[];

  @Field(() => LibraryStatus)
  status: keyof typeof LibraryStatus;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => [LibraryVersionType], { description: "Highest version first." })
  versions: LibraryVersionType[];
}
