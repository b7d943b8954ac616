import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import type { Operator } from "@factory/schema/vocabularies/settings";
import { parseDate, parseNumber, parseSemver } from "./evaluation/attribute-values.js";
import { searchWeight } from "./evaluation/compiled-rule.js";
import { type FlagRule, type FlagSettings } from "./evaluation/flag-rule.js";
import type { FeatureFlagRuleInput, SetFeatureFlagInput } from "./feature-flag.input.js";

/** The number of values in all rules that one flag has. */
const maxFlagValues = 1000;

const parsers: Record<string, readonly [parse: (text: string) => unknown, form: string]> = {
  NUM: [parseNumber, "a number, for example 18 or -0.5"],
  DATE: [parseDate, "a point in time as RFC 3339, for example 2027-01-31T12:00:00Z"],
  SEMVER: [parseSemver, "a semantic version without a leading v, for example 1.4.0"],
};

/** An input's settings with their defaults. Throws FEATURE_FLAG_INVALID with an entry for each refused value. */
export function settingsFrom(input: SetFeatureFlagInput): FlagSettings {
  const rules = input.rules ?? [];
  const stickiness = input.stickiness ?? "targetingKey";
  const errors = rules.flatMap(ruleErrors);
  if (valueCountOf({ rules }) > maxFlagValues)
    errors.push({
      pointer: "/input/rules",
      code: "TOO_MANY",
      detail: `The rules of a flag may have at most ${maxFlagValues} values together. A value of STR_CONTAINS counts as ${searchWeight}.`,
    });
  if (errors.length > 0)
    throw new DomainError("FEATURE_FLAG_INVALID", {
      detail: "The flag has values that are not allowed. See errors.",
      errors,
    });
  return {
    enabled: input.enabled,
    rolloutPercentage: input.rolloutPercentage ?? 100,
    description: input.description ?? null,
    stickiness,
    rules: rules.map(ruleOf),
  };
}

/** A rule in an input or a stored flag. */
interface CountedRule {
  readonly operator: string;
  readonly values: readonly string[];
}

/** The number of values in a flag's rules, by the work of their comparison: a value for STR_CONTAINS counts as 20. */
export const valueCountOf = ({ rules }: { rules: readonly CountedRule[] }): number =>
  rules.reduce(
    (sum, { operator, values }) => sum + values.length * (operator === "STR_CONTAINS" ? searchWeight : 1),
    0,
  );

const ruleOf = ({ attribute, operator, values, inverted, caseInsensitive }: FeatureFlagRuleInput): FlagRule => ({
  attribute,
  operator: operator as Operator,
  values,
  inverted: inverted ?? false,
  caseInsensitive: caseInsensitive ?? false,
});

function ruleErrors({ operator, values }: FeatureFlagRuleInput, at: number): FieldError[] {
  const pointer = `/input/rules/${at}`;
  const parser = parsers[operator.split("_", 1)[0] ?? ""];
  if (!parser) return [];
  const [parse, form] = parser;
  if (values.length !== 1)
    return [{ pointer: `${pointer}/values`, code: "TOO_MANY", detail: `${operator} takes exactly one value.` }];
  return parse(values[0] ?? "") === undefined
    ? [{ pointer: `${pointer}/values/0`, code: "FORMAT", detail: `Must be ${form}.` }]
    : [];
}
