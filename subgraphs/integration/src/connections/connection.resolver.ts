import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { CreateConnectionInput } from "./connection.input.js";
import type { ConnectionService } from "./connection.service.js";
import { ConnectionType, readConnections } from "./connection.type.js";

@Resolver(() => ConnectionType)
export class ConnectionResolver {
  readonly #connections: ConnectionService;

  constructor(connections: ConnectionService) {
    this.#connections = connections;
  }

  @Query(() => ConnectionType, { description: "A connection of the tenant, and its health." })
  @Auth(readConnections)
  connection(
    @Arg("connectionId", () => ID) connectionId: string,
    @Ctx() context: RequestContext,
  ): Promise<ConnectionType> {
    return this.#connections.get(context, connectionId);
  }

  @Mutation(() => ConnectionType, {
    description:
      "Establishes a connection to a registered provider. It is Active and Healthy at once, and a run verifies it. A tenant has at most 1,000 connections.",
  })
  @Auth({ scopes: ["integration.connections.write"] })
  createConnection(
    @Arg("input") input: CreateConnectionInput,
    @Ctx() context: RequestContext,
  ): Promise<ConnectionType> {
    return this.#connections.create(context, input);
  }
}
