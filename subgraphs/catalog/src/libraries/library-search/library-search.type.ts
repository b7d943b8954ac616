import { Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";

const LibrarySearchSource = { Library: "Library", ApiClient: "ApiClient" } as const;
registerEnumType(LibrarySearchSource, { name: "LibrarySearchSource" });

@ObjectType("LibrarySearchResult", { simpleResolvers: true })
export class LibrarySearchResultType {
  @Field(() => ID, { description: "The id of the library, or of the API client when source is ApiClient." })
  libraryId: string;

  @Field({ description: "The package name of the library, or the key of the provider when source is ApiClient." })
  packageName: string;

  @Field(() => String, { nullable: true })
  matchedCapability: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The highest Published version that a project of the requested framework can use.",
  })
  latestVersion: string | null;

  @Field(() => String, { nullable: true, description: "The kind of match, for example ExactName." })
  matchedOn: string | null;

  @Field(() => LibrarySearchSource)
  source: keyof typeof LibrarySearchSource;

  @Field(() => ID, {
    nullable: true,
    description: "The id of the API client when source is ApiClient. Then `libraryId` has the same value.",
  })
  apiClientId: string | null;

  @Field(() => ID, { nullable: true, description: "The id of the provider when source is ApiClient." })
  providerId: string | null;
}

@ObjectType("LibrarySearchResults", { simpleResolvers: true })
export class LibrarySearchResultsType {
  @Field(() => [LibrarySearchResultType])
  results: LibrarySearchResultType[];

  @Field(() => Int)
  total: number;

  @Field(() => String, { nullable: true })
  nextCursor: string | null;
}
