import { enumType } from "@factory/runtime/graphql/enum-type";
import { catalogItemKinds, catalogTexts } from "@factory/schema/vocabularies/templates";
import { Field, ID, Int, ObjectType } from "type-graphql";

export const CatalogItemKinds = enumType(catalogItemKinds);

const CatalogTexts = enumType(catalogTexts);

@ObjectType("CatalogSearchResult", { simpleResolvers: true })
export class CatalogSearchResultType {
  @Field(() => CatalogItemKinds)
  kind: keyof typeof CatalogItemKinds;

  @Field(() => ID, { description: "The templateId or the libraryId." })
  itemId: string;

  @Field({ description: "The name of the template, or the package name of the library." })
  name: string;

  @Field(() => String, { nullable: true, description: "The own title, or the one that the content has." })
  title: string | null;

  @Field(() => String, { nullable: true, description: "The first 1,000 characters." })
  description: string | null;

  @Field(() => [String], {
    description: "The tags, with category or area, and the short names and classifications of a template's content.",
  })
  tags: string[];

  @Field(() => [String], { description: "The capabilities of a library with their contracts." })
  capabilities: string[];

  @Field(() => CatalogTexts, { description: "The most important text that has a word of the query." })
  matchedIn: keyof typeof CatalogTexts;
}

@ObjectType("CatalogSearchResults", { simpleResolvers: true })
export class CatalogSearchResultsType {
  @Field(() => [CatalogSearchResultType], {
    description: "The best match first. Among equal matches, the names decide.",
  })
  results: CatalogSearchResultType[];

  @Field(() => Int, { description: "Number of results on all pages." })
  total: number;

  @Field(() => String, { nullable: true, description: "The `cursor` for the next page. Null on the last page." })
  nextCursor: string | null;

  @Field({
    description:
      "False while texts of the tenant are still added to the index, as after an upgrade. Search again then.",
  })
  complete: boolean;
}
