import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { WebhookSubscriptionService } from "../../webhooks/webhook-subscriptions/webhook-subscription.service.js";
import { EventLogService } from "../event-log/event-log.service.js";
import { EventPullResolver } from "./event-pull.resolver.js";
import { EventPullService } from "./event-pull.service.js";

/** The pull mode for webhook subscriptions. */
export const eventPulls: SliceModule = {
  slice: "event-pulls",
  start({ cursors }, services) {
    const [log, subscriptions] = [services.get(EventLogService), services.get(WebhookSubscriptionService)];
    services.add(new EventPullService({ log, subscriptions, cursors }));
  },
  resolvers: (get) => [new EventPullResolver(get(EventPullService))],
};
