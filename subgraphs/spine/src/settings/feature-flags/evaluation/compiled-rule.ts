import type { Operator } from "@factory/schema/vocabularies/settings";
import { compareSemver, parseDate, parseNumber, parseSemver, type Semver } from "./attribute-values.js";
import type { EvaluationContext } from "./evaluation-context.js";
import type { FlagRule } from "./flag-rule.js";

/** Whether a context matches a rule. */
export type Matches = (context: EvaluationContext) => boolean;

type Compile = (rule: FlagRule) => Matches;

const never: Matches = () => false;

/** Prepares a rule, so that an evaluation reads only the context. */
export function compileRule(rule: FlagRule): Matches {
  const matches = compilers[rule.operator](rule);
  return rule.inverted ? (context) => !matches(context) : matches;
}

/** A search in a long text costs as much as many comparisons with whole texts. */
export const searchWeight = 20;

/** The greatest number of comparisons that a rule makes. A value for STR_CONTAINS counts as 20. */
export function stepsOf(rule: FlagRule): number {
  if (rule.operator === "STR_CONTAINS") return searchWeight * rule.values.length;
  return rule.operator === "STR_STARTS_WITH" || rule.operator === "STR_ENDS_WITH"
    ? lengthsOf(foldedValuesOf(rule)).length
    : 1;
}

/** Unleash trims a rule's values and ignores empty ones. */
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
  const matches = isIn(rule);
  return (context) => !matches(context);
};

const foldedValuesOf = (rule: FlagRule) =>
  valuesOf(rule).map((value) => (rule.caseInsensitive ? value.toLowerCase() : value));

const contains: Compile = (rule) => {
  const { attribute, caseInsensitive } = rule;
  const values = foldedValuesOf(rule);
  return (context) => {
    const text = caseInsensitive ? context.foldedText(attribute) : context.text(attribute);
    return text !== undefined && values.some((value) => text.includes(value));
  };
};

/** One comparison for each length, however many values there are. */
const affix =
  (part: "beginning" | "ending"): Compile =>
  (rule) => {
    const { attribute, caseInsensitive } = rule;
    const values = new Set(foldedValuesOf(rule));
    const lengths = lengthsOf(values);
    return (context) =>
      lengths.some((length) => {
        const text = context[part](attribute, length, caseInsensitive);
        return text !== undefined && values.has(text);
      });
  };

const lengthsOf = (values: Iterable<string>) => [...new Set(Array.from(values, ({ length }) => length))];

const number =
  (test: (given: number, value: number) => boolean): Compile =>
  ({ attribute, values: [first = ""] }) => {
    const value = parseNumber(first);
    if (value === undefined) return never;
    return (context) => {
      const attributeValue = context.number(attribute);
      return attributeValue !== undefined && test(attributeValue, value);
    };
  };

const date =
  (test: (given: number, value: number) => boolean): Compile =>
  ({ attribute, values: [first = ""] }) => {
    const value = parseDate(first);
    if (value === undefined) return never;
    return (context) => {
      const attributeValue = context.date(attribute);
      return attributeValue !== undefined && test(attributeValue, value);
    };
  };

const semver =
  (test: (order: number) => boolean): Compile =>
  ({ attribute, values: [first = ""] }) => {
    const value: Semver | undefined = parseSemver(first);
    if (value === undefined) return never;
    return (context) => {
      const attributeValue = context.semver(attribute);
      return attributeValue !== undefined && test(compareSemver(attributeValue, value));
    };
  };

const compilers: Record<Operator, Compile> = {
  IN: isIn,
  NOT_IN: isNotIn,
  STR_CONTAINS: contains,
  STR_STARTS_WITH: affix("beginning"),
  STR_ENDS_WITH: affix("ending"),
  NUM_EQ: number((attribute, value) => attribute === value),
  NUM_GT: number((attribute, value) => attribute > value),
  NUM_GTE: number((attribute, value) => attribute >= value),
  NUM_LT: number((attribute, value) => attribute < value),
  NUM_LTE: number((attribute, value) => attribute <= value),
  DATE_AFTER: date((attribute, value) => attribute > value),
  DATE_BEFORE: date((attribute, value) => attribute < value),
  SEMVER_EQ: semver((order) => order === 0),
  SEMVER_GT: semver((order) => order > 0),
  SEMVER_LT: semver((order) => order < 0),
};
