import { randomUUID } from "node:crypto";
import { CompiledFlag, outcomes } from "./compiled-flag.js";
import { EvaluationContext } from "./evaluation-context.js";
import type { FlagRule, FlagSettings } from "./flag-rule.js";

const tenantId = "ten_01jz3b0q8xk0n8v3m1w6y5t2r7";
const staff: FlagRule = {
  ...{ attribute: "role", operator: "IN", values: ["staff"], inverted: false, caseInsensitive: false },
};

function flag(changes: Partial<FlagSettings> = {}, key = "flag", of = tenantId): CompiledFlag {
  const defaults = { enabled: true, rolloutPercentage: 100, description: null, stickiness: "targetingKey", rules: [] };
  return new CompiledFlag(key, { ...(defaults as FlagSettings), ...changes }, of);
}

function context(attributes: Record<string, unknown> = {}): EvaluationContext {
  const evaluationContext = EvaluationContext.read(attributes);
  if (typeof evaluationContext === "string") throw new Error(evaluationContext);
  return evaluationContext;
}

const outcome = (of: CompiledFlag, attributes: Record<string, unknown> = {}) =>
  outcomes[of.evaluate(context(attributes))];

const ids = Array.from({ length: 2000 }, () => context({ targetingKey: randomUUID() }));
const isOn = (of: CompiledFlag, id: EvaluationContext) => {
  const result = outcomes[of.evaluate(id)];
  return result !== undefined && "value" in result && result.value;
};

describe("an evaluation", () => {
  it.each<[Partial<FlagSettings>, Record<string, unknown>, object]>([
    [{}, {}, { value: true, variant: "on", reason: "STATIC" }],
    [{ rolloutPercentage: 0 }, {}, { value: false, variant: "off", reason: "STATIC" }],
    [{ rolloutPercentage: 50 }, {}, { errorCode: "TARGETING_KEY_MISSING" }],
    [{ rolloutPercentage: 50 }, { targetingKey: "" }, { errorCode: "TARGETING_KEY_MISSING" }],
    [{ rolloutPercentage: 50 }, { targetingKey: null }, { errorCode: "TARGETING_KEY_MISSING" }],
    [{ rolloutPercentage: 50, stickiness: "tenant" }, {}, { reason: "SPLIT" }],
    [{ rolloutPercentage: 0, rules: [staff] }, { role: "staff" }, { value: true, reason: "TARGETING_MATCH" }],
    [{ rolloutPercentage: 0, rules: [staff] }, { role: "guest" }, { value: false, reason: "STATIC" }],
    [{ rolloutPercentage: 50, rules: [staff] }, { role: "staff" }, { value: true, reason: "TARGETING_MATCH" }],
    [{ rolloutPercentage: 50, rules: [staff] }, {}, { errorCode: "TARGETING_KEY_MISSING" }],
    [{ enabled: false }, {}, { value: false, reason: "DISABLED" }],
    [{ enabled: false, rules: [staff] }, { role: "staff" }, { value: false, reason: "DISABLED" }],
  ])("of %j for %j is %j", (settings, attributes, expectedOutcome) => {
    expect(outcome(flag(settings), attributes)).toMatchObject(expectedOutcome);
  });

  it("switches nobody off when the percentage rises", () => {
    const wrong: unknown[] = [];
    for (const key of ["a", "checkout.v2", "x-1"]) {
      const flags = Array.from({ length: 101 }, (_, rolloutPercentage) => flag({ rolloutPercentage }, key));
      for (const id of ids) {
        const states = flags.map((compiledFlag) => isOn(compiledFlag, id));
        const first = states.indexOf(true);
        if (first < 1 || !states.slice(first).every(Boolean)) wrong.push([key, states]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("gives all contexts of a tenant the same answer where the tenant is sticky", () => {
    const half = flag({ rolloutPercentage: 50, stickiness: "tenant" });
    expect(new Set(ids.map((id) => isOn(half, id))).size).toBe(1);
    const tenants = Array.from({ length: 200 }, () => `ten_${randomUUID()}`);
    const states = tenants.map((id) =>
      isOn(flag({ rolloutPercentage: 50, stickiness: "tenant" }, "flag", id), context()),
    );
    expect(new Set(states).size).toBe(2);
  });
});
