import { Auth } from "@factory/runtime/graphql/auth";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Resolver, Root, Subscription } from "type-graphql";
import type { UnreadCountService, UnreadCountStep } from "./inbox/unread-count.service.js";
import { UnreadCountType } from "./inbox/unread-count.type.js";

/**
 * Creates the resolver of Subscription.notificationUnreadCount. Each service gets its own class, since `subscribe` is a
 * decorator option and has no access to an instance.
 */
export function unreadCountResolver(counts: UnreadCountService): object {
  @Resolver(() => UnreadCountType)
  class UnreadCountResolver {
    @Subscription(() => UnreadCountType, {
      description:
        "The number of unread in-app notifications of the person of the token, now and after each change. A service names the user.",
      subscribe: ({ args, context }) =>
        counts.watch(context as RequestContext, (args as { recipientUserId?: string | null }).recipientUserId),
    })
    @Auth({ scopes: ["notification.read"] })
    notificationUnreadCount(
      @Root() item: UnreadCountStep | FeedEnd,
      @Ctx() context: RequestContext,
      @Arg("recipientUserId", () => ID, { nullable: true }) _recipientUserId?: string,
    ): UnreadCountType {
      if (item instanceof FeedEnd) throw toGraphqlError(item.reason, context);
      return item;
    }
  }
  return new UnreadCountResolver();
}
