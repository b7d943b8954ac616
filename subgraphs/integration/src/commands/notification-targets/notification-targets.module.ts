import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { CommandConnections } from "../vendor-commands/command-connections.js";
import { notificationTargetEndpoint } from "./notification-target.endpoint.js";
import { NotificationTargetService } from "./notification-target.service.js";

/** The gRPC service by which the spine finds the ways to notify a tenant. */
export const notificationTargets: SliceModule = {
  slice: "notification-targets",
  grpcServices: (get, { database }) => [
    notificationTargetEndpoint(new NotificationTargetService(database, get(CommandConnections))),
  ],
};
