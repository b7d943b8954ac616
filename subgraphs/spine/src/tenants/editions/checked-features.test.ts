import { checkedFeatures } from "./checked-features.js";

const seats = { kind: "limit", limit: 5 };

describe("the features of an edition", () => {
  it("may have every kind, with zero, the largest and no limit", () => {
    const features = {
      "sso.enabled": { kind: "boolean", enabled: false },
      "users.max": { kind: "limit", limit: 0 },
      "projects.max": { kind: "limit", limit: 1_000_000_000_000 },
      "executions.monthly": { kind: "metered", limit: null, period: "month", soft: false },
      "calls.daily": { kind: "metered", limit: 10, period: "day", soft: true },
      "support.hours": { kind: "config", value: { from: 8, to: [18] } },
    };
    expect(checkedFeatures(features)).toEqual(features);
    expect(checkedFeatures({})).toEqual({});
  });

  it.each<[string, unknown, string]>([
    ["seats", 5, "/input/features/seats TYPE"],
    ["seats", null, "/input/features/seats TYPE"],
    ["seats", [seats], "/input/features/seats TYPE"],
    ["seats", {}, "/input/features/seats/kind UNKNOWN_VALUE"],
    ["seats", { kind: "toString" }, "/input/features/seats/kind UNKNOWN_VALUE"],
    ["seats", { kind: "limit" }, "/input/features/seats/limit REQUIRED"],
    ["seats", { kind: "limit", limit: "5" }, "/input/features/seats/limit TYPE"],
    ["seats", { kind: "limit", limit: 0.5 }, "/input/features/seats/limit TYPE"],
    ["seats", { kind: "limit", limit: -1 }, "/input/features/seats/limit OUT_OF_RANGE"],
    ["seats", { kind: "limit", limit: 1_000_000_000_001 }, "/input/features/seats/limit OUT_OF_RANGE"],
    ["seats", { ...seats, extra: 1 }, "/input/features/seats/extra UNKNOWN_VALUE"],
    ["a", { kind: "metered", limit: 1, period: "week", soft: false }, "/input/features/a/period UNKNOWN_VALUE"],
    ["a", { kind: "metered", limit: 1, period: "day", soft: "no" }, "/input/features/a/soft TYPE"],
    ["a", { kind: "boolean", enabled: 1 }, "/input/features/a/enabled TYPE"],
    ["a", { kind: "config", value: "x".repeat(4095) }, "/input/features/a/value TOO_LONG"],
    ["", seats, "/input/features/ FORMAT"],
    ["__proto__x", seats, "/input/features/__proto__x FORMAT"],
    ["a/b~c", seats, "/input/features/a~1b~0c FORMAT"],
    ["x".repeat(101), seats, `/input/features/${"x".repeat(101)} FORMAT`],
    ["executions.monthly", seats, "/input/features/executions.monthly/kind UNKNOWN_VALUE"],
    ["users.max", { kind: "boolean", enabled: true }, "/input/features/users.max/kind UNKNOWN_VALUE"],
  ])("refuse %s: %j", (key, feature, says) => {
    expect(problems({ ok: seats, [key]: feature })).toContain(says);
  });

  it("are bounded in their number and size", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, seats]));
    expect(problems(many(100))).toEqual([]);
    expect(problems(many(101))).toEqual(["/input/features TOO_LONG"]);
    const large = { kind: "config", value: "x".repeat(4000) };
    expect(problems({ a: large, b: large, c: large, d: large })).toEqual([]);
    expect(problems({ a: large, b: large, c: large, d: large, e: large })).toEqual(["/input/features TOO_LONG"]);
  });
});

function problems(features: Record<string, unknown>): string[] {
  try {
    checkedFeatures(features);
    return [];
  } catch (error) {
    const { code, facts } = error as { code: string; facts: { errors: { pointer: string; code: string }[] } };
    expect(code).toBe("EDITION_FEATURES_INVALID");
    return facts.errors.map((problem) => `${problem.pointer} ${problem.code}`);
  }
}
