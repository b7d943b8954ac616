import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Query, Resolver } from "type-graphql";
import { ScaffoldFileConnection, ScaffoldFileType } from "./record/scaffold-file.type.js";
import { type ScaffoldFileService, sortedScaffoldFiles } from "./scaffold-file.service.js";

/** The query `scaffoldFiles`. */
@Resolver(() => ScaffoldFileType)
export class ScaffoldFileResolver {
  readonly #files: ScaffoldFileService;

  constructor(files: ScaffoldFileService) {
    this.#files = files;
  }

  @Query(() => ScaffoldFileConnection, {
    description: "The files that an execution created, updated, left unchanged or deleted in its target.",
  })
  @Auth({ scopes: ["templates.read", "templates.execute"] })
  scaffoldFiles(
    @Arg("scaffoldOutputId", () => ID) scaffoldOutputId: string,
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedScaffoldFiles) sort: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ScaffoldFileConnection> {
    return this.#files.list(context, { scaffoldOutputId, ...page, sort });
  }
}
