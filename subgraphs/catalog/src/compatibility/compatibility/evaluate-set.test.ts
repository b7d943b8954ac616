import fc from "fast-check";
import { type CatalogSketch, catalogOf, evaluate, framework, inputOf } from "./catalog-sketch.fixture.js";
import { type Evaluation, evaluateSet, evaluation } from "./evaluate-set.js";
import type { TemplateSide } from "./evaluation/evaluation-input.js";
import { applyMove } from "./moves/move.js";

const rulesOf = ({ violations }: Evaluation) => violations.map(({ rule }) => rule);
const codesOf = ({ advisories }: Evaluation) => advisories.map(({ code }) => code);

const shop: CatalogSketch = {
  "Orders.Client": { versions: { "1.0.0": { on: "net6.0" }, "2.0.0": { on: "net8.0 netstandard2.1" } } },
  Billing: { versions: { "1.4.0": {} } },
};

describe("a set of libraries", () => {
  it("is compatible when nothing is broken", () => {
    expect(evaluate(shop, "Orders.Client 2.0.0, Billing 1.4.0")).toEqual({
      compatible: true,
      violations: [],
      advisories: [],
    });
  });

  it("is compatible when it is empty", () => {
    expect(evaluate({}, "")).toEqual({ compatible: true, violations: [], advisories: [] });
  });

  it("compares names ignoring case and versions by their value", () => {
    expect(evaluate(shop, "orders.CLIENT 2.0, BILLING 1.4.0.0").compatible).toBe(true);
  });

  it("may hold what the catalog does not know, with an advisory", () => {
    const result = evaluate({ ...shop, Empty: { versions: {} } }, "Newtonsoft.Json 13.0.3, Empty 1.0.0");
    expect(result.compatible).toBe(true);
    expect(result.advisories).toEqual([
      {
        code: "LibraryVersionUnknown",
        packageName: "Empty",
        detail: "Empty is registered without versions, so 1.0.0 was not checked.",
      },
      {
        code: "LibraryUnknown",
        packageName: "Newtonsoft.Json",
        detail: "Newtonsoft.Json is not registered in this catalog, so 13.0.3 was not checked.",
      },
    ]);
  });

  it("may not hold it where the tenant forbids it", () => {
    const result = evaluateSet({ ...inputOf(shop, "Newtonsoft.Json 13.0.3"), unknownLibraries: "violation" });
    expect(result).toEqual({
      compatible: false,
      violations: [
        {
          rule: "LibraryNotRegistered",
          detail: "Newtonsoft.Json is not registered in this catalog.",
          suggestedResolution: "Register Newtonsoft.Json in this catalog.",
          resolution: null,
        },
      ],
      advisories: [],
    });
  });

  it("names deprecated and prerelease versions", () => {
    const result = evaluate({ A: { versions: { "1.0.0-rc.1": { status: "Deprecated" } } } }, "A 1.0.0-RC.1");
    expect(result.compatible).toBe(true);
    expect(codesOf(result)).toEqual(["LibraryVersionDeprecated", "LibraryVersionPrerelease"]);
  });
});

describe("LibraryDuplicated", () => {
  it("is one package listed in two versions; the highest stays", () => {
    const { violations } = evaluate(shop, "Orders.Client 1.0.0, orders.client 2.0.0");
    expect(violations).toEqual([
      {
        rule: "LibraryDuplicated",
        detail: "Orders.Client is listed 2 times, as 2.0.0 and 1.0.0. A project can reference a package only once.",
        suggestedResolution: "List Orders.Client once, at 2.0.0. Verified: the set is then compatible.",
        resolution: {
          action: "Remove",
          packageName: "Orders.Client",
          fromVersion: "1.0.0",
          toVersion: "2.0.0",
          runtime: null,
          replacedBy: null,
          verified: true,
          resolvesAll: true,
        },
      },
    ]);
  });

  it("is the same version twice, and an unknown package twice", () => {
    expect(rulesOf(evaluate(shop, "Billing 1.4.0, billing 1.4"))).toEqual(["LibraryDuplicated"]);
    expect(rulesOf(evaluate(shop, "X 1.0.0, x 1.0.0"))).toEqual(["LibraryDuplicated"]);
  });

  it("keeps the highest that the runtime can use", () => {
    const { violations } = evaluate(shop, "Orders.Client 1.0.0, Orders.Client 2.0.0", "net6.0-windows");
    expect(violations[0]?.resolution?.toVersion).toBe("2.0.0");
    const onlyOld: CatalogSketch = { A: { versions: { "1.0.0": { on: "net6.0" }, "2.0.0": { on: "net9.0" } } } };
    const result = evaluate(onlyOld, "A 1.0.0, A 2.0.0");
    expect(rulesOf(result)).toEqual(["LibraryDuplicated", "LibraryDoesNotSupportRuntime"]);
    expect(result.violations[0]?.resolution).toMatchObject({ toVersion: "1.0.0", verified: true, resolvesAll: true });
  });
});

describe("LibraryVersionNotFound", () => {
  const many: CatalogSketch = {
    A: {
      versions: {
        "1.0.0": {},
        "1.1.0": {},
        "1.2.0": { status: "Deprecated" },
        "2.0.0": {},
        "2.1.0": { on: "net9.0" },
        "3.0.0": {},
        "3.1.0-rc": {},
      },
    },
  };

  it("names what is registered and suggests the nearest published version of the same major", () => {
    const { violations } = evaluate(many, "A 1.3.0");
    expect(violations).toMatchObject([
      {
        rule: "LibraryVersionNotFound",
        detail:
          "A has no version 1.3.0. The registered versions are 3.1.0-rc, 3.0.0, 2.1.0, 2.0.0 and 1.2.0, and 2 more.",
        suggestedResolution:
          "Change A from 1.3.0 to 1.1.0 (Published, supports net8.0). Verified: the set is then compatible.",
        resolution: { action: "ChangeVersion", fromVersion: "1.3.0", toVersion: "1.1.0", verified: true },
      },
    ]);
  });

  it("goes to the nearest other major when there is none of the same", () => {
    expect(evaluate(many, "A 4.0.0").violations[0]?.resolution?.toVersion).toBe("3.0.0");
    expect(evaluate(many, "A 0.1.0").violations[0]?.resolution?.toVersion).toBe("1.0.0");
  });
});

describe("LibraryDoesNotSupportRuntime", () => {
  const table: CatalogSketch = {
    A: {
      offers: "queue",
      versions: { "1.0.0": { on: "net6.0" }, "2.0.0": { on: "net8.0 netstandard2.1" }, "3.0.0": { on: "net9.0" } },
    },
    Any: { versions: { "1.0.0": {} } },
    Old: { versions: { "1.0.0": { on: "net472" } } },
    Only9: { offers: "Queue", versions: { "1.0.0": { on: "net9.0" } } },
    Odd: { versions: { "1.0.0": { on: "jvm17" } } },
    Win: { versions: { "1.0.0": { on: "net8.0-windows7.0" } } },
  };

  it.each([
    [
      "A 3.0.0",
      "net8.0",
      "A 3.0.0 targets net9.0. A net8.0 project cannot use it.",
      "Change A from 3.0.0 to 2.0.0 (Published, supports net8.0)",
    ],
    [
      "A 2.0.0",
      "net472",
      "A 2.0.0 targets net8.0 and netstandard2.1. A net472 project cannot use it.",
      "Change the runtime from net472 to netcoreapp3.1",
    ],
    [
      "Only9 1.0.0",
      "net8.0",
      "Only9 1.0.0 targets net9.0. A net8.0 project cannot use it.",
      "Replace Only9 1.0.0 with A 2.0.0 (Published, supports net8.0)",
    ],
    [
      "Win 1.0.0",
      "net6.0-windows",
      "Win 1.0.0 targets net8.0-windows7.0. A net6.0-windows project cannot use it.",
      "Change the runtime from net6.0-windows to net8.0-windows7.0",
    ],
    ["Old 1.0.0", "net48", undefined, undefined],
    ["Any 1.0.0", "net20", undefined, undefined],
    ["Win 1.0.0", "net8.0-windows", undefined, undefined],
  ])("%s on %s", (set, runtime, detail, suggestion) => {
    const { violations } = evaluate(table, set, runtime);
    const expectedViolations = detail === undefined ? [] : [{ rule: "LibraryDoesNotSupportRuntime", detail }];
    expect(violations).toMatchObject(expectedViolations);
    if (suggestion)
      expect(violations[0]?.suggestedResolution).toBe(`${suggestion}. Verified: the set is then compatible.`);
  });

  it("says so when nothing helps", () => {
    expect(evaluate(table, "Odd 1.0.0").violations).toMatchObject([
      { suggestedResolution: "No single change in this catalog resolves it.", resolution: null },
    ]);
  });

  it("tells that a restore would fall back to .NET Framework assets", () => {
    const result = evaluate(table, "Old 1.0.0", "net8.0");
    expect(rulesOf(result)).toEqual(["LibraryDoesNotSupportRuntime"]);
    expect(codesOf(result)).toEqual(["TargetFallbackUsed"]);
  });

  it("looks at what a library brings in", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { B: "1.0.0" } } } },
      B: { versions: { "1.0.0": { on: "net9.0" }, "1.1.0": { on: "net8.0" } } },
    };
    expect(evaluate(sketch, "A 1.0.0").violations).toMatchObject([
      {
        rule: "LibraryDoesNotSupportRuntime",
        detail: "B 1.0.0 (brought in by A 1.0.0) targets net9.0. A net8.0 project cannot use it.",
        suggestedResolution:
          "Add B 1.1.0 (Published, supports net8.0) to the set. Verified: the set is then compatible.",
        resolution: { action: "Add", packageName: "B", toVersion: "1.1.0", verified: true },
      },
    ]);
  });
});

describe("TemplateDoesNotSupportRuntime", () => {
  const template: TemplateSide = {
    templateVersionId: "tpv_1",
    semanticVersion: "2.0.0",
    targetFramework: "net8.0",
    status: "Published",
    otherVersions: [
      { semanticVersion: "1.0.0", targetFramework: "net6.0", status: "Published" },
      { semanticVersion: "1.1.0", targetFramework: "net6.0", status: "Published" },
      { semanticVersion: "1.2.0", targetFramework: "net6.0", status: "Draft" },
      { semanticVersion: "1.3.0", targetFramework: "net6.0", status: "Deprecated" },
    ],
  };
  const on = (runtime: string, change: Partial<TemplateSide> = {}, set = "") =>
    evaluateSet({ ...inputOf(shop, set, runtime), template: { ...template, ...change } });

  it("suggests the newest published version that the runtime can use", () => {
    expect(on("net6.0")).toMatchObject({
      compatible: false,
      violations: [
        {
          rule: "TemplateDoesNotSupportRuntime",
          detail: "Template version 2.0.0 targets net8.0, which a net6.0 project cannot use.",
          suggestedResolution:
            "Change the template version from 2.0.0 to 1.1.0 (Published, targets net6.0). Verified: the set is then compatible.",
          resolution: { action: "ChangeVersion", packageName: null, toVersion: "1.1.0", verified: true },
        },
      ],
    });
  });

  it("suggests a draft before another runtime, and a deprecated version never", () => {
    const drafts = template.otherVersions.filter(({ status }) => status !== "Published");
    expect(on("net6.0", { otherVersions: drafts }).violations[0]?.resolution?.toVersion).toBe("1.2.0");
    const deprecatedVersions = drafts.filter(({ status }) => status !== "Draft");
    expect(on("net6.0", { otherVersions: deprecatedVersions }).violations[0]).toMatchObject({
      suggestedResolution: "Change the runtime from net6.0 to net8.0. Verified: the set is then compatible.",
      resolution: { action: "ChangeRuntime", runtime: "net8.0" },
    });
  });

  it("is not broken by a newer runtime, or by no libraries", () => {
    expect(on("net9.0")).toEqual({ compatible: true, violations: [], advisories: [] });
    expect(on("net8.0", { targetFramework: "netstandard2.0" }).compatible).toBe(true);
  });

  it("is broken by a target that is no framework", () => {
    expect(rulesOf(on("net8.0", { targetFramework: "jvm17" }))).toEqual(["TemplateDoesNotSupportRuntime"]);
  });

  it("counts what remains when a change does not mend everything", () => {
    const { violations } = on("net6.0", {}, "Billing 9.0.0");
    expect(violations.map(({ suggestedResolution }) => suggestedResolution)).toEqual([
      "Change Billing from 9.0.0 to 1.4.0 (Published, supports net6.0). Verified: this violation is then resolved, 1 other remains.",
      "Change the template version from 2.0.0 to 1.1.0 (Published, targets net6.0). Verified: this violation is then resolved, 1 other remains.",
    ]);
  });

  it("tells of drafts and deprecated versions", () => {
    expect(codesOf(on("net8.0", { status: "Draft" }))).toEqual(["TemplateVersionDraft"]);
    expect(codesOf(on("net8.0", { status: "Deprecated" }))).toEqual(["TemplateVersionDeprecated"]);
  });
});

describe("LibraryConflictsWith", () => {
  const bus: CatalogSketch = {
    "New.Bus": {
      versions: { "1.0.0": { clashes: { "Old.Bus": "[1.0,2.0)" } }, "2.0.0": { clashes: { "old.bus": null } } },
    },
    "Old.Bus": { versions: { "1.5.0": {}, "1.9.0": {}, "2.0.0": {}, "3.0.0": { on: "net9.0" } } },
  };

  it("is reported once and mended on the side that is declared against", () => {
    expect(evaluate(bus, "Old.Bus 1.5.0, New.Bus 1.0.0").violations).toEqual([
      {
        rule: "LibraryConflictsWith",
        detail: "New.Bus 1.0.0 conflicts with Old.Bus ≥ 1.0.0 and < 2.0.0. The set has Old.Bus 1.5.0.",
        suggestedResolution:
          "Change Old.Bus from 1.5.0 to 2.0.0 (Published, supports net8.0). Verified: the set is then compatible.",
        resolution: {
          action: "ChangeVersion",
          packageName: "Old.Bus",
          fromVersion: "1.5.0",
          toVersion: "2.0.0",
          runtime: null,
          replacedBy: null,
          verified: true,
          resolvesAll: true,
        },
      },
    ]);
  });

  it("is not broken outside the range", () => {
    expect(evaluate(bus, "Old.Bus 2.0.0, New.Bus 1.0.0").compatible).toBe(true);
    expect(evaluate(bus, "New.Bus 2.0.0").compatible).toBe(true);
  });

  it("is mended on the declaring side when it is against every version", () => {
    expect(evaluate(bus, "Old.Bus 2.0.0, New.Bus 2.0.0").violations).toMatchObject([
      {
        detail: "New.Bus 2.0.0 conflicts with Old.Bus in any version. The set has Old.Bus 2.0.0.",
        resolution: { packageName: "New.Bus", toVersion: "1.0.0", verified: true },
      },
    ]);
  });

  it("is one violation when both sides declare it", () => {
    const mutual: CatalogSketch = {
      A: { versions: { "1.0.0": { clashes: { B: null } } } },
      B: { versions: { "1.0.0": { clashes: { A: "1.*" } } } },
    };
    expect(evaluate(mutual, "B 1.0.0, A 1.0.0").violations).toMatchObject([
      {
        detail: "A 1.0.0 conflicts with B in any version, and B 1.0.0 conflicts with A 1.*. The set has B 1.0.0.",
        suggestedResolution: "No single change in this catalog resolves it.",
      },
    ]);
  });

  it("counts each broken pair", () => {
    const three: CatalogSketch = {
      A: { versions: { "1.0.0": { clashes: { B: null, C: null } } } },
      B: { versions: { "1.0.0": {} } },
      C: { versions: { "1.0.0": {} } },
    };
    expect(rulesOf(evaluate(three, "A 1.0.0, B 1.0.0, C 1.0.0"))).toEqual([
      "LibraryConflictsWith",
      "LibraryConflictsWith",
    ]);
  });

  it("takes the floating range of a person at its word", () => {
    const floating: CatalogSketch = {
      A: { versions: { "1.0.0": { clashes: { B: "1.*" } } } },
      B: { versions: { "1.4.0": {}, "2.0.0": {} } },
    };
    expect(evaluate(floating, "A 1.0.0, B 2.0.0").compatible).toBe(true);
    expect(evaluate(floating, "A 1.0.0, B 1.4.0").compatible).toBe(false);
  });

  it("reaches a package that the catalog does not know, and one that is brought in", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { clashes: { Unknown: "[1.0,2.0)", Deep: null } } } },
      B: { versions: { "1.0.0": { needs: { Deep: "1.0" } } } },
      Deep: { versions: { "1.0.0": {} } },
    };
    expect(rulesOf(evaluate(sketch, "A 1.0.0, Unknown 1.1.0"))).toEqual(["LibraryConflictsWith"]);
    expect(evaluate(sketch, "A 1.0.0, B 1.0.0").violations).toMatchObject([
      { detail: "A 1.0.0 conflicts with Deep in any version. The set has Deep 1.0.0 (brought in by B 1.0.0)." },
    ]);
  });

  it("shows the closest change when every change breaks something else", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { clashes: { B: "[1.0]" } } } },
      B: { versions: { "1.0.0": {}, "2.0.0": { clashes: { C: null } } } },
      C: { versions: { "1.0.0": {} } },
    };
    expect(evaluate(sketch, "A 1.0.0, B 1.0.0, C 1.0.0").violations).toMatchObject([
      {
        suggestedResolution:
          "No single change in this catalog resolves it. The closest change: Change B from 1.0.0 to 2.0.0 (Published, supports net8.0), " +
          "but then: B 2.0.0 conflicts with C in any version. The set has C 1.0.0.",
        resolution: { verified: false, resolvesAll: false },
      },
    ]);
  });
});

describe("the dependencies of a set", () => {
  const messaging: CatalogSketch = {
    Orders: {
      versions: { "2.1.0": { needs: { Messaging: "3.0.0" } }, "2.0.0": { needs: { Messaging: "[2.0,3.0)" } } },
    },
    Billing: { versions: { "1.4.0": { needs: { Messaging: "(,3.0.0)" } } } },
    Messaging: { versions: { "2.0.0": {}, "2.5.0": {}, "3.0.0": {}, "3.1.0": {} } },
    Shop: { versions: { "1.0.0": { needs: { Orders: "2.1.0" } } } },
  };

  it("are filled from the catalog without being listed", () => {
    expect(evaluate(messaging, "Shop 1.0.0")).toEqual({ compatible: true, violations: [], advisories: [] });
  });

  it("are an advisory where the catalog does not know them", () => {
    const result = evaluate({ A: { versions: { "1.0.0": { needs: { Polly: "[8.0,9.0)" } } } } }, "A 1.0.0");
    expect(result).toEqual({
      compatible: true,
      violations: [],
      advisories: [
        {
          code: "LibraryUnknown",
          packageName: "Polly",
          detail:
            "A 1.0.0 requires Polly ≥ 8.0.0 and < 9.0.0. This catalog has no version of Polly, so it was not checked.",
        },
      ],
    });
  });

  it("break LibraryRequires where no version is in the range", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { B: "2.0" } }, "0.9.0": { needs: { B: "1.0" } } } },
      B: { versions: { "1.0.0": {}, "2.0.0": { status: "Retired" } } },
    };
    expect(evaluate(sketch, "A 1.0.0").violations).toMatchObject([
      {
        rule: "LibraryRequires",
        detail: "A 1.0.0 requires B ≥ 2.0.0. The catalog has 1.0.0 and 2.0.0 (retired).",
        resolution: { packageName: "A", toVersion: "0.9.0", verified: true },
      },
    ]);
  });

  it("break LibraryRequires where the set lists a version above the range, of which a restore only warns", () => {
    expect(evaluate(messaging, "Billing 1.4.0, Messaging 3.1.0").violations).toMatchObject([
      {
        rule: "LibraryRequires",
        detail:
          "Billing 1.4.0 requires Messaging < 3.0.0, but the set lists Messaging 3.1.0. A restore takes it with warning NU1608.",
        resolution: { packageName: "Messaging", toVersion: "2.0.0", verified: true },
      },
    ]);
  });

  it("break LibraryDowngraded where the set lists less than is asked, through a chain too", () => {
    expect(evaluate(messaging, "Shop 1.0.0, Messaging 2.5.0").violations).toMatchObject([
      {
        rule: "LibraryDowngraded",
        detail: "Shop 1.0.0 → Orders 2.1.0 requires Messaging ≥ 3.0.0, but the set lists Messaging 2.5.0.",
        suggestedResolution:
          "Change Messaging from 2.5.0 to 3.0.0 (Published, supports net8.0). Verified: the set is then compatible.",
      },
    ]);
  });

  it("break LibraryDowngraded for a listed package that the catalog does not know", () => {
    const result = evaluate({ A: { versions: { "1.0.0": { needs: { Polly: "8.1" } } } } }, "A 1.0.0, Polly 8.0.0");
    expect(result.violations).toMatchObject([
      {
        rule: "LibraryDowngraded",
        suggestedResolution: "Change Polly from 8.0.0 to 8.1.0. Verified: the set is then compatible.",
      },
    ]);
  });

  it("break LibraryVersionConflict where two ask for what no version is", () => {
    expect(evaluate(messaging, "Orders 2.1.0, Billing 1.4.0").violations).toMatchObject([
      {
        rule: "LibraryVersionConflict",
        detail:
          "Billing 1.4.0 requires Messaging < 3.0.0 and Orders 2.1.0 requires Messaging ≥ 3.0.0. No version of Messaging satisfies both.",
        suggestedResolution:
          "Change Orders from 2.1.0 to 2.0.0 (Published, supports net8.0). Verified: the set is then compatible.",
      },
    ]);
  });

  it("settle on the lowest version that serves all", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { X: "1.0" } } } },
      B: { versions: { "1.0.0": { needs: { X: "1.5" } } } },
      X: { versions: { "1.0.0": { needs: { Y: "[2.0]" } }, "1.5.0": {}, "2.0.0": { needs: { Y: "[2.0]" } } } },
      Y: { versions: { "1.0.0": {} } },
    };
    expect(evaluate(sketch, "A 1.0.0, B 1.0.0").compatible).toBe(true);
    expect(rulesOf(evaluate(sketch, "A 1.0.0"))).toEqual(["LibraryRequires"]);
  });

  it("never choose a prerelease or a retired version on their own", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { X: "1.0" } }, "2.0.0": { needs: { X: "1.0-rc" } } } },
      X: {
        versions: {
          "1.0.0-rc.2": { clashes: { A: null } },
          "1.0.1-rc": { clashes: { A: null } },
          "1.0.2": { status: "Retired", clashes: { A: null } },
          "1.1.0": {},
        },
      },
    };
    expect(evaluate(sketch, "A 1.0.0").compatible).toBe(true);
    expect(rulesOf(evaluate(sketch, "A 2.0.0"))).toEqual(["LibraryConflictsWith"]);
  });

  it("break LibraryDependencyCycle once for a cycle", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { B: "1.0" } } } },
      B: { versions: { "1.0.0": { needs: { C: "1.0" } } } },
      C: { versions: { "1.0.0": { needs: { A: "1.0" } }, "1.1.0": {} } },
      Self: { versions: { "1.0.0": { needs: { Self: "1.0" } } } },
    };
    expect(evaluate(sketch, "A 1.0.0").violations).toMatchObject([
      {
        rule: "LibraryDependencyCycle",
        detail: "A 1.0.0 → B 1.0.0 → C 1.0.0 → A 1.0.0 form a dependency cycle.",
        suggestedResolution:
          "Add C 1.1.0 (Published, supports net8.0) to the set. Verified: the set is then compatible.",
      },
    ]);
    expect(rulesOf(evaluate(sketch, "Self 1.0.0"))).toEqual(["LibraryDependencyCycle"]);
  });

  it("count once when they are declared twice", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { B: "2.0" } } } },
      B: { versions: { "1.0.0": {} } },
    };
    const input = inputOf(sketch, "A 1.0.0");
    input.catalog.get("a")?.versions[0]?.dependencies.push({ packageName: "b", range: "2.0" });
    expect(rulesOf(evaluateSet(input))).toEqual(["LibraryRequires"]);
  });

  it("leave out what is broken already: one fault, one violation", () => {
    expect(rulesOf(evaluate(messaging, "Orders 2.1.0, Messaging 1.0.0"))).toEqual(["LibraryVersionNotFound"]);
    expect(rulesOf(evaluate(messaging, "Orders 9.0.0, Messaging 2.0.0"))).toEqual(["LibraryVersionNotFound"]);
    const unsupportedSet: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { B: "2.0" } } } },
      B: { versions: { "1.0.0": { on: "net9.0" }, "2.0.0": { on: "net9.0" } } },
    };
    expect(rulesOf(evaluate(unsupportedSet, "A 1.0.0, B 1.0.0"))).toEqual(["LibraryDoesNotSupportRuntime"]);
  });
});

describe("LibraryVersionRetired", () => {
  it("suggests the next version before an earlier one, then something else", () => {
    const sketch: CatalogSketch = {
      A: { offers: "queue", versions: { "1.0.0": {}, "1.1.0": { status: "Retired" }, "2.0.0": {} } },
      B: { offers: "queue", versions: { "5.0.0": { status: "Retired" } } },
    };
    expect(evaluate(sketch, "A 1.1.0").violations).toMatchObject([
      {
        rule: "LibraryVersionRetired",
        detail: "A 1.1.0 is retired and must not be used any more.",
        resolution: { action: "ChangeVersion", toVersion: "2.0.0", verified: true },
      },
    ]);
    expect(evaluate(sketch, "B 5.0.0").violations).toMatchObject([
      { resolution: { action: "Replace", packageName: "B", replacedBy: "A", toVersion: "2.0.0", verified: true } },
    ]);
  });
});

describe("any evaluation", () => {
  const packages = ["A", "B", "C", "D", "E"];
  const versions = ["1.0.0", "1.1.0", "2.0.0", "2.1.0-rc.1", "3.0.0"];
  const range = fc.constantFrom("1.0", "[1.0,2.0)", "[2.0]", "2.*", "(1.1,3.0]", "[1.1.0]", "3.0");
  const valuesByName = (value: fc.Arbitrary<string | null>) =>
    fc.dictionary(fc.constantFrom(...packages), value, { maxKeys: 2 });
  const sketch: fc.Arbitrary<CatalogSketch> = fc.dictionary(
    fc.constantFrom(...packages),
    fc.record({
      offers: fc.constantFrom("", "queue", "store", "queue=queue/v1!", "queue=queue/v2 store=store/v1"),
      versions: fc.dictionary(
        fc.constantFrom(...versions),
        fc.record({
          on: fc.constantFrom("", "net6.0", "net8.0", "net9.0", "net472", "netstandard2.0"),
          needs: valuesByName(range) as fc.Arbitrary<Record<string, string>>,
          at: fc.dictionary(
            fc.constantFrom("net8.0", "net6.0", "netstandard2.0"),
            valuesByName(range) as fc.Arbitrary<Record<string, string>>,
            { maxKeys: 2 },
          ),
          clashes: valuesByName(fc.option(range)),
          status: fc.constantFrom("Published", "Published", "Deprecated", "Retired"),
          consumes: fc.subarray(["queue/v1", "queue/v2", "store/v2"], { maxLength: 1 }),
          maxRuntime: fc.constantFrom("", "", "net6.0", "net9.0"),
        }),
      ),
    }),
  );
  const templateVersion = {
    targetFramework: fc.constantFrom("net6.0", "net8.0", "net9.0"),
    status: fc.constantFrom("Published", "Draft"),
    pins: fc.array(
      fc.record({
        packageName: fc.constantFrom(...packages),
        version: fc.constantFrom(...versions),
        range: fc.constantFrom(null, null, "[1.0,3.0)"),
      }),
      { maxLength: 2 },
    ),
    sdkVersions: fc.subarray(["6.*", "[8.0.100,)", "9.0.100"], { maxLength: 1 }),
  };
  const template = fc.record({
    templateVersionId: fc.constant("tpv_1"),
    semanticVersion: fc.constant("2.0.0"),
    ...templateVersion,
    otherVersions: fc.array(fc.record({ semanticVersion: fc.constant("1.0.0"), ...templateVersion }), { maxLength: 1 }),
  });
  const input = fc
    .record({
      sketch,
      template: fc.option(template, { nil: undefined }),
      runtime: fc.constantFrom("net8.0", "net6.0", "net48", "net8.0-windows"),
      libraries: fc.array(
        fc.record({
          packageName: fc.constantFrom(...packages, "a", "Unknown"),
          version: fc.constantFrom(...versions, "9.0.0"),
        }),
        { maxLength: 6 },
      ),
    })
    .map(({ sketch: catalog, template: side, runtime, libraries }) => ({
      runtime: framework(runtime),
      libraries,
      catalog: catalogOf(catalog),
      ...(side === undefined ? {} : { template: side }),
    }));

  it("does not depend on the order of the set or of the catalog", () => {
    fc.assert(
      fc.property(
        input.chain((anInput) =>
          fc.tuple(
            fc.constant(anInput),
            fc.shuffledSubarray(anInput.libraries, { minLength: anInput.libraries.length }),
          ),
        ),
        ([anInput, shuffledLibraries]) => {
          const catalog = new Map(
            [...anInput.catalog].toReversed().map(([key, library]) => [
              key,
              {
                ...library,
                capabilities: library.capabilities.toReversed(),
                versions: library.versions.toReversed().map((version) => ({
                  ...version,
                  targetFrameworks: version.targetFrameworks.toReversed(),
                  dependencies: version.dependencies.toReversed(),
                  conflictsWith: version.conflictsWith.toReversed(),
                })),
              },
            ]),
          );
          expect(evaluateSet({ ...anInput, libraries: shuffledLibraries, catalog })).toEqual(evaluateSet(anInput));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("suggests verified changes that really mend the violation and break nothing", () => {
    fc.assert(
      fc.property(input, (anInput) => {
        const before = evaluateSet(anInput);
        expect(before.compatible).toBe(before.violations.length === 0);
        for (const { rule, resolution, suggestedResolution } of before.violations) {
          expect(suggestedResolution).not.toBe("");
          if (!resolution?.verified) continue;
          const after = evaluateSet(applyMove(anInput, resolution));
          const count = (evaluation: Evaluation) =>
            evaluation.violations.filter((violation) => violation.rule === rule).length;
          expect(count(after)).toBeLessThan(count(before));
          expect(after.violations.length).toBeLessThan(before.violations.length);
          expect(after.compatible).toBe(resolution.resolvesAll);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("finds the same in a set with an unrelated library added", () => {
    fc.assert(
      fc.property(input, (anInput) => {
        const catalog = new Map([...anInput.catalog, ...catalogOf({ Unrelated: { versions: { "1.0.0": {} } } })]);
        const more = {
          ...anInput,
          catalog,
          libraries: [...anInput.libraries, { packageName: "Unrelated", version: "1.0.0" }],
        };
        expect(evaluateSet(more).violations).toEqual(evaluateSet(anInput).violations);
      }),
      { numRuns: 200 },
    );
  });

  it("stays bounded in a set where everything is broken", () => {
    const names = Array.from({ length: 60 }, (_, index) => `L${index}`);
    const brokenSet: CatalogSketch = Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          versions: {
            "1.0.0": { on: "net9.0", clashes: { [`L${index + 1}`]: null } },
            "2.0.0": { needs: { [`L${index + 2}`]: "[2.0]" } },
          },
        },
      ]),
    );
    const { violations } = evaluate(brokenSet, names.map((name) => `${name} 1.0.0`).join(", "));
    expect(violations).toHaveLength(60 + 59);
    expect(violations.at(-1)).toMatchObject({
      suggestedResolution: "Not searched. Resolve the violations listed above, then evaluate again.",
      resolution: null,
    });
  });

  it("stays bounded where every package conflicts with every version of every other one", () => {
    const names = Array.from({ length: 40 }, (_, at) => `L${at}`);
    const clashing: CatalogSketch = Object.fromEntries(
      names.map((name) => [
        name,
        {
          versions: {
            "1.0.0": { clashes: Object.fromEntries(names.filter((other) => other !== name).map((key) => [key, null])) },
          },
        },
      ]),
    );
    const { violations } = evaluate(clashing, names.map((name) => `${name} 1.0.0`).join(", "));
    expect(violations).toHaveLength((40 * 39) / 2);
    const searchedViolations = violations.filter(
      ({ suggestedResolution }) => !suggestedResolution.startsWith("Not searched."),
    );
    expect(searchedViolations).toHaveLength(500);
  });

  it("pauses in the resolution of many dependencies, so that no step is a long one", () => {
    const names = Array.from({ length: 400 }, (_, place) => `Part${place}`);
    const needs = Object.fromEntries(names.map((name) => [name, "1.0.0"]));
    const parts = Object.fromEntries(names.map((name) => [name, { versions: { "1.0.0": {} } }]));
    const pausesOf = (sketch: CatalogSketch) => {
      const work = evaluation(inputOf(sketch, "Whole 1.0.0"));
      let pauses = 0;
      while (!work.next().done) pauses += 1;
      return pauses;
    };
    const alone = pausesOf({ Whole: { versions: { "1.0.0": {} } } });
    const all = pausesOf({ ...parts, Whole: { versions: { "1.0.0": { needs } } } });
    expect(all - alone).toBeGreaterThanOrEqual((2 * names.length) / 50);
  });

  it("pauses after each rule of each set that it tries", () => {
    const sketch: CatalogSketch = { A: { versions: { "1.0.0": { on: "net9.0" }, "1.1.0": { on: "net8.0" } } } };
    const work = evaluation(inputOf(sketch, "A 1.0.0"));
    let pauses = 0;
    let result = work.next();
    for (; !result.done; result = work.next()) pauses += 1;
    expect(pauses).toBeGreaterThanOrEqual(2 * 16);
    const { steps, ...answer } = result.value as ReturnType<typeof evaluate> & { steps: number };
    expect(answer).toEqual(evaluate(sketch, "A 1.0.0"));
    expect(steps).toBeGreaterThan(1);
  });
});
