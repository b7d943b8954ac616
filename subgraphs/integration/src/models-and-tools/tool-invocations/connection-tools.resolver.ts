import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Query, Resolver } from "type-graphql";
import { readConnections } from "../../connections/connections/connection.type.js";
import { ConnectionToolConnection, ConnectionToolType } from "./connection-tool.type.js";
import { type ConnectionToolsService, sortedTools } from "./connection-tools.service.js";

@Resolver(() => ConnectionToolType)
export class ConnectionToolsResolver {
  readonly #tools: ConnectionToolsService;

  constructor(tools: ConnectionToolsService) {
    this.#tools = tools;
  }

  @Query(() => ConnectionToolConnection, {
    description:
      "The tools of a connection to a tool server, as the server has last listed them, with their states. updateConnection changes allowedTools in the configuration: names with commas between them, each perhaps with a final *.",
  })
  @Auth(readConnections)
  connectionTools(
    @Arg("connectionId", () => ID) connectionId: string,
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedTools) sort: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ConnectionToolConnection> {
    return this.#tools.list(context, connectionId, { ...page, sort });
  }
}
