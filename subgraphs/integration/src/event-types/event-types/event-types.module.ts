import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { EventTypeResolver } from "./event-type.resolver.js";
import { EventTypeService } from "./event-type.service.js";

/** The list of event types, for people and programs that choose one. */
export const eventTypes: SliceModule = {
  slice: "event-types",
  start({ cursors }, services) {
    services.add(new EventTypeService(cursors));
  },
  resolvers: (get) => [new EventTypeResolver(get(EventTypeService))],
};
