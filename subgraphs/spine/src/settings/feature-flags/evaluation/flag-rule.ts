import type { Operator, Stickiness } from "@factory/schema/vocabularies/settings";
/** A condition on one attribute in the evaluation context. A context that it matches has the flag. */
export interface FlagRule {
  readonly attribute: string;
  readonly operator: Operator;
  /** The operators NUM, DATE and SEMVER have exactly one. */
  readonly values: readonly string[];
  readonly inverted: boolean;
  readonly caseInsensitive: boolean;
}

/** The flag members that a caller sets. */
export interface FlagSettings {
  readonly enabled: boolean;
  readonly rolloutPercentage: number;
  readonly description: string | null;
  readonly stickiness: Stickiness;
  readonly rules: readonly FlagRule[];
}
