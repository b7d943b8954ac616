import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { ChangeLibraryCapabilitiesInput, LibraryFilterInput, RegisterLibraryInput } from "./library.input.js";
import type { LibraryService } from "./library.service.js";
import { LibraryConnection, LibraryType } from "./library.type.js";
import { type LibraryListService, sortedLibraries } from "./library-list.service.js";

/** The GraphQL operations on libraries. */
@Resolver(() => LibraryType)
export class LibraryResolver {
  readonly #libraries: LibraryService;
  readonly #lists: LibraryListService;

  constructor(libraries: LibraryService, lists: LibraryListService) {
    this.#libraries = libraries;
    this.#lists = lists;
  }

  @Query(() => LibraryType, { description: "A library with its versions." })
  @Auth({ scopes: ["libraries.read"] })
  library(@Arg("libraryId", () => ID) libraryId: string, @Ctx() context: RequestContext): Promise<LibraryType> {
    return this.#libraries.get(context, libraryId);
  }

  @Query(() => LibraryConnection, {
    description: "The libraries of the tenant, page by page, with their total number.",
  })
  @Auth({ scopes: ["libraries.read"] })
  libraries(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedLibraries) sort: string | null | undefined,
    @Arg("filter", () => LibraryFilterInput, { nullable: true }) filter: LibraryFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<LibraryConnection> {
    return this.#lists.list(context, { ...page, sort, filter });
  }

  @Mutation(() => LibraryType, {
    description:
      "Registers a library. Its versions are Published at once. The package name must be unique in the tenant, ignoring case.",
  })
  @Auth({ scopes: ["libraries.write"] })
  registerLibrary(@Arg("input") input: RegisterLibraryInput, @Ctx() context: RequestContext): Promise<LibraryType> {
    return this.#libraries.register(context, input);
  }

  @Mutation(() => LibraryType, {
    description:
      "Adds, replaces and removes capabilities of a library, also of an imported one. Searches and evaluations use them at once.",
  })
  @Auth({ scopes: ["libraries.write"] })
  changeLibraryCapabilities(
    @Arg("libraryId", () => ID) libraryId: string,
    @Arg("input") input: ChangeLibraryCapabilitiesInput,
    @Ctx() context: RequestContext,
  ): Promise<LibraryType> {
    return this.#libraries.changeCapabilities(context, libraryId, input);
  }
}
