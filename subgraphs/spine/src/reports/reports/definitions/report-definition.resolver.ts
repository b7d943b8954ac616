import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import { ReportDefinitionFilterInput } from "./report-definition.input.js";
import { type ReportDefinitionService, sortedReportDefinitions } from "./report-definition.service.js";
import { ReportDefinitionConnection } from "./report-definition.type.js";

/** The query `reportDefinitions`. */
@Resolver()
export class ReportDefinitionResolver {
  readonly #definitions: ReportDefinitionService;

  constructor(definitions: ReportDefinitionService) {
    this.#definitions = definitions;
  }

  @Query(() => ReportDefinitionConnection, { description: "The reports that the tenant can generate." })
  @Auth({ scopes: ["report.read"] })
  reportDefinitions(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedReportDefinitions) sort: string | null | undefined,
    @Arg("filter", () => ReportDefinitionFilterInput, { nullable: true })
    filter: ReportDefinitionFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ReportDefinitionConnection> {
    return this.#definitions.list(context, { ...page, sort, filter });
  }
}
