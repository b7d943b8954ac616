import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { Arg, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { LibraryService } from "../../libraries/libraries/library.service.js";
import { LibraryType } from "../../libraries/libraries/library.type.js";
import type { TemplateService } from "../templates/template.service.js";
import { TemplateType } from "../templates/template.type.js";
import { SearchCatalogInput } from "./catalog-search.input.js";
import type { CatalogSearchService } from "./catalog-search.service.js";
import { CatalogSearchResultsType, CatalogSearchResultType } from "./catalog-search.type.js";

/** The GraphQL query that searches templates and libraries. */
@Resolver(() => CatalogSearchResultType)
export class CatalogSearchResolver {
  readonly #search: CatalogSearchService;
  readonly #templates: TemplateService;
  readonly #libraries: LibraryService;

  constructor(search: CatalogSearchService, templates: TemplateService, libraries: LibraryService) {
    this.#search = search;
    this.#templates = templates;
    this.#libraries = libraries;
  }

  @Query(() => CatalogSearchResultsType, {
    description:
      "Finds templates and libraries by their names, titles, descriptions, tags and capabilities, the best match first.",
  })
  @Auth({ scopes: ["templates.read", "libraries.read"] })
  searchCatalog(
    @Arg("input") input: SearchCatalogInput,
    @Ctx() context: RequestContext,
  ): Promise<CatalogSearchResultsType> {
    return this.#search.search(context, input);
  }

  @FieldResolver(() => TemplateType, { nullable: true, description: "The template, where the kind is Template." })
  async template(
    @Root() { kind, itemId }: CatalogSearchResultType,
    @Ctx() context: RequestContext,
  ): Promise<TemplateType | null> {
    return kind === "Template" ? ((await this.#templates.find(tenantOf(context), itemId)) ?? null) : null;
  }

  @FieldResolver(() => LibraryType, { nullable: true, description: "The library, where the kind is Library." })
  async library(
    @Root() { kind, itemId }: CatalogSearchResultType,
    @Ctx() context: RequestContext,
  ): Promise<LibraryType | null> {
    return kind === "Library" ? ((await this.#libraries.find(tenantOf(context), itemId)) ?? null) : null;
  }
}
