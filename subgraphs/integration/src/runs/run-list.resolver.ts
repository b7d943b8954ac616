import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import { RunFilterInput } from "./run.input.js";
import { RunConnection, readRuns } from "./run.type.js";
import { type RunListService, sortedRuns } from "./run-list.service.js";

/** The query `runs`. */
@Resolver()
export class RunListResolver {
  readonly #lists: RunListService;

  constructor(lists: RunListService) {
    this.#lists = lists;
  }

  @Query(() => RunConnection, { description: "The runs of the tenant." })
  @Auth(readRuns)
  runs(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedRuns) sort: string | null | undefined,
    @Arg("filter", () => RunFilterInput, { nullable: true }) filter: RunFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<RunConnection> {
    return this.#lists.list(context, { ...page, sort, filter });
  }
}
