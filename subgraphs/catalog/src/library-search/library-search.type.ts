import { Directive, Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";

export const LibrarySearchSource = { Library: "Library", ApiClient: "ApiClient" } as const;
registerEnumType(LibrarySearchSource, { name: "LibrarySearchSource" });

/** Integration owns its fields. */
@ObjectType("ApiClient", { simpleResolvers: true })
@Directive('@key(fields: "apiClientId", resolvable: false)')
export class ApiClientReference {
  @Field(() => ID)
  apiClientId: string;
}

@ObjectType("LibrarySearchResult", { simpleResolvers: true })
export class LibrarySearchResultType {
  @Field(() => ID, { description: "Of the library; where source is ApiClient, of the API client." })
  libraryId: string;

  @Field({ description: "Where source is ApiClient, the key of its provider." })
  packageName: string;

  @Field(() => String, { nullable: true })
  matchedCapability: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Highest Published version that the asked framework can consume.",
  })
  latestVersion: string | null;

  @Field(() => String, { nullable: true, description: "Why the row matched, e.g. ExactName." })
  matchedOn: string | null;

  @Field(() => LibrarySearchSource)
  source: keyof typeof LibrarySearchSource;

  @Field(() => ID, { nullable: true, description: "Where source is ApiClient; `libraryId` has the same value then." })
  apiClientId: string | null;

  @Field(() => ID, { nullable: true, description: "Of the provider, where source is ApiClient." })
  providerId: string | null;

  @Field(() => ApiClientReference, { nullable: true })
  apiClient: ApiClientReference | null;
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
