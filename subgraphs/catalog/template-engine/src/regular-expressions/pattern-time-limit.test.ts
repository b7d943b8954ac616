import { loadTemplatePack } from "../configuration/template-pack.js";
import { render } from "../rendering/render.js";
import { renderFiles, texts, tree } from "../rendering/template-pack.fixture.js";
import { PatternTimeLimit, PatternTimeLimitExceeded } from "./pattern-time-limit.js";

const endless = "^(a+)+$";
const victim = `${"a".repeat(40)}!`;
const limits = { evaluationMs: 100, totalMs: 5000 };

describe("PatternTimeLimit", () => {
  it("ends an expression that backtracks for ever, and the thread goes on", () => {
    const timeLimit = new PatternTimeLimit(limits);
    expect(() => timeLimit.run(() => /^(a+)+$/u.test(victim))).toThrow(PatternTimeLimitExceeded);
    expect(() => timeLimit.run(() => victim.replace(/^(a+)+$/gu, () => "x"))).toThrow("took more than 100 ms");
    expect(timeLimit.run(() => /a+/u.test(victim))).toBe(true);
  });

  it("bounds what all expressions take together", () => {
    const timeLimit = new PatternTimeLimit({ evaluationMs: 100, totalMs: 150 });
    expect(() => timeLimit.run(() => /^(a+)+$/u.test(victim))).toThrow(PatternTimeLimitExceeded);
    expect(() => timeLimit.run(() => /^(a+)+$/u.test(victim))).toThrow("together took more than 150 ms");
    expect(() => timeLimit.run(() => true)).toThrow("together took more than 150 ms");
  });

  it("passes on what the work throws", () => {
    const error = new RangeError("x");
    expect(() =>
      new PatternTimeLimit().run(() => {
        throw error;
      }),
    ).toThrow(error);
  });
});

const parameter = { type: "parameter", datatype: "string", defaultValue: victim };

describe("a template whose regular expression backtracks for ever", () => {
  it.each<[string, string, object]>([
    [
      "a value form",
      "/forms/evil~1form/pattern",
      {
        symbols: { v: { ...parameter, replaces: "TOKEN", forms: { global: ["evil/form"] } } },
        forms: { "evil/form": { identifier: "replace", pattern: endless, replacement: "b" } },
      },
    ],
    [
      "a form in a chain",
      "/forms/evil/pattern",
      {
        symbols: { v: parameter, d: { type: "derived", valueSource: "v", valueTransform: "both", replaces: "TOKEN" } },
        forms: {
          both: { identifier: "chain", steps: ["lowerCase", "evil"] },
          evil: { identifier: "replace", pattern: endless, replacement: "b" },
        },
      },
    ],
    [
      "a generator's second step",
      "/symbols/g/parameters/steps/1/regex",
      {
        symbols: {
          v: parameter,
          g: {
            type: "generated",
            generator: "regex",
            parameters: {
              source: "v",
              steps: [
                { regex: "x", replacement: "y" },
                { regex: endless, replacement: "b" },
              ],
            },
          },
        },
      },
    ],
    [
      "a generator that matches",
      "/symbols/g/parameters/pattern",
      {
        symbols: {
          v: parameter,
          g: {
            type: "generated",
            generator: "regexMatch",
            datatype: "bool",
            parameters: { source: "v", pattern: endless },
          },
        },
      },
    ],
  ])("fails and names the place: %s", (_, pointer, config) => {
    const full = { identifier: "t", identity: "t", name: "t", shortName: "t", ...config };
    const files = tree({ ".template.config/template.json": JSON.stringify(full), "a.txt": "TOKEN" });
    const request = { name: "App", parameters: {}, seed: "s", now: new Date(0), patternLimits: limits };
    expect(() => render(loadTemplatePack(files), request)).toThrow(
      expect.objectContaining({
        code: "RENDER_FAILED",
        message: expect.stringContaining(pointer),
        findings: [expect.objectContaining({ code: "RegexTooSlow", pointer })],
      }),
    );
  });

  it("leaves harmless expressions what they are", () => {
    const config = {
      symbols: { v: { ...parameter, defaultValue: "a.b", replaces: "TOKEN", forms: { global: ["dashes"] } } },
      forms: { dashes: { identifier: "replace", pattern: "[^\\w]", replacement: "-" } },
    };
    expect(texts(renderFiles(config, { "a.txt": "TOKEN" }))["a.txt"]).toBe("a-b");
  });
});
