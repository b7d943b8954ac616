import { Auth } from "@factory/runtime/subgraph/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { RegisterLibraryInput, SearchLibrariesInput } from "./library.input.js";
import type { LibraryService } from "./library.service.js";
import { LibrarySearchResultsType, LibraryType } from "./library.type.js";
import type { LibrarySearchService } from "./library-search.service.js";

@Resolver(() => LibraryType)
export class LibraryResolver {
  readonly #libraries: LibraryService;
  readonly #search: LibrarySearchService;

  constructor(libraries: LibraryService, search: LibrarySearchService) {
    this.#libraries = libraries;
    this.#search = search;
  }

  @Query(() => LibraryType)
  @Auth({ scopes: ["libraries.read"] })
  library(@Arg("libraryId", () => ID) libraryId: string, @Ctx() context: RequestContext): Promise<LibraryType> {
    return this.#libraries.get(context, libraryId);
  }

  @Query(() => LibrarySearchResultsType)
  @Auth({ scopes: ["libraries.read"] })
  searchLibraries(
    @Arg("input") input: SearchLibrariesInput,
    @Ctx() context: RequestContext,
  ): Promise<LibrarySearchResultsType> {
    return this.#search.search(context, input);
  }

  @Mutation(() => LibraryType)
  @Auth({ scopes: ["libraries.write"] })
  registerLibrary(@Arg("input") input: RegisterLibraryInput, @Ctx() context: RequestContext): Promise<LibraryType> {
    return this.#libraries.register(context, input);
  }
}
