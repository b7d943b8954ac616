import { Auth } from "@factory/runtime/graphql/auth";
import { ExpectedVersion, preconditionsOf } from "@factory/runtime/input-validation/expected-version";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Int, Mutation, Resolver } from "type-graphql";
import { ConnectionMoveInput, UpdateConnectionInput, waitSecondsDescription } from "./connection.input.js";
import { ConnectionType } from "./connection.type.js";
import type { ConnectionChangeService } from "./connection-change.service.js";
import type { ConnectionLifecycleService } from "./connection-lifecycle.service.js";

const write = { scopes: ["integration.connections.write"] } as const;

@Resolver(() => ConnectionType)
export class ConnectionLifecycleResolver {
  readonly #changes: ConnectionChangeService;
  readonly #lifecycle: ConnectionLifecycleService;

  constructor(changes: ConnectionChangeService, lifecycle: ConnectionLifecycleService) {
    this.#changes = changes;
    this.#lifecycle = lifecycle;
  }

  @Mutation(() => ConnectionType, {
    description:
      "Changes the members that are given. A change of the credential or the configuration starts a VerifyConnection run.",
  })
  @Auth(write)
  updateConnection(
    @Arg("connectionId", () => ID) connectionId: string,
    @Arg("input") input: UpdateConnectionInput,
    @Args(() => ExpectedVersion) expected: ExpectedVersion,
    @Arg("waitSeconds", () => Int, waitSecondsDescription) waitSeconds: number | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ConnectionType> {
    return this.#changes.change(context, { connectionId, input, ...preconditionsOf(expected), waitSeconds });
  }

  @Mutation(() => ConnectionType, { description: "Stops the use of an Active connection until it is resumed." })
  @Auth(write)
  suspendConnection(
    @Arg("connectionId", () => ID) connectionId: string,
    @Arg("input", () => ConnectionMoveInput, { nullable: true }) input: ConnectionMoveInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ConnectionType> {
    return this.#lifecycle.suspend(context, { connectionId, reason: input?.reason });
  }

  @Mutation(() => ConnectionType, {
    description:
      "Makes a Suspended connection Active. A Disabled one stays Disabled until the probe of the started VerifyConnection run passes, or that run has found nothing to check.",
  })
  @Auth(write)
  resumeConnection(
    @Arg("connectionId", () => ID) connectionId: string,
    @Arg("input", () => ConnectionMoveInput, { nullable: true }) input: ConnectionMoveInput | null | undefined,
    @Arg("waitSeconds", () => Int, waitSecondsDescription) waitSeconds: number | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ConnectionType> {
    return this.#lifecycle.resume(context, { connectionId, reason: input?.reason, waitSeconds });
  }

  @Mutation(() => ConnectionType, {
    description: "Deletes a connection for good. Its open runs end as Cancelled, and its tokens are deleted.",
  })
  @Auth(write)
  deleteConnection(
    @Arg("connectionId", () => ID) connectionId: string,
    @Args(() => ExpectedVersion) expected: ExpectedVersion,
    @Ctx() context: RequestContext,
  ): Promise<ConnectionType> {
    return this.#lifecycle.delete(context, { connectionId, ...preconditionsOf(expected) });
  }
}
