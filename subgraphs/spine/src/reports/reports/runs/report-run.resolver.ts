import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { GenerateReportInput, ReportRunFilterInput } from "./report-run.input.js";
import type { ReportRunService } from "./report-run.service.js";
import { ReportRunConnection, ReportRunType, readReportRuns } from "./report-run.type.js";
import { type RunListService, sortedReportRuns } from "./run-list.service.js";

@Resolver(() => ReportRunType)
export class ReportRunResolver {
  readonly #runs: ReportRunService;
  readonly #lists: RunListService;

  constructor(runs: ReportRunService, lists: RunListService) {
    this.#runs = runs;
    this.#lists = lists;
  }

  @Query(() => ReportRunConnection, { description: "The report runs of the tenant." })
  @Auth(readReportRuns)
  reportRuns(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedReportRuns) sort: string | null | undefined,
    @Arg("filter", () => ReportRunFilterInput, { nullable: true }) filter: ReportRunFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ReportRunConnection> {
    return this.#lists.list(context, { ...page, sort, filter });
  }

  @Query(() => ReportRunType, { description: "One report run of the tenant." })
  @Auth(readReportRuns)
  reportRun(@Arg("reportRunId", () => ID) reportRunId: string, @Ctx() context: RequestContext): Promise<ReportRunType> {
    return this.#runs.get(context, reportRunId);
  }

  @Mutation(() => ReportRunType, {
    description:
      "Generates a report as a run. The run ends as Completed, Failed or Cancelled; its content is kept for 30 days.",
  })
  @Auth({ scopes: ["report.generate"] })
  generateReport(
    @Arg("reportDefinitionId", () => ID) reportDefinitionId: string,
    @Arg("input") input: GenerateReportInput,
    @Ctx() context: RequestContext,
  ): Promise<ReportRunType> {
    return this.#runs.generate(context, reportDefinitionId, input);
  }

  @Mutation(() => ReportRunType, { description: "Cancels a report run that has not ended." })
  @Auth({ scopes: ["report.generate"] })
  cancelReportRun(
    @Arg("reportRunId", () => ID) reportRunId: string,
    @Ctx() context: RequestContext,
  ): Promise<ReportRunType> {
    return this.#runs.cancel(context, reportRunId);
  }

  @Mutation(() => ReportRunType, {
    description: "Removes the content of a Completed report run before its time, which gives room to other runs.",
  })
  @Auth({ scopes: ["report.generate"] })
  expireReportRun(
    @Arg("reportRunId", () => ID) reportRunId: string,
    @Ctx() context: RequestContext,
  ): Promise<ReportRunType> {
    return this.#runs.expire(context, reportRunId);
  }
}
