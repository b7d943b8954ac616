import { tenantKey } from "@factory/runtime/graphql/entity-reference";
import { heldObjectResolver, keyIdResolver } from "@factory/runtime/graphql/object-fields";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { FeatureFlag } from "./feature-flag.entity.js";
import { FeatureFlagResolver } from "./feature-flag.resolver.js";
import { FeatureFlagService } from "./feature-flag.service.js";
import { FeatureFlagType, SetFeatureFlagType } from "./feature-flag.type.js";
import { FeatureFlagSet } from "./feature-flag-set.entity.js";
import { FeatureFlagVersion } from "./feature-flag-version.entity.js";
import { FlagEvaluation } from "./flag-evaluation.js";
import { FlagSets } from "./flag-sets.js";
import { StreamTickets } from "./stream-tickets.js";

export interface FeatureFlagSettings {
  readonly masterKeys: MasterKeys;
}

/** A tenant's feature flags, their rules and their history. */
export const featureFlags: SliceModule<FeatureFlagSettings> = {
  slice: "feature-flags",
  entities: [FeatureFlagSet, FeatureFlag, FeatureFlagVersion],
  events: ["FeatureFlagUpdated"],
  start({ settings, database, cursors, workers, listener, logger, onStarted, onStop }, services) {
    const sets = new FlagSets({ database, workers, listener, logger });
    services.add(new FlagEvaluation(sets, new StreamTickets(settings.masterKeys)));
    services.add(new FeatureFlagService(database, cursors, sets));
    onStarted(() => sets.start());
    onStop(() => sets.stop());
  },
  resolvers: (get) => [
    new FeatureFlagResolver(get(FeatureFlagService)),
    keyIdResolver(FeatureFlagType, "flg"),
    heldObjectResolver(SetFeatureFlagType, FeatureFlagType, {
      name: "flag",
      description: "The flag after the change.",
    }),
  ],
  references(get) {
    const service = get(FeatureFlagService);
    return {
      FeatureFlag: {
        id: tenantKey("flg"),
        auth: { scopes: ["config.read"] },
        resolve: ({ key = "" }, context) => service.get(context, key),
      },
    };
  },
};
