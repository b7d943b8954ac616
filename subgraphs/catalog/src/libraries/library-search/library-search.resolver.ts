import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, Query, Resolver } from "type-graphql";
import { SearchLibrariesInput } from "./library-search.input.js";
import type { LibrarySearchService } from "./library-search.service.js";
import { LibrarySearchResultsType } from "./library-search.type.js";

/** The GraphQL query that searches libraries. */
@Resolver(() => LibrarySearchResultsType)
export class LibrarySearchResolver {
  readonly #search: LibrarySearchService;

  constructor(search: LibrarySearchService) {
    this.#search = search;
  }

  @Query(() => LibrarySearchResultsType, {
    description:
      "Finds libraries by capability, the best match first. With includeApiClients the API clients of registered providers are found too.",
  })
  @Auth({ scopes: ["libraries.read"] })
  searchLibraries(
    @Arg("input") input: SearchLibrariesInput,
    @Ctx() context: RequestContext,
  ): Promise<LibrarySearchResultsType> {
    return this.#search.search(context, input);
  }
}
