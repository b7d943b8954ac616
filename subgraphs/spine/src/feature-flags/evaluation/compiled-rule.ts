import { compareSemver, parseDate, parseNumber, parseSemver, type Semver } from "./attribute-values.js";
import type { EvaluationContext } from "./evaluation-context.js";
import type { FlagRule, Operator } from "./flag-rule.js";

/** Whether a context matches a rule. */
export type Matches = (context: EvaluationContext) => boolean;

type Compile = (rule: FlagRule) => Matches;

const never: Matches = () => false;

/** Prepares a rule, so that an evaluation reads only the context. */
export function compileRule(rule: FlagRule): Matches {
  const matches = compilers[rule.operator](rule);
  return rule.inverted ? (context) => !matches(context) : matches;
}

/** Unleash trims the values of a rule and ignores empty ones. */
const valuesOf = ({ values }: FlagRule) => values.map((value) => value.trim()).filter((value) => value !== "");

const isIn: Compile = (rule) => {
  const values = new Set(valuesOf(rule));
  return (context) => {
    const text = context.text(rule.attribute);
    return text !== undefined && values.has(text);
  };
};

/** Also true for a context without the attribute, as in Unleash. */
const isNotIn: Compile = (rule) => {
  const found = isIn(rule);
  return (context) => !found(context);
};

const text =
  (test: (text: string, value: string) => boolean): Compile =>
  (rule) => {
    const { attribute, caseInsensitive } = rule;
    const values = valuesOf(rule).map((value) => (caseInsensitive ? value.toLowerCase() : value));
    return (context) => {
      const given = caseInsensitive ? context.foldedText(attribute) : context.text(attribute);
      return given !== undefined && values.some((value) => test(given, value));
    };
  };

const number =
  (test: (given: number, value: number) => boolean): Compile =>
  ({ attribute, values: [first = ""] }) => {
    const value = parseNumber(first);
    if (value === undefined) return never;
    return (context) => {
      const given = context.number(attribute);
      return given !== undefined && test(given, value);
    };
  };

const date =
  (test: (given: number, value: number) => boolean): Compile =>
  ({ attribute, values: [first = ""] }) => {
    const value = parseDate(first);
    if (value === undefined) return never;
    return (context) => {
      const given = context.date(attribute);
      return given !== undefined && test(given, value);
    };
  };

const semver =
  (test: (order: number) => boolean): Compile =>
  ({ attribute, values: [first = ""] }) => {
    const value: Semver | undefined = parseSemver(first);
    if (value === undefined) return never;
    return (context) => {
      const given = context.semver(attribute);
      return given !== undefined && test(compareSemver(given, value));
    };
  };

const compilers: Record<Operator, Compile> = {
  IN: isIn,
  NOT_IN: isNotIn,
  STR_CONTAINS: text((given, value) => given.includes(value)),
  STR_STARTS_WITH: text((given, value) => given.startsWith(value)),
  STR_ENDS_WITH: text((given, value) => given.endsWith(value)),
  NUM_EQ: number((given, value) => given === value),
  NUM_GT: number((given, value) => given > value),
  NUM_GTE: number((given, value) => given >= value),
  NUM_LT: number((given, value) => given < value),
  NUM_LTE: number((given, value) => given <= value),
  DATE_AFTER: date((given, value) => given > value),
  DATE_BEFORE: date((given, value) => given < value),
  SEMVER_EQ: semver((order) => order === 0),
  SEMVER_GT: semver((order) => order > 0),
  SEMVER_LT: semver((order) => order < 0),
};
