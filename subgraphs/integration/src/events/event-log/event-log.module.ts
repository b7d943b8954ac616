import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { WebhookMessageService } from "../../webhooks/webhook-messages/webhook-message.service.js";
import { eventLogRetention } from "./event-log.retention.js";
import { EventLogService } from "./event-log.service.js";
import { EventLogEntry } from "./event-log-entry.entity.js";
import { EventLogHead } from "./event-log-head.entity.js";
import { EventLogHorizon } from "./event-log-horizon.entity.js";

/** The log with all subgraphs' events, filled from the bus. */
export const eventLog: SliceModule = {
  slice: "event-log",
  entities: [EventLogEntry, EventLogHead, EventLogHorizon],
  foreignKeys: {
    "event_log.event_id": { to: null, why: "The rows belong to other schemas; the log keeps its own copy." },
  },
  start({ database, consume }, services) {
    const log = services.add(new EventLogService(database, services.get(WebhookMessageService)));
    consume({ group: "integration.event-log", handle: (batch) => log.take(batch) });
  },
  retention: () => [eventLogRetention],
};
