import { type CatalogSketch, evaluate, inputOf } from "../catalog-sketch.fixture.js";
import { type Evaluation, evaluateSet } from "../evaluate-set.js";
import type { TemplateSide } from "../evaluation/evaluation-input.js";

const rulesOf = ({ violations }: Evaluation) => violations.map(({ rule }) => rule);
const codesOf = ({ advisories }: Evaluation) => advisories.map(({ code }) => code);

function template(change: Partial<TemplateSide> = {}): TemplateSide {
  return {
    templateVersionId: "tpv_1",
    semanticVersion: "2.0.0",
    targetFramework: "net8.0",
    status: "Published",
    otherVersions: [],
    ...change,
  };
}

function withTemplate(sketch: CatalogSketch, set: string, change: Partial<TemplateSide>, runtime?: string) {
  return evaluateSet({ ...inputOf(sketch, set, runtime), template: template(change) });
}

describe("CapabilityConflictsWith", () => {
  const buses: CatalogSketch = {
    "Rabbit.Bus": { offers: "messaging=messaging/v1!", versions: { "1.0.0": {} } },
    "Kafka.Bus": { offers: "messaging=messaging/v1", versions: { "1.0.0": {} } },
    "Other.Bus": { offers: "messaging=messaging/v2!", versions: { "1.0.0": {} } },
    Logs: { offers: "logging!", versions: { "1.0.0": {} } },
    Traces: { offers: "logging tracing", versions: { "1.0.0": { needs: { "Rabbit.Bus": "1.0" } } } },
  };

  it("is broken by two that offer one exclusive contract, and mended by dropping one", () => {
    expect(evaluate(buses, "Rabbit.Bus 1.0.0, Kafka.Bus 1.0.0").violations).toMatchObject([
      {
        rule: "CapabilityConflictsWith",
        detail:
          "Kafka.Bus 1.0.0 and Rabbit.Bus 1.0.0 both offer messaging/v1, which only one library of a set may offer.",
        suggestedResolution: "Remove Kafka.Bus from the set. Verified: the set is then compatible.",
        resolution: { action: "Remove", packageName: "Kafka.Bus", fromVersion: "1.0.0", toVersion: null },
      },
    ]);
  });

  it("goes by the name where there is no contract, and reaches what is brought in", () => {
    expect(rulesOf(evaluate(buses, "Logs 1.0.0, Traces 1.0.0"))).toEqual(["CapabilityConflictsWith"]);
    expect(evaluate(buses, "Kafka.Bus 1.0.0, Traces 1.0.0").violations).toMatchObject([
      { rule: "CapabilityConflictsWith", resolution: { action: "Remove", packageName: "Kafka.Bus", verified: true } },
    ]);
  });

  it.each([
    "Rabbit.Bus 1.0.0",
    "Rabbit.Bus 1.0.0, Other.Bus 1.0.0",
    "Kafka.Bus 1.0.0, Other.Bus 1.0.0",
    "Traces 1.0.0",
  ])("is not broken by %s", (set) => {
    expect(rulesOf(evaluate(buses, set))).toEqual([]);
  });
});

describe("CapabilityContractMismatch", () => {
  const sketch: CatalogSketch = {
    Orders: {
      versions: { "1.0.0": { consumes: ["messaging/v1"] }, "2.0.0": { consumes: ["Messaging/V2", "audit/v1"] } },
    },
    BusOne: { offers: "bus=messaging/v1", versions: { "1.0.0": {} } },
    BusTwo: { offers: "bus=messaging/v2", versions: { "1.0.0": {} } },
    Both: { offers: "bus=messaging/v1 bus2=messaging/v2", versions: { "1.0.0": {} } },
  };

  it("is broken where only another version of the contract is offered", () => {
    expect(evaluate(sketch, "Orders 2.0.0, BusOne 1.0.0").violations).toMatchObject([
      {
        rule: "CapabilityContractMismatch",
        detail: "Orders 2.0.0 consumes Messaging/V2, but BusOne 1.0.0 offers messaging/v1.",
        suggestedResolution:
          "Change Orders from 2.0.0 to 1.0.0 (Published, supports net8.0). Verified: the set is then compatible.",
      },
    ]);
  });

  it("is mended by another provider where no version of the consumer fits", () => {
    const { Orders: _orders, ...rest } = sketch;
    const only: CatalogSketch = { ...rest, Orders: { versions: { "2.0.0": { consumes: ["messaging/v2"] } } } };
    expect(evaluate(only, "Orders 2.0.0, BusOne 1.0.0").violations).toMatchObject([
      { resolution: { action: "Replace", packageName: "BusOne", replacedBy: "Both", verified: true } },
    ]);
  });

  it.each(["Orders 2.0.0", "Orders 1.0.0, BusOne 1.0.0", "Orders 2.0.0, BusTwo 1.0.0", "Orders 2.0.0, Both 1.0.0"])(
    "is not broken by %s",
    (set) => {
      expect(rulesOf(evaluate(sketch, set))).toEqual([]);
    },
  );
});

describe("TemplatePinsDifferentVersion", () => {
  const sketch: CatalogSketch = {
    Json: { versions: { "12.0.0": {}, "13.0.1": {}, "13.0.3": {} } },
    Web: { versions: { "1.0.0": { needs: { Json: "13.0.1" } }, "0.9.0": { needs: { Json: "12.0.0" } } } },
    Low: { versions: { "1.0.0": { needs: { Json: "(,13.0.0)" } } } },
  };
  const pin = (version: string, range?: string) => [{ packageName: "json", version, ...(range ? { range } : {}) }];

  it.each([
    ["Json 13.0.1", pin("13.0.1")],
    ["Json 13.0.1", pin("13.0.1.0")],
    ["Json 13.0.1", pin("13.0.3", "[13.0,14.0)")],
    ["Json 13.0.1", []],
    ["Json 13.0.1", pin("latest")],
    ["Web 1.0.0", pin("13.0.1")],
    ["Web 1.0.0", pin("13.0.3")],
    ["Low 1.0.0", pin("12.0.0")],
    ["Web 1.0.0", []],
  ])("is not broken by %s with %j", (set, pins) => {
    expect(rulesOf(withTemplate(sketch, set, { pins }))).toEqual([]);
  });

  it("aligns the set to the template where that is higher", () => {
    expect(withTemplate(sketch, "Json 13.0.1", { pins: pin("13.0.3") }).violations).toMatchObject([
      {
        rule: "TemplatePinsDifferentVersion",
        detail: "Template version 2.0.0 itself references Json 13.0.3, but the set lists 13.0.1.",
        suggestedResolution:
          "Change Json from 13.0.1 to 13.0.3 (Published, supports net8.0). Verified: the set is then compatible.",
      },
    ]);
  });

  it("aligns the template to the set where that is higher and a version of the template can", () => {
    const otherVersions = [
      { semanticVersion: "2.1.0", targetFramework: "net8.0", status: "Published", pins: pin("13.0.3") },
      { semanticVersion: "2.2.0", targetFramework: "net8.0", status: "Published", pins: pin("14.0.0") },
    ];
    const { violations } = withTemplate(sketch, "Json 13.0.3", { pins: pin("12.0.0"), otherVersions });
    expect(violations[0]?.resolution).toMatchObject({ packageName: null, toVersion: "2.1.0", verified: true });
    const alone = withTemplate(sketch, "Json 13.0.3", { pins: pin("12.0.0") });
    expect(alone.violations[0]?.resolution).toMatchObject({ packageName: "Json", toVersion: "12.0.0", verified: true });
  });

  it("is broken by what a library asks for, from below and from above", () => {
    expect(withTemplate(sketch, "Web 1.0.0", { pins: pin("12.0.0") }).violations).toMatchObject([
      {
        rule: "TemplatePinsDifferentVersion",
        detail: "Web 1.0.0 requires Json ≥ 13.0.1, but template version 2.0.0 itself references 12.0.0.",
        resolution: { packageName: "Web", toVersion: "0.9.0", verified: true },
      },
    ]);
    expect(rulesOf(withTemplate(sketch, "Low 1.0.0", { pins: pin("13.0.1") }))).toEqual([
      "TemplatePinsDifferentVersion",
    ]);
  });

  it("reaches a package that the catalog does not know", () => {
    const { violations } = withTemplate({}, "Polly 8.0.0", { pins: [{ packageName: "Polly", version: "8.4" }] });
    expect(violations).toMatchObject([{ resolution: { packageName: "Polly", toVersion: "8.4.0", verified: true } }]);
  });
});

describe("RuntimeConstraintNotMet", () => {
  const bounds: readonly (readonly [sdkVersions: string[], runtime: string, broken: boolean])[] = [
    [[], "net8.0", false],
    [["8.0.100"], "net8.0", false],
    [["8.0.402"], "net8.0", false],
    [["8.0.402"], "net6.0", false],
    [["6.0.100"], "net8.0", true],
    [["7.0.410"], "net8.0", true],
    [["8.*"], "net8.0", false],
    [["8.0.*"], "net8.0", false],
    [["8.0.4*"], "net8.0", false],
    [["6.*"], "net8.0", true],
    [["6.0.*"], "net5.0", false],
    [["*"], "net10.0", false],
    [["[6.0.100,)"], "net10.0", false],
    [["[6.0.100,8.0)"], "net8.0", true],
    [["[6.0.100,8.0)"], "net7.0", false],
    [["(,8.0.100]"], "net8.0", false],
    [["(,8.0.100)"], "net8.0", true],
    [["6.0.100", "8.0.100"], "net8.0", false],
    [["6.*", "7.*"], "net8.0", true],
    [["nonsense"], "net8.0", false],
    [["nonsense", "6.*"], "net8.0", true],
    [["6.*"], "net8.0-windows", true],
    [["8.0.100"], "net9.0", true],
    [["9.0.100-preview.7"], "net9.0", true],
    [["[9.0.100-preview.7,)"], "net9.0", false],
  ];
  it.each(bounds)("SDK %j building %s is broken: %s", (sdkVersions, runtime, isBroken) => {
    const result = withTemplate({}, "", { sdkVersions, targetFramework: "netstandard2.0" }, runtime);
    expect(rulesOf(result)).toEqual(isBroken ? ["RuntimeConstraintNotMet"] : []);
  });

  it("suggests another version of the template, then the newest runtime in the range", () => {
    const change = { sdkVersions: ["[6.0.100,8.0)"], targetFramework: "net6.0" };
    const otherVersions = [{ semanticVersion: "3.0.0", targetFramework: "net8.0", status: "Published" }];
    expect(withTemplate({}, "", { ...change, otherVersions }).violations[0]?.resolution).toMatchObject({
      toVersion: "3.0.0",
      verified: true,
    });
    expect(withTemplate({}, "", change).violations).toMatchObject([
      {
        detail: "Template version 2.0.0 requires the .NET SDK ≥ 6.0.100 and < 8.0.0, which cannot build net8.0.",
        suggestedResolution: "Change the runtime from net8.0 to net7.0. Verified: the set is then compatible.",
      },
    ]);
  });

  const boundedSet: CatalogSketch = {
    A: { versions: { "1.0.0": { on: "net6.0", maxRuntime: "net7.0" }, "2.0.0": { on: "net6.0" } } },
    B: { versions: { "1.0.0": { needs: { A: "[1.0.0]" } } } },
    C: { versions: { "1.0.0": { maxRuntime: "net48" } } },
    D: { versions: { "1.0.0": { maxRuntime: "soon" } } },
  };
  it.each([
    ["A 1.0.0", "net8.0", ["RuntimeConstraintNotMet"]],
    ["A 1.0.0", "net7.0", []],
    ["A 1.0.0", "net6.0", []],
    ["A 2.0.0", "net8.0", []],
    ["B 1.0.0", "net8.0", ["RuntimeConstraintNotMet"]],
    ["C 1.0.0", "net8.0", []],
    ["C 1.0.0", "net48", []],
    ["C 1.0.0", "net481", ["RuntimeConstraintNotMet"]],
    ["D 1.0.0", "net8.0", []],
  ])("%s on %s breaks %j", (set, runtime, rules) => {
    expect(rulesOf(evaluate(boundedSet, set, runtime))).toEqual(rules);
  });

  it("suggests a version without the bound", () => {
    expect(evaluate(boundedSet, "A 1.0.0").violations).toMatchObject([
      {
        detail: "A 1.0.0 supports runtimes up to net7.0, but the runtime is net8.0.",
        resolution: { packageName: "A", toVersion: "2.0.0", verified: true },
      },
    ]);
  });
});

describe("advisories", () => {
  const high = { severity: "High", advisoryUrl: "https://example.test/GHSA-1" } as const;
  const low = { severity: "Low", advisoryUrl: "https://example.test/GHSA-2" } as const;
  const sketch: CatalogSketch = {
    A: { versions: { "1.0.0": { needs: { B: "1.0" } } } },
    B: { versions: { "1.0.0": { vulnerabilities: [high, low] }, "1.1.0": {} } },
    Old: {
      versions: {
        "1.0.0": {
          status: "Deprecated",
          deprecation: { reason: "Legacy", message: "No longer maintained.", alternatePackage: "A" },
        },
        "1.1.0": { deprecation: { reason: null, message: null, alternatePackage: null } },
        "1.2.0": { status: "Retired", deprecation: { reason: "CriticalBugs", message: null, alternatePackage: "A" } },
      },
    },
  };

  it("name vulnerabilities of listed packages and of those behind them", () => {
    const result = evaluate(sketch, "A 1.0.0");
    expect(result.compatible).toBe(true);
    expect(result.advisories).toEqual([
      {
        code: "LibraryVulnerable",
        packageName: "B",
        detail:
          "B 1.0.0 (brought in by A 1.0.0) has a known vulnerability of high severity: https://example.test/GHSA-1",
      },
      {
        code: "LibraryVulnerable",
        packageName: "B",
        detail:
          "B 1.0.0 (brought in by A 1.0.0) has a known vulnerability of low severity: https://example.test/GHSA-2",
      },
    ]);
    expect(codesOf(evaluate(sketch, "A 1.0.0, B 1.1.0"))).toEqual([]);
    expect(codesOf(evaluate(sketch, "B 1.0.0"))).toEqual(["LibraryVulnerable", "LibraryVulnerable"]);
  });

  it("say why a version is deprecated and what to use instead", () => {
    expect(evaluate(sketch, "Old 1.0.0").advisories).toMatchObject([
      { detail: "Old 1.0.0 is deprecated (Legacy: No longer maintained). Use A instead." },
    ]);
    expect(evaluate(sketch, "Old 1.1.0").advisories).toMatchObject([{ detail: "Old 1.1.0 is deprecated." }]);
  });

  it("let a retired version give way to the package its author names", () => {
    expect(evaluate(sketch, "Old 1.2.0").violations).toMatchObject([
      { rule: "LibraryVersionRetired", resolution: { action: "Replace", replacedBy: "A", verified: true } },
    ]);
  });

  it.each([
    ["net8.0", "2026-11-10", undefined],
    ["net8.0", "2026-11-11", "Support of net8.0 ended on 2026-11-10."],
    ["net9.0", "2026-11-21", "Support of net9.0 ended on 2026-11-10."],
    ["net10.0", "2026-11-21", undefined],
    ["net10.0", "2028-11-15", "Support of net10.0 ended on 2028-11-14."],
    ["net6.0", "2024-11-13", "Support of net6.0 ended on 2024-11-12."],
    ["net6.0-windows", "2026-01-01", "Support of net6.0-windows ended on 2024-11-12."],
    ["netcoreapp3.1", "2026-01-01", "Support of netcoreapp3.1 ended on 2022-12-13."],
    ["netcoreapp2.1", "2021-08-21", undefined],
    ["net48", "2040-01-01", undefined],
    ["net472", "2040-01-01", undefined],
    ["net462", "2026-11-21", undefined],
    ["net462", "2027-01-13", "Support of net462 ended on 2027-01-12."],
    ["net461", "2026-11-21", "Support of net461 ended on 2022-04-26."],
    ["net45", "2026-11-21", "Support of net45 ended on 2016-01-12."],
    ["net35", "2026-11-21", undefined],
    ["netstandard2.0", "2040-01-01", undefined],
    ["net11.0", "2040-01-01", undefined],
  ])("of %s on %s: %s", (runtime, day, detail) => {
    const { advisories, compatible } = evaluateSet({ ...inputOf({}, "", runtime), now: new Date(`${day}T12:00:00Z`) });
    expect(compatible).toBe(true);
    expect(advisories).toEqual(detail === undefined ? [] : [{ code: "RuntimeEndOfLife", detail, packageName: null }]);
  });

  it("do not count days without knowing which it is", () => {
    expect(evaluate({}, "", "net5.0").advisories).toEqual([]);
  });
});

describe("LibraryNotRegistered", () => {
  it.each([
    ["Newtonsoft.Jsn 13.0.3", "Newtonsoft.Json"],
    ["Newtonsft.Jsn 13.0.3", "Newtonsoft.Json"],
    ["Dappr 2.0.0", "Dapper"],
    ["Autofac 1.0.0", null],
  ])("of %s suggests %s", (set, replacedBy) => {
    const sketch: CatalogSketch = {
      "Newtonsoft.Json": { versions: { "12.0.3": {}, "13.0.3": {} } },
      Dapper: { versions: { "2.0.0": {} } },
    };
    const { violations } = evaluateSet({ ...inputOf(sketch, set), unknownLibraries: "violation" });
    expect(violations[0]?.rule).toBe("LibraryNotRegistered");
    expect(violations[0]?.resolution?.replacedBy ?? null).toBe(replacedBy);
    if (replacedBy === null) expect(violations[0]?.suggestedResolution).toBe("Register Autofac in this catalog.");
  });
});
