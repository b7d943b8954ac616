import { Auth } from "@factory/runtime/graphql/auth";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import { startSequence } from "@factory/runtime/graphql/feed-start";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { Arg, Ctx, FieldResolver, ID, Int, Resolver, Root, Subscription } from "type-graphql";
import type { RunService } from "./run.service.js";
import { RunStatusChangeType, RunType, readRuns } from "./run.type.js";
import type { RunFeedItem } from "./run-feed.js";

interface FollowArguments {
  readonly runId: string;
  readonly after?: number | null;
}

/**
 * Creates the resolver for Subscription.runStatusChanged. A class for each service, since `subscribe` is an option in
 * the decorator and has no access to an instance.
 */
export function runStatusResolver(runs: RunService): object {
  @Resolver(() => RunStatusChangeType)
  class RunStatusResolver {
    @Subscription(() => RunStatusChangeType, {
      description: "Every state of a run: first the states after the given one, then live states until it has ended.",
      subscribe: ({ args, context }) => {
        const { runId, after } = args as FollowArguments;
        const caller = context as RequestContext;
        return runs.follow(caller, runId, startSequence(caller, after));
      },
    })
    @Auth(readRuns)
    runStatusChanged(
      @Root() item: RunFeedItem,
      @Ctx() context: RequestContext,
      @Arg("runId", () => ID) _runId: string,
      @Arg("after", () => Int, { nullable: true }) _after?: number,
    ): RunStatusChangeType {
      if (item instanceof FeedEnd) throw toGraphqlError(item.reason, context);
      return item;
    }

    @FieldResolver(() => RunType, {
      description: "The run as it is now. It may have reached more states than this one.",
    })
    @Auth(readRuns)
    run(@Root() { runId }: RunStatusChangeType, @Ctx() context: RequestContext): Promise<RunType | undefined> {
      return runs.find(tenantOf(context), runId);
    }
  }
  return new RunStatusResolver();
}
