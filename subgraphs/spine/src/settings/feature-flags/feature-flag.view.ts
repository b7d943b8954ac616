import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import type { FlagSettings } from "./evaluation/flag-rule.js";
import { FeatureFlag } from "./feature-flag.entity.js";
import type { FeatureFlagType, FeatureFlagVersionType } from "./feature-flag.type.js";
import { FeatureFlagVersion } from "./feature-flag-version.entity.js";

const settings = ["enabled", "rolloutPercentage", "description", "stickiness", "rules"] as const;
const flagMembers = ["key", ...settings, "version", "createdAt", "updatedAt", "updatedBy"] as const;

type ShownFlag = (typeof flagMembers)[number];

export type FlagRow = RowOf<FeatureFlag, ShownFlag>;

/** A flag's columns, with the name of their table. */
export const flagColumns = columnsOf(FeatureFlag, flagMembers, "feature_flags");
export const flagVersionColumns = columnsOf(FeatureFlagVersion);

export const readFlag = rowReader(FeatureFlag);
export const readVersion = rowReader(FeatureFlagVersion);

export const versionView = (version: RecordOf<FeatureFlagVersion>): FeatureFlagVersionType => ({
  ...settingsOf(version),
  key: version.key,
  version: version.version,
  change: version.change,
  changedAt: version.changedAt.toISOString(),
  changedBy: version.changedBy,
});

/** A FeatureFlag's members as a plain object, which can be spread. */
export type FlagFacts = { [Name in keyof FeatureFlagType]: FeatureFlagType[Name] };

export const flagView = (flag: RecordOf<FeatureFlag, ShownFlag>): FlagFacts => ({
  ...settingsOf(flag),
  key: flag.key,
  version: flag.version,
  createdAt: flag.createdAt.toISOString(),
  updatedAt: flag.updatedAt.toISOString(),
  updatedBy: flag.updatedBy,
});

/** The members that a caller sets, for a flag or one of its versions. */
export function settingsOf(flag: FlagSettings): FlagSettings {
  const { enabled, rolloutPercentage, description, stickiness, rules } = flag;
  return { enabled, rolloutPercentage, description, stickiness, rules };
}
