import { Auth } from "@factory/runtime/graphql/auth";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, Resolver, Root, Subscription } from "type-graphql";
import { eventReadScopes } from "../event-access/event-access.js";
import type { LoggedEvent } from "../event-log/logged-event.js";
import type { FeedItem } from "./event-feed.js";
import type { EventFeedService, EventsArguments } from "./event-feed.service.js";
import { PlatformEventType } from "./platform-event.type.js";

/** A class per service: `subscribe` is an option of the decorator and cannot reach an instance. */
export function eventsResolver(feeds: EventFeedService): object {
  @Resolver(() => PlatformEventType)
  class EventsResolver {
    @Subscription(() => PlatformEventType, {
      description:
        "Events of the token's tenant that its scopes may read: first those after the cursor, then live. A platform administrator's also tell what becomes of tenants (Tenant*), of all of them.",
      subscribe: ({ args, context }) => feeds.open(context as RequestContext, args as EventsArguments),
    })
    @Auth({ scopes: eventReadScopes })
    events(
      @Root() item: FeedItem,
      @Ctx() context: RequestContext,
      @Arg("types", () => [String], { nullable: true }) _types?: string[],
      @Arg("after", () => String, { nullable: true }) _after?: string,
    ): PlatformEventType {
      // the end of a feed is its last result: the transport stays open for other operations
      if (item instanceof FeedEnd) throw toGraphqlError(item.reason, context);
      return platformEvent(item);
    }
  }
  return new EventsResolver();
}

function platformEvent({ envelope, sequence }: LoggedEvent): PlatformEventType {
  return {
    eventId: envelope.id,
    type: envelope.type,
    time: envelope.time,
    tenantId: envelope.tenantid,
    source: envelope.source,
    subjectPath: envelope.subject,
    data: envelope.data,
    cursor: String(sequence),
    traceId: envelope.traceid,
    correlationId: envelope.correlationid,
    causationId: envelope.causationid ?? null,
    schemaVersion: envelope.schemaversion,
  };
}
