import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { PermissionLossHandlers } from "./permission-loss.js";

/** Rules that several slices share: the active principal, held scopes, and lost permissions. */
export const accessControl: SliceModule = {
  slice: "access-control",
  start(_, services) {
    services.add(new PermissionLossHandlers());
  },
};
