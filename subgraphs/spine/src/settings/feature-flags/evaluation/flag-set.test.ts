import type { Operator } from "@factory/schema/vocabularies/settings";
import { EvaluationContext } from "./evaluation-context.js";
import type { FlagRule, FlagSettings } from "./flag-rule.js";
import { FlagSet, outcomesOf, preparingFlags } from "./flag-set.js";

const rule = (operator: Operator, values: string[], attribute = "text"): FlagRule => ({
  ...{ attribute, operator, values, inverted: false, caseInsensitive: false },
});

function setOf(count: number, rules: readonly FlagRule[], isEnabled = true): FlagSet {
  const settings: FlagSettings = {
    enabled: isEnabled,
    rolloutPercentage: 0,
    description: null,
    stickiness: "tenant",
    rules,
  };
  return new FlagSet(
    "ten_1",
    1,
    Array.from({ length: count }, (_, at) => ({ ...settings, key: `flag-${at}` })),
  );
}

function contextOf(attributes: Record<string, unknown>, now?: () => number): EvaluationContext {
  const context = EvaluationContext.read(attributes, now);
  if (typeof context === "string") throw new Error(context);
  return context;
}

const many = (count: number, make: (at: number) => string) => Array.from({ length: count }, (_, at) => make(at));

describe("a set of flags that is read again after a change", () => {
  it("is prepared with a pause after each flag, and is the same as without pauses", () => {
    const values = many(50, (at) => `1.2.3-${"9.".repeat(90)}${at}`);
    const rules = values.map((value) => rule("SEMVER_GT", [value]));
    const whole = setOf(200, rules);
    const settings: FlagSettings = {
      enabled: true,
      rolloutPercentage: 0,
      description: null,
      stickiness: "tenant",
      rules,
    };
    const work = preparingFlags(
      "ten_1",
      7,
      many(200, (at) => `flag-${at}`).map((key) => ({ ...settings, key })),
    );
    let pauses = 0;
    let result = work.next();
    for (; !result.done; result = work.next()) pauses += 1;
    expect(pauses).toBe(200);
    const { version, steps, bytes, flags } = result.value;
    expect([version, steps, bytes, flags.length]).toEqual([7, whole.steps, whole.bytes, 200]);
    const context = contextOf({ text: "2.0.0" });
    expect(flags.map((flag) => flag.evaluate(context))).toEqual(whole.flags.map((flag) => flag.evaluate(context)));
  });
});

describe("an evaluation of all flags", () => {
  it.each([
    ["an operator that a newer process knows", [{ ...rule("IN", ["a"]), operator: "STR_LIKE" }]],
    ["values that are no list", [{ ...rule("IN", []), values: null }]],
    ["a value that is no text", [{ ...rule("STR_CONTAINS", []), values: [1] }]],
    ["rules that are no list", { rule: 1 }],
    ["no rules", null],
  ])("answers for the other flags when one has %s", (_, rules) => {
    const settings = { enabled: true, rolloutPercentage: 100, description: null, stickiness: "tenant" as const };
    const odd = { ...settings, key: "odd", rules: rules as unknown as FlagRule[] };
    const set = new FlagSet("ten_1", 1, [
      { ...settings, key: "first", rules: [] },
      odd,
      { ...settings, key: "last", rules: [] },
    ]);
    const work = outcomesOf(set, contextOf({ text: "a" }));
    let result = work.next();
    while (!result.done) result = work.next();
    const outcomes = result.value;
    expect(set.flags.map((flag, at) => JSON.parse(flag.textOf(outcomes[at] ?? 0)))).toMatchObject([
      { key: "first", value: true },
      { key: "odd", errorCode: "PARSE_ERROR", errorDetails: expect.stringContaining("cannot be read") },
      { key: "last", value: true },
    ]);
    expect(set.bytes).toBeGreaterThan(0);
  });

  it("counts a step for each flag and for each comparison that its rules may make", () => {
    expect(setOf(1000, []).steps).toBe(1000);
    expect(setOf(10, [rule("IN", many(500, String))]).steps).toBe(20);
    expect(setOf(10, [rule("STR_CONTAINS", many(50, String))]).steps).toBe(10 + 10 * 50 * 20);
    expect(setOf(10, [rule("STR_STARTS_WITH", ["a", "b", "cc"])]).steps).toBe(30);
    expect(setOf(10, [rule("STR_CONTAINS", ["a"])], false).steps).toBe(10);
  });

  it("pauses after a hundred steps, and answers as without a pause", () => {
    const set = setOf(500, [rule("STR_CONTAINS", ["x"]), rule("IN", ["a"])]);
    const context = contextOf({ text: "a" });
    const work = outcomesOf(set, context);
    let pauses = 0;
    let result = work.next();
    for (; !result.done; result = work.next()) pauses += 1;
    expect(pauses).toBe(Math.floor(set.steps / 110));
    expect([...(result.value as Uint8Array)]).toEqual(set.flags.map((flag) => flag.evaluate(context)));
  });

  it("compares all rules about the current time with one time, also after a pause", () => {
    let now = Date.parse("2027-01-01T00:00:00Z");
    const context = contextOf({}, () => (now += 60_000));
    const set = setOf(300, [rule("DATE_BEFORE", ["2027-01-01T00:01:30Z"], "currentTime")]);
    const work = outcomesOf(set, context);
    let result = work.next();
    while (!result.done) result = work.next();
    expect(new Set(result.value as Uint8Array).size).toBe(1);
  });

  it.each<[Operator, "beginning" | "ending"]>([
    ["STR_STARTS_WITH", "beginning"],
    ["STR_ENDS_WITH", "ending"],
  ])("compares one part of a text with all values of a rule of %s", (operator, part) => {
    const values = many(500, (at) => `${"a".repeat(190)}${String(at).padStart(5, "0")}`);
    const set = setOf(10, [rule(operator, values), rule(operator, values)]);
    const context = contextOf({ text: "a".repeat(2048) });
    const readPart = jest.spyOn(context, part);
    for (const flag of set.flags) flag.evaluate(context);
    // one for each rule, not one for each value
    expect(readPart).toHaveBeenCalledTimes(20);
  });
});
