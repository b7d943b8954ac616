import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Int, Mutation, Resolver } from "type-graphql";
import { RunType, waitDescription } from "../../runs/run.type.js";
import type { ConnectionHealthService } from "./connection-health.service.js";

@Resolver(() => RunType)
export class ConnectionHealthResolver {
  readonly #health: ConnectionHealthService;

  constructor(health: ConnectionHealthService) {
    this.#health = health;
  }

  @Mutation(() => RunType, {
    description:
      "Asks the vendor whether the connection works. A check of the connection that has not ended yet is returned instead of another one. The run changes the health of the connection.",
  })
  @Auth({ scopes: ["integration.connections.write"] })
  checkConnectionHealth(
    @Arg("connectionId", () => ID) connectionId: string,
    @Arg("waitSeconds", () => Int, { nullable: true, description: waitDescription }) waitSeconds:
      | number
      | null
      | undefined,
    @Ctx() context: RequestContext,
  ): Promise<RunType> {
    return this.#health.check(context, connectionId, waitSeconds);
  }
}
