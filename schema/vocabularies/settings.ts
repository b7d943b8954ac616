import { type ValueOf, vocabulary } from "./vocabulary.js";

export const flagOperators = vocabulary(
  "FeatureFlagOperator",
  "The comparisons of a rule, which mean the same as in Unleash.",
  {
    IN: "The attribute is one of the values.",
    NOT_IN: "The attribute is none of the values.",
    STR_CONTAINS: "The attribute contains one of the values.",
    STR_STARTS_WITH: "The attribute begins with one of the values.",
    STR_ENDS_WITH: "The attribute ends with one of the values.",
    NUM_EQ: "The attribute is the number.",
    NUM_GT: "The attribute is greater than the number.",
    NUM_GTE: "The attribute is the number, or greater.",
    NUM_LT: "The attribute is less than the number.",
    NUM_LTE: "The attribute is the number, or less.",
    DATE_AFTER: "The attribute is a time after the value.",
    DATE_BEFORE: "The attribute is a time before the value.",
    SEMVER_EQ: "The attribute is the version.",
    SEMVER_GT: "The attribute is a newer version.",
    SEMVER_LT: "The attribute is an older version.",
  },
);
export type Operator = ValueOf<typeof flagOperators>;

export const stickinesses = vocabulary(
  "FeatureFlagStickiness",
  "The ids by which a flag's share of contexts is chosen.",
  {
    targetingKey: "The targetingKey, so that a context keeps its answer.",
    tenant: "The tenant, so that all its contexts get the same answer.",
  },
);
export type Stickiness = ValueOf<typeof stickinesses>;

export const flagChanges = vocabulary("FeatureFlagChange", "The changes that make a new version of a flag.", {
  Created: "The flag is new.",
  Updated: "The flag has new settings.",
  Restored: "The flag has the settings of an earlier version.",
  Deleted: "The flag is deleted.",
});
export type FlagChange = ValueOf<typeof flagChanges>;

export const configurationChanges = vocabulary(
  "ConfigurationChange",
  "The changes that make a new version of an entry.",
  {
    Set: "The entry has a new value.",
    Restored: "The entry has the value of an earlier version.",
    Deleted: "The entry is deleted.",
  },
);
export type ConfigurationChange = ValueOf<typeof configurationChanges>;

export const settingOwners = vocabulary("SettingOwner", "The sides that set the value of a setting.", {
  Tenant: "The tenant, by a configuration entry.",
  Platform: "A platform administrator, by setTenantLimits.",
});
export type SettingOwner = ValueOf<typeof settingOwners>;

export const weakerValues = vocabulary("WeakerValue", "The conditions for a value that protects less.", {
  Free: "Nothing more than every other value.",
  RecentSignIn: "A person who signed in at most 15 minutes ago.",
  SecondPerson: "A person who signed in at most 15 minutes ago, and the approval of another person.",
});
export type WeakerValue = ValueOf<typeof weakerValues>;
