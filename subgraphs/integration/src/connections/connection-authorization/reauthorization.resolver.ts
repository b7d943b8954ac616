import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { ConnectionType } from "../connections/connection.type.js";
import type { ReauthorizationService } from "./reauthorization.service.js";

@Resolver(() => ConnectionType)
export class ReauthorizationResolver {
  readonly #service: ReauthorizationService;

  constructor(service: ReauthorizationService) {
    this.#service = service;
  }

  @Mutation(() => ConnectionType, {
    description:
      "Makes a link for 10 minutes, by which a person allows the platform to use the account (OAuth2AuthorizationCode). An earlier link of the connection ends.",
  })
  @Auth({ scopes: ["integration.connections.write"] })
  reauthorizeConnection(
    @Arg("connectionId", () => ID) connectionId: string,
    @Ctx() context: RequestContext,
  ): Promise<ConnectionType> {
    return this.#service.reauthorize(context, connectionId);
  }
}
