import { Auth } from "@factory/runtime/graphql/auth";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { eventReadScopes } from "@factory/schema/event-names";
import { Arg, Ctx, Resolver, Root, Subscription } from "type-graphql";
import type { LoggedEvent } from "../event-log/logged-event.js";
import type { FeedItem } from "./event-feed.js";
import type { EventFeedService, EventsArguments } from "./event-feed.service.js";
import { PlatformEventType } from "./platform-event.type.js";

/**
 * Creates the subscription's resolver. The class is made for each service, because `subscribe` is an option in the
 * decorator, which has no access to an instance.
 */
export function eventsResolver(feeds: EventFeedService): object {
  @Resolver(() => PlatformEventType)
  class EventsResolver {
    @Subscription(() => PlatformEventType, {
      description:
        "The events of the tenant that the scopes of the token may read: first the stored ones after the cursor, then new ones. A platform administrator also receives the Tenant* events of all tenants.",
      subscribe: ({ args, context }) => feeds.open(context as RequestContext, args as EventsArguments),
    })
    @Auth({ scopes: eventReadScopes })
    events(
      @Root() item: FeedItem,
      @Ctx() context: RequestContext,
      @Arg("types", () => [String], { nullable: true }) _types?: string[],
      @Arg("after", () => String, { nullable: true }) _after?: string,
    ): PlatformEventType {
      // The error is the subscription's last result. The connection stays open for other operations.
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
