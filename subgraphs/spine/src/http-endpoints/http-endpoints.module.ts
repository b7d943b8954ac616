import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { HttpRoutes } from "./http-routes.js";

export const httpEndpoints: SliceModule = {
  slice: "http-endpoints",
  start(_, services) {
    services.add(new HttpRoutes());
  },
};
