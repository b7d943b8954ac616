import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import { type ExecutionListService, sortedExecutions } from "./execution-list.service.js";
import { ExecutionConnection } from "./record/execution.type.js";
import { ExecutionFilterInput } from "./request/execution.input.js";

/** The query `executions`. */
@Resolver()
export class ExecutionListResolver {
  readonly #lists: ExecutionListService;

  constructor(lists: ExecutionListService) {
    this.#lists = lists;
  }

  @Query(() => ExecutionConnection, { description: "The executions of the tenant." })
  @Auth({ scopes: ["templates.read", "templates.execute"] })
  executions(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedExecutions) sort: string | null | undefined,
    @Arg("filter", () => ExecutionFilterInput, { nullable: true }) filter: ExecutionFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ExecutionConnection> {
    return this.#lists.list(context, { ...page, sort, filter });
  }
}
