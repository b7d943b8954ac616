import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from "type-graphql";
import type { RunService } from "./run.service.js";
import { RunType, readRuns, waitDescription } from "./run.type.js";

/** The operations that read and cancel one run. */
@Resolver(() => RunType)
export class RunResolver {
  readonly #runs: RunService;

  constructor(runs: RunService) {
    this.#runs = runs;
  }

  @Query(() => RunType, { description: "One run: its state, its attempts and its end." })
  @Auth(readRuns)
  run(
    @Arg("runId", () => ID) runId: string,
    @Arg("waitSeconds", () => Int, { nullable: true, description: waitDescription }) waitSeconds:
      | number
      | null
      | undefined,
    @Ctx() context: RequestContext,
  ): Promise<RunType> {
    return this.#runs.get(context, runId, waitSeconds);
  }

  @Mutation(() => RunType, {
    description:
      "Ends a run that has not ended. A running attempt is aborted and its outcome is not applied; what it did at the vendor before is not undone. A run that moves money needs payments.write as well.",
  })
  @Auth({ scopes: ["integration.connections.write"] })
  cancelRun(@Arg("runId", () => ID) runId: string, @Ctx() context: RequestContext): Promise<RunType> {
    return this.#runs.cancel(context, runId);
  }
}
