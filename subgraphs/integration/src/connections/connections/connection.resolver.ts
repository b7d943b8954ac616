import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from "type-graphql";
import { ConnectionFilterInput, CreateConnectionInput, waitSecondsDescription } from "./connection.input.js";
import type { ConnectionService } from "./connection.service.js";
import { ConnectionConnection, ConnectionType, readConnections } from "./connection.type.js";
import { type ConnectionListService, sortedConnections } from "./connection-list.service.js";

@Resolver(() => ConnectionType)
export class ConnectionResolver {
  readonly #connections: ConnectionService;
  readonly #lists: ConnectionListService;

  constructor(connections: ConnectionService, lists: ConnectionListService) {
    this.#connections = connections;
    this.#lists = lists;
  }

  @Query(() => ConnectionType, { description: "A connection of the tenant, and its health." })
  @Auth(readConnections)
  connection(
    @Arg("connectionId", () => ID) connectionId: string,
    @Ctx() context: RequestContext,
  ): Promise<ConnectionType> {
    return this.#connections.get(context, connectionId);
  }

  @Query(() => ConnectionConnection, { description: "The connections of the tenant." })
  @Auth(readConnections)
  connections(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedConnections) sort: string | null | undefined,
    @Arg("filter", () => ConnectionFilterInput, { nullable: true }) filter: ConnectionFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ConnectionConnection> {
    return this.#lists.list(context, { ...page, sort, filter });
  }

  @Mutation(() => ConnectionType, {
    description:
      "Establishes a connection to a registered provider. It is Active and Healthy at once, and a run verifies it. A tenant has at most 1,000 connections.",
  })
  @Auth({ scopes: ["integration.connections.write"] })
  createConnection(
    @Arg("input") input: CreateConnectionInput,
    @Arg("waitSeconds", () => Int, waitSecondsDescription) waitSeconds: number | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ConnectionType> {
    return this.#connections.create(context, input, waitSeconds);
  }
}
