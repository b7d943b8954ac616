import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { HttpRoutes } from "./http-routes.js";

/** The registry for HTTP endpoints that slices add to the authorization server. */
export const httpEndpoints: SliceModule = {
  slice: "http-endpoints",
  start(_, services) {
    services.add(new HttpRoutes());
  },
};
