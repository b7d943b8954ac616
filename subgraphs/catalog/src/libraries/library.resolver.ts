import { Auth } from "@factory/runtime/subgraph/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { RegisterLibraryInput } from "./library.input.js";
import type { LibraryService } from "./library.service.js";
import { LibraryType } from "./library.type.js";

@Resolver(() => LibraryType)
export class LibraryResolver {
  readonly #libraries: LibraryService;

  constructor(libraries: LibraryService) {
    this.#libraries = libraries;
  }

  @Query(() => LibraryType)
  @Auth({ scopes: ["libraries.read"] })
  library(@Arg("libraryId", () => ID) libraryId: string, @Ctx() context: RequestContext): Promise<LibraryType> {
    return this.#libraries.get(context, libraryId);
  }

  @Mutation(() => LibraryType)
  @Auth({ scopes: ["libraries.write"] })
  registerLibrary(@Arg("input") input: RegisterLibraryInput, @Ctx() context: RequestContext): Promise<LibraryType> {
    return this.#libraries.register(context, input);
  }
}
