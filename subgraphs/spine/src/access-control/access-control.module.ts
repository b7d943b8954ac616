import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { PermissionLossHandlers } from "./permission-loss.js";

export const accessControl: SliceModule = {
  slice: "access-control",
  start(_, services) {
    services.add(new PermissionLossHandlers());
  },
};
