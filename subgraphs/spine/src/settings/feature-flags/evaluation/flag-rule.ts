/** The rule operators, which mean the same as in Unleash. */
export const operators = [
  "IN",
  "NOT_IN",
  "STR_CONTAINS",
  "STR_STARTS_WITH",
  "STR_ENDS_WITH",
  "NUM_EQ",
  "NUM_GT",
  "NUM_GTE",
  "NUM_LT",
  "NUM_LTE",
  "DATE_AFTER",
  "DATE_BEFORE",
  "SEMVER_EQ",
  "SEMVER_GT",
  "SEMVER_LT",
] as const;

export type Operator = (typeof operators)[number];

/** A condition on one attribute in the evaluation context. A context that it matches has the flag. */
export interface FlagRule {
  readonly attribute: string;
  readonly operator: Operator;
  /** The operators NUM, DATE and SEMVER have exactly one. */
  readonly values: readonly string[];
  readonly inverted: boolean;
  readonly caseInsensitive: boolean;
}

/** How the share of contexts is chosen: by their targetingKey, or by the tenant as a whole. */
export const stickinesses = ["targetingKey", "tenant"] as const;

export type Stickiness = (typeof stickinesses)[number];

const flagChanges = ["Created", "Updated", "Restored", "Deleted"] as const;

/** The change that made a flag's version. */
export type FlagChange = (typeof flagChanges)[number];

/** The flag members that a caller sets. */
export interface FlagSettings {
  readonly enabled: boolean;
  readonly rolloutPercentage: number;
  readonly description: string | null;
  readonly stickiness: Stickiness;
  readonly rules: readonly FlagRule[];
}
