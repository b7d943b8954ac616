import type { Operator } from "@factory/schema/vocabularies/settings";
import { Strategy } from "unleash-client/lib/strategy/strategy.js";
import { compileRule } from "./compiled-rule.js";
import { EvaluationContext } from "./evaluation-context.js";
import type { FlagRule } from "./flag-rule.js";

const noon = Date.parse("2027-01-01T12:00:00Z");

const rule = (operator: Operator, values: string[], more: Partial<FlagRule> = {}): FlagRule => ({
  ...{ attribute: "given", operator, values, inverted: false, caseInsensitive: false, ...more },
});

function matches(flagRule: FlagRule, attributes: unknown): boolean {
  const context = EvaluationContext.read(attributes, () => noon);
  if (typeof context === "string") throw new Error(context);
  return compileRule(flagRule)(context);
}

/** The answer that unleash-client gives to the same constraint. */
const unleash = ({ attribute, operator, values, inverted, caseInsensitive }: FlagRule, attributes: object): boolean =>
  new Strategy("any").checkConstraint(
    {
      contextName: attribute,
      operator: operator as never,
      values: [...values],
      value: values[0] ?? "",
      inverted,
      caseInsensitive,
    },
    { properties: attributes as Record<string, string> },
  );

const cases: [FlagRule, unknown, boolean][] = [
  [rule("IN", ["a", " b "]), "b", true],
  [rule("IN", ["a"]), "A", false],
  [rule("IN", ["5"]), 5, true],
  [rule("IN", ["true"]), true, true],
  [rule("IN", ["a"]), undefined, false],
  [rule("NOT_IN", ["a"]), "b", true],
  [rule("NOT_IN", ["a"]), "a", false],
  [rule("NOT_IN", ["a"]), undefined, true],
  [rule("STR_CONTAINS", ["b", "x"]), "abc", true],
  [rule("STR_CONTAINS", ["B"]), "abc", false],
  [rule("STR_CONTAINS", ["B"], { caseInsensitive: true }), "aBc", true],
  [rule("STR_CONTAINS", ["É"], { caseInsensitive: true }), "café", true],
  [rule("STR_STARTS_WITH", ["ab"]), "abc", true],
  [rule("STR_STARTS_WITH", ["bc"]), "abc", false],
  [rule("STR_ENDS_WITH", ["@example.com"]), "ada@example.com", true],
  [rule("STR_ENDS_WITH", ["x"]), undefined, false],
  [rule("NUM_EQ", ["5"]), 5, true],
  [rule("NUM_EQ", ["5.0"]), "5", true],
  [rule("NUM_GT", ["5"]), 5, false],
  [rule("NUM_GT", ["5"]), 5.1, true],
  [rule("NUM_GTE", ["5"]), 5, true],
  [rule("NUM_LT", ["-1"]), -2, true],
  [rule("NUM_LTE", ["5"]), "6", false],
  [rule("NUM_GT", ["5"]), "many", false],
  [rule("NUM_GT", ["5"]), undefined, false],
  [rule("SEMVER_EQ", ["1.2.3"]), "1.2.3", true],
  [rule("SEMVER_EQ", ["1.2.3"]), "1.2.3+build.5", true],
  [rule("SEMVER_EQ", ["1.2.3"]), "v1.2.3", false],
  [rule("SEMVER_GT", ["1.2.3"]), "1.10.0", true],
  [rule("SEMVER_GT", ["1.2.3-beta.2"]), "1.2.3-beta.10", true],
  [rule("SEMVER_GT", ["1.2.3-beta.2"]), "1.2.3-beta.alpha", true],
  [rule("SEMVER_LT", ["1.2.3"]), "1.2.3-rc.1", true],
  [rule("SEMVER_LT", ["1.2.3-rc.1"]), "1.2.3-rc", true],
  [rule("SEMVER_LT", ["1.2.3"]), "1.2", false],
  [rule("IN", ["a"], { inverted: true }), "b", true],
  [rule("IN", ["a"], { inverted: true }), undefined, true],
  [rule("NUM_GT", ["5"], { inverted: true }), "many", true],
];

const versions = [
  ...["0.9.9", "1.0.0-0", "1.0.0-2", "1.0.0-10", "1.0.0-10.0", "1.0.0--", "1.0.0-A", "1.0.0-a", "1.0.0-a.0"],
  ...["1.0.0-a.b", "1.0.0-aa", "1.0.0-ab", "1.0.0-b", "1.0.0", "1.0.2", "1.0.10", "1.2.0", "2.0.0", "10.0.0"],
  `${"9".repeat(30)}.0.0`,
];

describe("a semantic version", () => {
  it("precedes the later ones of an ordered list (Semantic Versioning 2.0.0, section 11)", () => {
    for (const [at, version] of versions.entries())
      for (const [other, value] of versions.entries())
        for (const [operator, isExpected] of [
          ["SEMVER_LT", at < other],
          ["SEMVER_EQ", at === other],
          ["SEMVER_GT", at > other],
        ] as const)
          expect([version, operator, value, matches(rule(operator, [value]), { given: version })]).toEqual([
            ...[version, operator, value],
            isExpected,
          ]);
  });
});

describe("a rule", () => {
  it.each(cases)("%j with %j: %s, as in unleash-client", (flagRule, value, isMatch) => {
    const attributes = value === undefined ? {} : { given: value };
    expect(matches(flagRule, attributes)).toBe(isMatch);
    expect(unleash(flagRule, attributes)).toBe(isMatch);
  });

  it.each<[FlagRule, unknown, boolean]>([
    [rule("DATE_AFTER", ["2027-01-01T11:00:00Z"]), "2027-01-01T12:30:00+01:00", true],
    [rule("DATE_AFTER", ["2027-01-01T12:00:00Z"]), "2027-01-01T12:00:00Z", false],
    [rule("DATE_BEFORE", ["2027-01-01"]), "2026-12-31T23:59:59.999Z", true],
    [rule("DATE_BEFORE", ["2027-01-01"]), 1_700_000_000_000, true],
    [rule("DATE_BEFORE", ["2027-01-01"]), "yesterday", false],
    [rule("DATE_BEFORE", ["2027-01-01"]), undefined, false],
  ])("compares points in time: %j with %j: %s", (flagRule, value, isMatch) => {
    expect(matches(flagRule, { given: value })).toBe(isMatch);
  });

  it("compares currentTime with the time of the evaluation, unless the context has one", () => {
    const after = rule("DATE_AFTER", ["2027-01-01T11:59:59Z"], { attribute: "currentTime" });
    expect(matches(after, {})).toBe(true);
    expect(matches(after, { currentTime: "2026-01-01T00:00:00Z" })).toBe(false);
  });

  it("reads no inherited member of the context, and no list or object", () => {
    expect(matches(rule("NOT_IN", ["x"], { attribute: "constructor", inverted: true }), {})).toBe(false);
    expect(matches(rule("STR_CONTAINS", ["a"]), { given: ["a"] })).toBe(false);
    expect(matches(rule("STR_CONTAINS", ["o"]), { given: {} })).toBe(false);
  });
});

describe("EvaluationContext.read", () => {
  it.each([[[]], ["text"], [7], [true]])("refuses %j", (attributes) => {
    expect(EvaluationContext.read(attributes)).toEqual(expect.any(String));
  });

  it.each([
    { targetingKey: 7 },
    { targetingKey: ["a"] },
    { long: "x".repeat(2049) },
    Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`a${at}`, 1])),
  ])("refuses a context over a limit", (attributes) => {
    expect(EvaluationContext.read(attributes)).toEqual(expect.any(String));
  });

  it("takes an absent context, and one with nested members", () => {
    for (const attributes of [undefined, null, {}, { nested: { deep: [1] }, targetingKey: null }])
      expect(EvaluationContext.read(attributes)).toBeInstanceOf(EvaluationContext);
  });
});

it("parses an attribute once for all rules that compare it", () => {
  const hostile = `1.1.1-${"1.".repeat(120)}a`;
  const rules = Array.from({ length: 10 }, (_, at) => compileRule(rule("SEMVER_EQ", [`1.0.${at}`])));
  const context = EvaluationContext.read({ given: hostile });
  if (typeof context === "string") throw new Error(context);
  expect(rules.some((matchesOne) => matchesOne(context))).toBe(false);
  expect(context.semver("given")).toBeDefined();
  expect(context.semver("given")).toBe(context.semver("given"));
});
