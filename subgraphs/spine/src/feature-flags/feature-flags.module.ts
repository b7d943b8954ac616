import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { FeatureFlag } from "./feature-flag.entity.js";
import { FeatureFlagResolver } from "./feature-flag.resolver.js";
import { FeatureFlagService } from "./feature-flag.service.js";
import { FeatureFlagSet } from "./feature-flag-set.entity.js";
import { FeatureFlagVersion } from "./feature-flag-version.entity.js";

/** Feature flags of a tenant, their rules and their history. */
export const featureFlags: SliceModule = {
  slice: "feature-flags",
  entities: [FeatureFlagSet, FeatureFlag, FeatureFlagVersion],
  events: ["FeatureFlagUpdated"],
  start({ database, cursors }, services) {
    services.add(new FeatureFlagService(database, cursors));
  },
  resolvers: (get) => [new FeatureFlagResolver(get(FeatureFlagService))],
};
