import { NodeTypes } from "@factory/runtime/graphql/node-types";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { EventLogService } from "../event-log/event-log.service.js";
import { EventFeedService } from "./event-feed.service.js";
import { EventHub } from "./event-hub.js";
import { eventsResolver } from "./events.resolver.js";
import { PlatformEventResolver } from "./platform-event.resolver.js";
import { SubjectReferences } from "./subject-references.js";
import type { SubscriberLimits } from "./subscriber-queue.js";

export interface EventSettings {
  /** How much one subscriber to `events` may leave in its queue. */
  readonly subscriberLimits?: SubscriberLimits;
}

const defaultLimits: SubscriberLimits = { maxEvents: 1000, maxBytes: 1024 * 1024 };

/** The subscription `events`: stored events after a cursor, then new ones. */
export const events: SliceModule<EventSettings> = {
  slice: "events",
  async start({ workers, listener, logger, settings, onStop }, services) {
    const log = services.get(EventLogService);
    const hub = new EventHub(workers, logger);
    onStop(() => hub.stop());
    await hub.start(listener);
    services.add(new SubjectReferences(services.get(NodeTypes)));
    services.add(new EventFeedService({ log, hub, limits: settings.subscriberLimits ?? defaultLimits, logger }));
  },
  resolvers: (get) => [eventsResolver(get(EventFeedService)), new PlatformEventResolver(get(SubjectReferences))],
  links: {
    "PlatformEvent.eventId": { to: null, why: "The id of the event itself, which is read by its cursor." },
    "PlatformEvent.tenantId": { to: "Tenant" },
  },
};
