import { Auth } from "@factory/runtime/graphql/auth";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import { startSequence } from "@factory/runtime/graphql/feed-start";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { Arg, Ctx, FieldResolver, ID, Int, Resolver, Root, Subscription } from "type-graphql";
import type { ReportRunService } from "./report-run.service.js";
import { ReportRunChangeType, ReportRunType, readReportRuns } from "./report-run.type.js";
import type { RunFeedItem } from "./run-feed.js";

interface FollowArguments {
  readonly reportRunId: string;
  readonly after?: number | null;
}

/**
 * Creates the resolver for Subscription.reportRunChanged. Each service gets its own class, since `subscribe` is a
 * decorator option and has no access to an instance.
 */
export function runChangeResolver(runs: ReportRunService): object {
  @Resolver(() => ReportRunChangeType)
  class RunChangeResolver {
    @Subscription(() => ReportRunChangeType, {
      description:
        "The state and progress of a report run: first as it is now, if that is newer than the given sequence, then each change until the run has ended.",
      subscribe: ({ args, context }) => {
        const { reportRunId, after } = args as FollowArguments;
        const caller = context as RequestContext;
        return runs.follow(caller, reportRunId, startSequence(caller, after));
      },
    })
    @Auth(readReportRuns)
    reportRunChanged(
      @Root() item: RunFeedItem,
      @Ctx() context: RequestContext,
      @Arg("reportRunId", () => ID) _reportRunId: string,
      @Arg("after", () => Int, { nullable: true }) _after?: number,
    ): ReportRunChangeType {
      if (item instanceof FeedEnd) throw toGraphqlError(item.reason, context);
      return item;
    }

    @FieldResolver(() => ReportRunType, { description: "The report run as it is now." })
    @Auth(readReportRuns)
    reportRun(
      @Root() { reportRunId }: ReportRunChangeType,
      @Ctx() context: RequestContext,
    ): Promise<ReportRunType | undefined> {
      return runs.find(tenantOf(context), reportRunId);
    }
  }
  return new RunChangeResolver();
}
