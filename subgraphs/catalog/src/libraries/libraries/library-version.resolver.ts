import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import {
  DeprecateLibraryVersionInput,
  ImportLibraryPackageInput,
  RegisterLibraryVersionInput,
  RetireLibraryVersionInput,
} from "./library.input.js";
import { LibraryPackageImportType, LibraryVersionType } from "./library.type.js";
import type { LibraryImportService } from "./library-import.service.js";
import type { LibraryVersionService } from "./library-version.service.js";

/** The GraphQL operations on library versions. */
@Resolver(() => LibraryVersionType)
export class LibraryVersionResolver {
  readonly #versions: LibraryVersionService;
  readonly #imports: LibraryImportService;

  constructor(versions: LibraryVersionService, imports: LibraryImportService) {
    this.#versions = versions;
    this.#imports = imports;
  }

  @Mutation(() => LibraryVersionType, {
    description: "Registers a version of a library. It is Published at once, unless the input has publish: false.",
  })
  @Auth({ scopes: ["libraries.write"] })
  registerLibraryVersion(
    @Arg("libraryId", () => ID) libraryId: string,
    @Arg("input") input: RegisterLibraryVersionInput,
    @Ctx() context: RequestContext,
  ): Promise<LibraryVersionType> {
    return this.#versions.register(context, libraryId, input);
  }

  @Mutation(() => LibraryPackageImportType, {
    description: "Reads a .NET package and registers its version, and its library where that is missing.",
  })
  @Auth({ scopes: ["libraries.write"] })
  importLibraryPackage(
    @Arg("input") input: ImportLibraryPackageInput,
    @Ctx() context: RequestContext,
  ): Promise<LibraryPackageImportType> {
    return this.#imports.importPackage(context, input);
  }

  @Mutation(() => LibraryVersionType, { description: "Publishes a version that was registered with publish: false." })
  @Auth({ scopes: ["libraries.publish"] })
  publishLibraryVersion(
    @Arg("libraryVersionId", () => ID) libraryVersionId: string,
    @Ctx() context: RequestContext,
  ): Promise<LibraryVersionType> {
    return this.#versions.publish(context, libraryVersionId);
  }

  @Mutation(() => LibraryVersionType, {
    description: "Deprecates a Published version. The version can still be used; evaluations report an advisory.",
  })
  @Auth({ scopes: ["libraries.publish"] })
  deprecateLibraryVersion(
    @Arg("libraryVersionId", () => ID) libraryVersionId: string,
    @Arg("input") input: DeprecateLibraryVersionInput,
    @Ctx() context: RequestContext,
  ): Promise<LibraryVersionType> {
    return this.#versions.deprecate(context, libraryVersionId, input);
  }

  @Mutation(() => LibraryVersionType, {
    description: "Recalls a version. From now on every set with this version is incompatible.",
  })
  @Auth({ scopes: ["libraries.publish"] })
  retireLibraryVersion(
    @Arg("libraryVersionId", () => ID) libraryVersionId: string,
    @Arg("input") input: RetireLibraryVersionInput,
    @Ctx() context: RequestContext,
  ): Promise<LibraryVersionType> {
    return this.#versions.retire(context, libraryVersionId, input);
  }
}
