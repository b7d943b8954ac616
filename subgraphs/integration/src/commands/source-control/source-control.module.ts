import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { ConnectionService } from "../../connections/connections/connection.service.js";
import { VendorCalls } from "../../connections/vendor-calls/vendor-calls.js";
import { VendorLogins } from "../../connections/vendor-calls/vendor-logins.js";
import { DeliveryHandlers } from "../../deliveries/delivery-handling/delivery-handlers.js";
import { ProviderService } from "../../providers/providers/provider.service.js";
import { reportPullRequest } from "./pull-request-reports.js";
import { sourceControlEndpoint } from "./source-control.endpoint.js";
import { SourceControlService } from "./source-control.service.js";

/** Pushes and pull requests at tenants' source-control vendors, for the catalog. */
export const sourceControl: SliceModule = {
  slice: "source-control",
  events: ["PullRequestReported"],
  start({ logger }, services) {
    services.get(DeliveryHandlers).add(reportPullRequest);
    services.add(
      new SourceControlService({
        connections: services.get(ConnectionService),
        providers: services.get(ProviderService),
        calls: services.get(VendorCalls),
        logins: services.get(VendorLogins),
        logger,
      }),
    );
  },
  grpcServices: (get) => [sourceControlEndpoint(get(SourceControlService))],
};
