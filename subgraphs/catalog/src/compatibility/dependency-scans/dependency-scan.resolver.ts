import { Auth } from "@factory/runtime/graphql/auth";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { cycloneDx } from "./bill-of-materials/cyclone-dx.js";
import { ScanDependenciesInput } from "./dependency-scan.input.js";
import type { DependencyScanService } from "./dependency-scan.service.js";
import { type DependencyScanListService, sortedDependencyScans } from "./dependency-scan-list.service.js";
import { DependencyScanConnection, DependencyScanType } from "./record/dependency-scan.type.js";

/** The GraphQL operations for dependency scans. */
@Resolver(() => DependencyScanType)
export class DependencyScanResolver {
  readonly #scans: DependencyScanService;
  readonly #lists: DependencyScanListService;

  constructor(scans: DependencyScanService, lists: DependencyScanListService) {
    this.#scans = scans;
    this.#lists = lists;
  }

  @Query(() => DependencyScanType, { description: "A stored scan, exactly as it was answered." })
  @Auth({ scopes: ["templates.read", "libraries.read"] })
  dependencyScan(
    @Arg("dependencyScanId", () => ID) dependencyScanId: string,
    @Ctx() context: RequestContext,
  ): Promise<DependencyScanType> {
    return this.#scans.get(context, dependencyScanId);
  }

  @Query(() => DependencyScanConnection, { description: "The scans of one template version. The newest 20 are kept." })
  @Auth({ scopes: ["templates.read"] })
  dependencyScans(
    @Arg("templateVersionId", () => ID) templateVersionId: string,
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedDependencyScans) sort: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<DependencyScanConnection> {
    return this.#lists.list(context, templateVersionId, { ...page, sort });
  }

  @Mutation(() => DependencyScanType, {
    description:
      "Finds the packages of a template version (of its default render) or of a set of libraries, direct and transitive, and stores them with their known vulnerabilities. Only the catalog is asked: it lists what it does not have as Unknown.",
  })
  @Auth({ scopes: ["templates.write", "templates.execute"] })
  scanDependencies(
    @Arg("input") input: ScanDependenciesInput,
    @Ctx() context: RequestContext,
  ): Promise<DependencyScanType> {
    return this.#scans.scan(context, input);
  }

  @FieldResolver(() => JsonObject, { description: "The scan as a bill of materials: CycloneDX 1.6 in JSON." })
  @Auth({ scopes: ["templates.read", "libraries.read", "templates.write", "templates.execute"] })
  async cycloneDx(
    @Root() { dependencyScanId }: DependencyScanType,
    @Ctx() context: RequestContext,
  ): Promise<Record<string, unknown>> {
    return cycloneDx(await this.#scans.row(context, dependencyScanId));
  }
}
