import { Auth } from "@factory/runtime/graphql/auth";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import { startSequence } from "@factory/runtime/graphql/feed-start";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { Arg, Ctx, FieldResolver, ID, Int, Resolver, Root, Subscription } from "type-graphql";
import type { ExecutionService } from "./execution.service.js";
import { ExecutionStatusChangeType, ExecutionType } from "./record/execution.type.js";
import type { ExecutionFeedItem } from "./watch/execution-feed.js";

interface WatchArguments {
  readonly executionId: string;
  readonly after?: number | null;
}

/**
 * Creates the resolver of Subscription.executionStatusChanged. A class for each service, since `subscribe` is a
 * decorator option and has no access to an instance.
 */
export function executionStatusResolver(executions: ExecutionService): object {
  @Resolver(() => ExecutionStatusChangeType)
  class ExecutionStatusResolver {
    @Subscription(() => ExecutionStatusChangeType, {
      description:
        "Every step of an execution: first the steps after the given one, then live steps until it has ended.",
      subscribe: ({ args, context }) => {
        const { executionId, after } = args as WatchArguments;
        const caller = context as RequestContext;
        return executions.watch(caller, executionId, startSequence(caller, after));
      },
    })
    @Auth({ scopes: ["templates.read", "templates.execute"] })
    executionStatusChanged(
      @Root() item: ExecutionFeedItem,
      @Ctx() context: RequestContext,
      @Arg("executionId", () => ID) _executionId: string,
      @Arg("after", () => Int, { nullable: true }) _after?: number,
    ): ExecutionStatusChangeType {
      if (item instanceof FeedEnd) throw toGraphqlError(item.reason, context);
      return item;
    }

    @FieldResolver(() => ExecutionType, {
      description: "The execution as it is now. It may have made more steps than this one.",
    })
    @Auth({ scopes: ["templates.read", "templates.execute"] })
    execution(
      @Root() { executionId }: ExecutionStatusChangeType,
      @Ctx() context: RequestContext,
    ): Promise<ExecutionType | undefined> {
      return executions.find(tenantOf(context), executionId);
    }
  }
  return new ExecutionStatusResolver();
}
