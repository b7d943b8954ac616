import { PackageSnapshot } from "@factory/nuget/package-snapshot";
import { formatVersion } from "@factory/nuget/version";
import fc from "fast-check";
import { type CatalogSketch, catalogOf, evaluate, framework, inputOf } from "./catalog-sketch.fixture.js";
import { evaluateSet } from "./evaluate-set.js";
import { createEvaluationContext } from "./evaluation/evaluation-context.js";
import type { EvaluationInput } from "./evaluation/evaluation-input.js";

/** The unlisted packages in a restore: "X 1.0.0, Y 2.0.0". */
function transitive(sketch: CatalogSketch, set: string, runtime?: string): string {
  const input = inputOf(sketch, set, runtime);
  const { graph } = createEvaluationContext(input, new PackageSnapshot(input.catalog));
  return [...graph.nodes.values()]
    .filter(({ direct }) => !direct)
    .map(({ packageName, version }) => `${packageName} ${version ? formatVersion(version) : ""}`)
    .sort()
    .join(", ");
}

function broken(sketch: CatalogSketch, set: string, runtime?: string): string {
  return evaluate(sketch, set, runtime)
    .violations.map(({ rule }) => rule)
    .join(" ");
}

const versionsOfX = {
  "0.9.0": {},
  "1.0.0-rc.1": {},
  "1.0.0": {},
  "1.1.0": {},
  "1.2.0": { status: "Retired" as const },
  "1.3.0": { status: "Deprecated" as const },
  "2.0.0-beta.1": {},
  "2.0.0": {},
  "2.1.0": {},
  "3.0.0": {},
};

describe("one dependent", () => {
  it.each([
    ["1.0", "1.0.0"],
    ["1.0.0.0", "1.0.0"],
    ["0.1", "0.9.0"],
    ["1.0.1", "1.1.0"],
    ["1.1", "1.1.0"],
    ["1.2", "1.3.0"],
    ["1.2.0", "1.3.0"],
    ["1.4", "2.0.0"],
    ["2.0.0-alpha", "2.0.0-beta.1"],
    ["1.0-alpha", "1.0.0-rc.1"],
    ["1.0.0-rc.2", "1.0.0"],
    ["[1.0]", "1.0.0"],
    ["[1.1.0]", "1.1.0"],
    ["[2.0.0-beta.1]", "2.0.0-beta.1"],
    ["(1.0,)", "1.1.0"],
    ["(1.0,2.0)", "1.1.0"],
    ["[1.0,2.0)", "1.0.0"],
    ["(1.1,2.0]", "1.3.0"],
    ["(,2.0)", "0.9.0"],
    ["(, )", "0.9.0"],
    ["[2.0,3.0]", "2.0.0"],
    ["(2.1,3.0]", "3.0.0"],
    ["*", "3.0.0"],
    ["1.*", "1.3.0"],
    ["1.0.*", "1.0.0"],
    ["2.*", "2.1.0"],
    ["2.*-*", "2.1.0"],
    ["2.0.0-*", "2.0.0"],
    ["*-*", "3.0.0"],
    ["[1.*,2.0)", "1.3.0"],
    ["1.7.*", "2.0.0"],
  ])("of %s gets X %s", (range, version) => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { X: range } } } },
      X: { versions: versionsOfX },
    };
    expect(transitive(sketch, "A 1.0.0")).toBe(`X ${version}`);
    expect(broken(sketch, "A 1.0.0")).toBe("");
  });

  it.each(["4.0", "[1.2.0]", "[1.5]", "(3.0,)", "(,0.9)", "[1.0.1,1.1)", "(2.0,2.1)", "[5.*,6.0)", "(1.0,1.0)"])(
    "of %s gets nothing",
    (range) => {
      const sketch: CatalogSketch = {
        A: { versions: { "1.0.0": { needs: { X: range } } } },
        X: { versions: versionsOfX },
      };
      expect(transitive(sketch, "A 1.0.0")).toBe("");
      expect(broken(sketch, "A 1.0.0")).toBe("LibraryRequires");
    },
  );
});

describe("cousins", () => {
  const rows: readonly (readonly [a: string, b: string, version: string])[] = [
    ["1.0", "1.0", "1.0.0"],
    ["1.0", "1.1", "1.1.0"],
    ["1.0", "2.0", "2.0.0"],
    ["1.0", "3.0", "3.0.0"],
    ["1.0", "(1.0,)", "1.1.0"],
    ["1.0", "[1.0]", "1.0.0"],
    ["0.9", "[1.0]", "1.0.0"],
    ["1.0", "[2.0]", "2.0.0"],
    ["1.0", "[1.0,2.0)", "1.0.0"],
    ["1.1", "[1.0,2.0)", "1.1.0"],
    ["1.2", "[1.0,2.0)", "1.3.0"],
    ["(1.0,2.0]", "2.0", "2.0.0"],
    ["(,2.0]", "(1.1,)", "1.3.0"],
    ["(,2.0)", "1.0", "1.0.0"],
    ["(, )", "2.1", "2.1.0"],
    ["2.0.0-beta.1", "1.0", "2.0.0-beta.1"],
    ["2.0.0-beta.1", "2.0.0", "2.0.0"],
    ["1.0", "1.*", "1.3.0"],
    ["2.0", "[1.*,3.0)", "2.0.0"],
    ["1.0", "2.*", "2.1.0"],
    ["[1.0,3.0)", "2.*", "2.1.0"],
    ["1.0", "*", "3.0.0"],
    ["1.*", "2.*", "2.1.0"],
    ["1.*", "*", "3.0.0"],
    ["1.4", "1.0-alpha", "2.0.0"],
    ["[1.0]", "[1.0.0]", "1.0.0"],
    ["[1.0]", "1.0.0-rc.1", "1.0.0"],
    ["[1.0,1.1]", "[1.1,2.0]", "1.1.0"],
    ["[1.0]", "1.1", "conflict"],
    ["1.*", "[1.0,1.1]", "conflict"],
    ["[1.0]", "[1.1]", "conflict"],
    ["[1.0]", "(1.0,)", "conflict"],
    ["[1.0,2.0)", "2.0", "conflict"],
    ["[1.0,2.0)", "[2.0]", "conflict"],
    ["(,1.0)", "1.0", "conflict"],
    ["(,2.0)", "2.0.0-beta.2", "conflict"],
    ["[1.1,1.3)", "(1.1,2.0)", "conflict"],
    ["(,1.0]", "(1.0,)", "conflict"],
    ["3.0", "[2.0,3.0)", "conflict"],
  ];
  const graphWith = (ranges: readonly string[]): CatalogSketch => ({
    ...Object.fromEntries(
      ranges.map((range, index) => [`L${index}`, { versions: { "1.0.0": { needs: { X: range } } } }]),
    ),
    X: { versions: versionsOfX },
  });

  it.each(rows)("of %s and %s settle on %s", (a, b, version) => {
    for (const ranges of [
      [a, b],
      [b, a],
    ]) {
      const sketch = graphWith(ranges);
      const result = broken(sketch, "L0 1.0.0, L1 1.0.0");
      expect(result).toBe(version === "conflict" ? "LibraryVersionConflict" : "");
      if (version !== "conflict") expect(transitive(sketch, "L0 1.0.0, L1 1.0.0")).toBe(`X ${version}`);
    }
  });

  it.each([
    [["1.0", "1.1", "2.0"], "2.0.0"],
    [["1.0", "[1.0,3.0)", "2.0"], "2.0.0"],
    [["(,3.0)", "1.1", "(1.1,)"], "1.3.0"],
    [["1.0", "1.0", "1.0", "1.1"], "1.1.0"],
    [["1.0", "[1.0,2.0)", "2.0"], "conflict"],
    [["[1.0,2.0]", "[1.1,3.0]", "[2.0,3.0]"], "2.0.0"],
  ])("of %j settle on %s", (ranges, version) => {
    const set = ranges.map((_range, index) => `L${index} 1.0.0`).join(", ");
    expect(broken(graphWith(ranges), set)).toBe(version === "conflict" ? "LibraryVersionConflict" : "");
    if (version !== "conflict") expect(transitive(graphWith(ranges), set)).toBe(`X ${version}`);
  });
});

describe("a listed version", () => {
  it.each([
    ["1.0.0", "1.0", ""],
    ["1.1.0", "1.0", ""],
    ["3.0.0", "1.0", ""],
    ["1.0.0", "1.1", "LibraryDowngraded"],
    ["0.9.0", "1.0", "LibraryDowngraded"],
    ["1.0.0-rc.1", "1.0", "LibraryDowngraded"],
    ["1.0.0", "1.0.0-rc.1", ""],
    ["2.0.0-beta.1", "2.0", "LibraryDowngraded"],
    ["2.0.0-beta.1", "1.0", ""],
    ["1.0.0", "(1.0,)", "LibraryDowngraded"],
    ["1.1.0", "(1.0,)", ""],
    ["1.0.0", "[1.0]", ""],
    ["1.1.0", "[1.0]", "LibraryRequires"],
    ["0.9.0", "[1.0]", "LibraryDowngraded"],
    ["2.0.0", "[1.0,2.0)", "LibraryRequires"],
    ["2.0.0", "[1.0,2.0]", ""],
    ["2.0.0-beta.1", "[1.0,2.0)", ""],
    ["1.3.0", "[1.0,2.0)", ""],
    ["3.0.0", "(,3.0)", "LibraryRequires"],
    ["2.1.0", "(,3.0)", ""],
    ["1.0.0", "2.*", "LibraryDowngraded"],
    ["3.0.0", "2.*", ""],
    ["1.2.0", "1.0", "LibraryVersionRetired"],
  ])("%s where %s is asked breaks %j", (pin, range, rules) => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { X: range } } } },
      Deep: { versions: { "1.0.0": { needs: { A: "1.0" } } } },
      X: { versions: versionsOfX },
    };
    expect(broken(sketch, `A 1.0.0, X ${pin}`)).toBe(rules);
    expect(broken(sketch, `Deep 1.0.0, X ${pin}`)).toBe(rules);
  });
});

describe("the nearest dependent", () => {
  const tree = (near: string, far: string, extra: CatalogSketch = {}): CatalogSketch => ({
    A: { versions: { "1.0.0": { needs: { X: near, C: "1.0" } } } },
    C: { versions: { "1.0.0": { needs: { X: far } } } },
    X: { versions: versionsOfX },
    ...extra,
  });

  it.each([
    ["1.0", "1.0", "X 1.0.0", ""],
    ["1.1", "1.0", "X 1.1.0", ""],
    ["1.0", "1.1", "X 1.0.0", "LibraryDowngraded"],
    ["1.0", "2.0", "X 1.0.0", "LibraryDowngraded"],
    ["[1.0]", "2.0", "X 1.0.0", "LibraryDowngraded"],
    ["2.0", "[1.0]", "X 2.0.0", "LibraryVersionConflict"],
    ["2.0", "[1.0,2.0)", "X 2.0.0", "LibraryVersionConflict"],
    ["2.0", "[1.0,3.0)", "X 2.0.0", ""],
    ["1.*", "1.1", "X 1.3.0", ""],
    ["1.0", "9.0", "X 1.0.0", "LibraryDowngraded"],
    ["9.0", "1.0", "X 1.0.0", "LibraryRequires"],
  ])("of %s eclipses %s below it", (near, far, resolvedPackages, rules) => {
    expect(transitive(tree(near, far), "A 1.0.0").replace("C 1.0.0", "").replace(/^, /, "")).toBe(resolvedPackages);
    expect(broken(tree(near, far), "A 1.0.0")).toBe(rules);
  });

  it("is named in the finding, and listing the package resolves it", () => {
    expect(evaluate(tree("1.0", "2.0"), "A 1.0.0").violations).toMatchObject([
      {
        rule: "LibraryDowngraded",
        detail: "A 1.0.0 → C 1.0.0 requires X ≥ 2.0.0, but A 1.0.0 is nearer, so a restore takes X 1.0.0.",
        suggestedResolution:
          "Add X 2.0.0 (Published, supports net8.0) to the set. Verified: the set is then compatible.",
      },
    ]);
  });

  it.each([
    ["a cousin asks for more", "A 1.0.0, B 1.0.0", { B: { versions: { "1.0.0": { needs: { X: "2.0" } } } } }],
    ["the lower one is listed itself", "A 1.0.0, C 1.0.0", {}],
    ["another way leads to it", "A 1.0.0, D 1.0.0", { D: { versions: { "1.0.0": { needs: { C: "1.0" } } } } }],
    ["the package is listed", "A 1.0.0, X 2.0.0", {}],
  ] as const)("does not matter where %s", (_why, set, extra) => {
    expect(broken(tree("1.0", "2.0", extra), set)).toBe("");
  });

  it("is not a release that only a replaced version brought in", () => {
    const sketch: CatalogSketch = {
      B: { versions: { "1.0.0": { needs: { D: "2.0" } } } },
      C: { versions: { "1.0.0": { needs: { D: "3.0", E: "1.0" } } } },
      D: { versions: { "2.0.0": {}, "3.0.0": { needs: { E: "3.0" } } } },
      E: { versions: { "1.0.0": {}, "3.0.0": {} } },
    };
    expect(transitive(sketch, "B 1.0.0, C 1.0.0")).toBe("D 3.0.0, E 1.0.0");
    expect(broken(sketch, "B 1.0.0, C 1.0.0")).toBe("LibraryDowngraded");
  });

  it("reaches through several levels", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { B: "1.0", X: "1.0" } } } },
      B: { versions: { "1.0.0": { needs: { C: "1.0" } } } },
      C: { versions: { "1.0.0": { needs: { D: "1.0" } } } },
      D: { versions: { "1.0.0": { needs: { X: "2.0" } } } },
      X: { versions: versionsOfX },
    };
    expect(evaluate(sketch, "A 1.0.0").violations).toMatchObject([
      { detail: expect.stringMatching(/^A 1.0.0 → B 1.0.0 → C 1.0.0 → D 1.0.0 requires X ≥ 2.0.0, but A 1.0.0/) },
    ]);
    expect(broken(sketch, "A 1.0.0, D 1.0.0")).toBe("");
    expect(broken(sketch, "A 1.0.0, B 1.0.0")).toBe("");
  });
});

describe("dependency groups", () => {
  const sketch: CatalogSketch = {
    A: {
      on: "",
      versions: {
        "1.0.0": {
          needs: { Always: "1.0" },
          at: {
            "netstandard2.0": { Old: "1.0" },
            "net8.0": { New: "1.0" },
            net472: { Legacy: "1.0", Old: "1.0" },
          },
        },
        "2.0.0": { at: { "net8.0": { New: "1.0" }, ".NETStandard2.1": { New: "2.0" } } },
        "3.0.0": { at: { any: { Old: "1.0" }, "net9.0": { New: "2.0" } } },
      },
    },
    Always: { versions: { "1.0.0": {} } },
    Old: { versions: { "1.0.0": {} } },
    New: { versions: { "1.0.0": {}, "2.0.0": {} } },
    Legacy: { versions: { "1.0.0": {} } },
  } as CatalogSketch;

  it.each([
    ["A 1.0.0", "net8.0", "Always 1.0.0, New 1.0.0"],
    ["A 1.0.0", "net9.0", "Always 1.0.0, New 1.0.0"],
    ["A 1.0.0", "net8.0-windows", "Always 1.0.0, New 1.0.0"],
    ["A 1.0.0", "net7.0", "Always 1.0.0, Old 1.0.0"],
    ["A 1.0.0", "net6.0", "Always 1.0.0, Old 1.0.0"],
    ["A 1.0.0", "netcoreapp2.1", "Always 1.0.0, Old 1.0.0"],
    ["A 1.0.0", "netstandard2.1", "Always 1.0.0, Old 1.0.0"],
    ["A 1.0.0", "net472", "Always 1.0.0, Legacy 1.0.0, Old 1.0.0"],
    ["A 1.0.0", "net48", "Always 1.0.0, Legacy 1.0.0, Old 1.0.0"],
    ["A 1.0.0", "net461", "Always 1.0.0, Old 1.0.0"],
    ["A 1.0.0", "net45", "Always 1.0.0"],
    ["A 2.0.0", "net8.0", "New 1.0.0"],
    ["A 2.0.0", "net7.0", "New 2.0.0"],
    ["A 2.0.0", "net48", ""],
    ["A 3.0.0", "net8.0", "Old 1.0.0"],
    ["A 3.0.0", "net10.0", "New 2.0.0"],
    ["A 3.0.0", "net48", "Old 1.0.0"],
  ])("of %s on %s bring in [%s]", (set, runtime, resolvedPackages) => {
    expect(transitive(sketch, set, runtime)).toBe(resolvedPackages);
  });
});

describe("graphs", () => {
  const chain = (length: number, last: CatalogSketch = {}): CatalogSketch => ({
    ...Object.fromEntries(
      Array.from({ length }, (_, index) => [
        `C${index}`,
        { versions: { "1.0.0": { needs: { [`C${index + 1}`]: "1.0" } } } },
      ]),
    ),
    [`C${length}`]: { versions: { "1.0.0": {} } },
    ...last,
  });

  it.each([1, 2, 10, 100, 500])("of a chain of %i are walked to the end", (length) => {
    expect(broken(chain(length), "C0 1.0.0")).toBe("");
    expect(transitive(chain(length), "C0 1.0.0").split(", ")).toHaveLength(length);
    const broken9 = chain(length, { [`C${length}`]: { versions: { "1.0.0": { on: "net9.0" } } } });
    expect(broken(broken9, "C0 1.0.0")).toBe("LibraryDoesNotSupportRuntime");
  });

  it.each([2, 10, 100])("that end where they begin after %i are one cycle", (length) => {
    const cycle = chain(length, { [`C${length}`]: { versions: { "1.0.0": { needs: { C0: "1.0" } } } } });
    expect(broken(cycle, "C0 1.0.0")).toBe("LibraryDependencyCycle");
    expect(broken(cycle, `C0 1.0.0, C1 1.0.0, C${length} 1.0.0`)).toBe("LibraryDependencyCycle");
  });

  it("of stacked diamonds are resolved quickly, although they have very many paths", () => {
    const layers = 40;
    const sketch: CatalogSketch = Object.fromEntries(
      Array.from({ length: layers }, (_, layer) =>
        ["L", "R"].map((side) => [
          `${side}${layer}`,
          {
            versions: {
              "1.0.0": layer + 1 < layers ? { needs: { [`L${layer + 1}`]: "1.0", [`R${layer + 1}`]: "1.1" } } : {},
              "1.1.0": layer + 1 < layers ? { needs: { [`L${layer + 1}`]: "1.1", [`R${layer + 1}`]: "1.0" } } : {},
            },
          },
        ]),
      ).flat(),
    );
    expect(broken(sketch, "L0 1.0.0, R0 1.1.0")).toBe("");
    expect(transitive(sketch, "L0 1.0.0, R0 1.1.0").split(", ")).toHaveLength((layers - 1) * 2);
  });

  it("do not keep dependencies of a version that was replaced", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { X: "1.0" } } } },
      B: { versions: { "1.0.0": { needs: { X: "2.0" } } } },
      X: { versions: { "1.0.0": { needs: { Gone: "1.0" } }, "2.0.0": { needs: { Kept: "1.0" } } } },
      Gone: { versions: { "1.0.0": { on: "net9.0" } } },
      Kept: { versions: { "1.0.0": {} } },
    };
    expect(transitive(sketch, "A 1.0.0, B 1.0.0")).toBe("Kept 1.0.0, X 2.0.0");
    expect(broken(sketch, "A 1.0.0, B 1.0.0")).toBe("");
    expect(broken(sketch, "A 1.0.0")).toBe("LibraryDoesNotSupportRuntime");
  });

  it("are raised together with a version that needs more", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { needs: { X: "1.0", Y: "1.0" } } } },
      B: { versions: { "1.0.0": { needs: { X: "2.0" } } } },
      X: { versions: { "1.0.0": { needs: { Y: "1.0" } }, "2.0.0": { needs: { Y: "2.0" } } } },
      Y: { versions: { "1.0.0": { needs: { Z: "1.0" } }, "2.0.0": { needs: { Z: "2.0" } } } },
      Z: { versions: { "1.0.0": {}, "2.0.0": {} } },
    };
    expect(transitive(sketch, "A 1.0.0, B 1.0.0")).toBe("X 2.0.0, Y 2.0.0, Z 2.0.0");
  });
});

describe("any input", () => {
  const word = fc.oneof(
    fc.constantFrom("A", "b", "a", "", " ", "__proto__", "constructor", "X.Y", "net8.0", "1.0.0", "*", "[1.0,2.0)"),
    fc.string({ maxLength: 12 }),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  const list = <T>(of: fc.Arbitrary<T>) => fc.array(of, { maxLength: 4 });
  const version = fc.record(
    {
      libraryVersionId: word,
      version: word,
      status: fc.constantFrom("Published", "Deprecated", "Retired"),
      targetFrameworks: list(word),
      dependencies: list(
        fc.record(
          { packageName: word, range: word, targetFramework: fc.option(word) },
          { requiredKeys: ["packageName", "range"] },
        ),
      ),
      conflictsWith: list(fc.record({ packageName: word, range: fc.option(word) })),
      consumes: list(word),
      vulnerabilities: list(fc.record({ severity: fc.constant("High"), advisoryUrl: word })),
      deprecation: fc.option(
        fc.record({ reason: fc.option(word), message: fc.option(word), alternatePackage: fc.option(word) }),
      ),
      maxRuntime: fc.option(word),
    },
    {
      requiredKeys: ["libraryVersionId", "version", "status", "targetFrameworks", "dependencies", "conflictsWith"],
    },
  );
  const templateVersion = {
    semanticVersion: word,
    targetFramework: word,
    status: word,
    pins: list(fc.record({ packageName: word, version: word, range: fc.option(word) })),
    sdkVersions: list(word),
  };
  const input = fc.record(
    {
      runtime: fc.constantFrom("net8.0", "net48", "netstandard2.0", "uap10.0", "portable-net45+win8").map(framework),
      libraries: list(fc.record({ packageName: word, version: word })),
      catalog: list(
        fc.record({
          libraryId: word,
          packageName: word,
          capabilities: list(
            fc.record(
              { name: word, contract: fc.option(word), exclusive: fc.boolean() },
              { requiredKeys: ["name", "contract"] },
            ),
          ),
          versions: list(version),
        }),
      ).map((libraries) => new Map(libraries.map((library) => [library.packageName.toLowerCase(), library]))),
      template: fc.record({
        templateVersionId: word,
        ...templateVersion,
        otherVersions: list(fc.record(templateVersion)),
      }),
      unknownLibraries: fc.constantFrom("advisory", "violation"),
      now: fc.date({ noInvalidDate: true }),
    },
    { requiredKeys: ["runtime", "libraries", "catalog"] },
  ) as fc.Arbitrary<EvaluationInput>;

  it("is evaluated without an error, and every violation has a suggestion", () => {
    fc.assert(
      fc.property(input, (anInput) => {
        const { compatible, violations } = evaluateSet(anInput);
        expect(compatible).toBe(violations.length === 0);
        for (const { detail, suggestedResolution } of violations) {
          expect(detail).not.toBe("");
          expect(suggestedResolution).not.toBe("");
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("may have any text as a package name", () => {
    expect(evaluateSet({ ...inputOf({}, "__proto__ 1.0.0"), catalog: catalogOf({}) }).compatible).toBe(true);
  });
});
