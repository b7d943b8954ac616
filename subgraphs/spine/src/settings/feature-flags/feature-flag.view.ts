import type { FlagChange, FlagRule, FlagSettings, Stickiness } from "./evaluation/flag-rule.js";
import type { FeatureFlag } from "./feature-flag.entity.js";
import type { FeatureFlagType, FeatureFlagVersionType } from "./feature-flag.type.js";

export const flagColumns =
  "key, enabled, rollout_percentage, description, stickiness, rules, version, created_at, updated_at, updated_by";

export const versionColumns =
  "key, version, change, enabled, rollout_percentage, description, stickiness, rules, changed_at, changed_by";

interface SettingsRow {
  key: string;
  enabled: boolean;
  rollout_percentage: number;
  description: string | null;
  stickiness: Stickiness;
  rules: FlagRule[];
  version: number;
}

/** A row of `feature_flags` as PostgreSQL returns it. */
export interface FlagRow extends SettingsRow {
  created_at: Date;
  updated_at: Date;
  updated_by: string;
}

/** A row of `feature_flag_versions` as PostgreSQL returns it. */
export interface FlagVersionRow extends SettingsRow {
  change: FlagChange;
  changed_at: Date;
  changed_by: string;
}

const settingsView = (row: SettingsRow) => ({
  key: row.key,
  enabled: row.enabled,
  rolloutPercentage: row.rollout_percentage,
  description: row.description,
  stickiness: row.stickiness,
  rules: row.rules,
  version: row.version,
});

export const flagRowView = (row: FlagRow): FeatureFlagType => ({
  ...settingsView(row),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  updatedBy: row.updated_by,
});

export const versionRowView = (row: FlagVersionRow): FeatureFlagVersionType => ({
  ...settingsView(row),
  change: row.change,
  changedAt: row.changed_at.toISOString(),
  changedBy: row.changed_by,
});

/** The members of a FeatureFlag as a plain object, which can be spread. */
export type FlagFacts = { [Name in keyof FeatureFlagType]: FeatureFlagType[Name] };

export const flagView = (flag: FeatureFlag): FlagFacts => ({
  ...settingsOf(flag),
  key: flag.key,
  version: flag.version,
  createdAt: flag.createdAt.toISOString(),
  updatedAt: flag.updatedAt.toISOString(),
  updatedBy: flag.updatedBy,
});

/** The members that a caller sets, of a flag or of one of its versions. */
export function settingsOf(flag: FlagSettings): FlagSettings {
  const { enabled, rolloutPercentage, description, stickiness, rules } = flag;
  return { enabled, rolloutPercentage, description, stickiness, rules };
}
