import { enumType } from "@factory/runtime/graphql/enum-type";
import { type LibraryMatch, libraryMatches, librarySearchSources } from "@factory/schema/vocabularies/libraries";
import { Field, ID, Int, ObjectType } from "type-graphql";

const LibrarySearchSource = enumType(librarySearchSources);

@ObjectType("LibrarySearchResult", { simpleResolvers: true })
export class LibrarySearchResultType {
  @Field(() => ID, { description: "The id of the library, or of the API client when source is ApiClient." })
  libraryId: string;

  @Field({ description: "The package name of the library, or the key of the provider when source is ApiClient." })
  packageName: string;

  @Field(() => String, {
    nullable: true,
    description:
      "The name of the capability that fits best. Without a capability in the search, the first one; null when there is none.",
  })
  matchedCapability: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The highest Published version that a project of the requested framework can use.",
  })
  latestVersion: string | null;

  @Field(() => enumType(libraryMatches), { nullable: true, description: "The kind of match." })
  matchedOn: LibraryMatch | null;

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
  @Field(() => [LibrarySearchResultType], {
    description:
      "The best match first. Among equal matches, those with a version that can be used come first, then the names decide.",
  })
  results: LibrarySearchResultType[];

  @Field(() => Int, { description: "Number of results on all pages." })
  total: number;

  @Field(() => String, { nullable: true, description: "The `cursor` for the next page. Null on the last page." })
  nextCursor: string | null;
}
