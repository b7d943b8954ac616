import fc from "fast-check";
import { type CatalogSketch, inputOf } from "../catalog-sketch.fixture.js";
import { evaluateSet } from "../evaluate-set.js";
import { adviseUpgrades, type UpgradeAdvice } from "./upgrade-advice.js";

function advise(sketch: CatalogSketch, set: string, runtime?: string): UpgradeAdvice {
  return adviseUpgrades(inputOf(sketch, set, runtime));
}

const moves = ({ upgrades }: UpgradeAdvice) =>
  upgrades.map(({ packageName, from, to, jump }) => `${packageName} ${from} ${to ?? "stays"} ${jump ?? ""}`.trim());
const proposedVersions = ({ proposal }: UpgradeAdvice) =>
  proposal?.libraries.map(({ packageName, version }) => `${packageName} ${version}`).join(", ");

const plain: CatalogSketch = {
  A: { versions: { "1.0.0": {}, "1.0.1": {}, "1.1.0": {}, "2.0.0": {}, "3.0.0-rc.1": {} } },
  B: { versions: { "1.0.0": {}, "1.0.1": {} } },
};

describe("upgrade advice", () => {
  it("names the newest version of each package and the size of the jump", () => {
    const advice = advise(plain, "A 1.0.0, B 1.0.0");
    expect(moves(advice)).toEqual(["A 1.0.0 2.0.0 Major", "B 1.0.0 1.0.1 Patch"]);
    expect(advice.upgrades.every(({ verified, notNewer }) => verified && notNewer === null)).toBe(true);
    expect(proposedVersions(advice)).toBe("A 2.0.0, B 1.0.1");
    expect(advice.proposal).toMatchObject({ compatible: true, held: [] });
    expect(advice.complete).toBe(true);
  });

  it.each([
    ["A 1.1.0", "A 1.1.0 2.0.0 Major"],
    ["B 1.0.1", undefined],
    ["A 2.0.0", undefined],
    ["A 3.0.0-rc.1", undefined],
    ["Unknown 1.0.0", undefined],
    ["A 9.9.9", undefined],
    ["A 1.0.0, A 1.1.0", undefined],
  ])("of %s says %s", (set, move) => {
    expect(moves(advise(plain, set))).toEqual(move === undefined ? [] : [move]);
  });

  it.each([
    ["1.0.0", "1.0.0.1", "Patch"],
    ["1.0.0", "1.0.7", "Patch"],
    ["1.0.0", "1.7.0", "Minor"],
    ["1.9.9", "2.0.0", "Major"],
    ["1.0.0-rc.1", "1.0.0-rc.2", "Prerelease"],
    ["1.0.0-rc.1", "1.0.0", "Prerelease"],
    ["1.0.0-rc.1", "2.0.0-rc.1", "Major"],
  ])("calls the jump from %s to %s %s", (from, to, jump) => {
    expect(moves(advise({ A: { versions: { [from]: {}, [to]: {} } } }, `A ${from}`))).toEqual([
      `A ${from} ${to} ${jump}`,
    ]);
  });

  it("goes to no version that is deprecated or retired", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": {}, "1.1.0": {}, "1.2.0": { status: "Deprecated" }, "1.3.0": { status: "Retired" } } },
    };
    expect(moves(advise(sketch, "A 1.0.0"))).toEqual(["A 1.0.0 1.1.0 Minor"]);
  });

  it("says that the runtime stands in the way", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { on: "net8.0" }, "1.5.0": { on: "net8.0" }, "2.0.0": { on: "net10.0" } } },
    };
    const advice = advise(sketch, "A 1.0.0");
    expect(advice.upgrades).toEqual([
      {
        packageName: "A",
        from: "1.0.0",
        to: "1.5.0",
        jump: "Minor",
        newest: "2.0.0",
        notNewer: {
          version: "2.0.0",
          rule: "LibraryDoesNotSupportRuntime",
          detail: "A 2.0.0 targets net10.0. A net8.0 project cannot use it.",
          packageName: null,
        },
        verified: true,
      },
    ]);
    expect(advice.proposal?.held).toMatchObject([{ packageName: "A", version: "1.5.0", newest: "2.0.0" }]);
  });

  const together: CatalogSketch = {
    Core: { versions: { "1.0.0": {}, "2.0.0": {} } },
    Web: { versions: { "1.0.0": { needs: { Core: "[1.0,2.0)" } }, "2.0.0": { needs: { Core: "[2.0,3.0)" } } } },
  };

  it("names the package that stands in the way, and moves both together in the whole set", () => {
    const advice = advise(together, "Core 1.0.0, Web 1.0.0");
    expect(moves(advice)).toEqual(["Core 1.0.0 stays", "Web 1.0.0 stays"]);
    expect(advice.upgrades.map(({ notNewer }) => notNewer?.packageName)).toEqual(["Web", "Core"]);
    expect(proposedVersions(advice)).toBe("Core 2.0.0, Web 2.0.0");
    expect(advice.proposal?.changes).toEqual([
      { packageName: "Core", from: "1.0.0", to: "2.0.0", jump: "Major" },
      { packageName: "Web", from: "1.0.0", to: "2.0.0", jump: "Major" },
    ]);
  });

  it("holds back one package for the sake of another", () => {
    const sketch: CatalogSketch = {
      ...together,
      Old: { versions: { "1.0.0": { needs: { Core: "[1.0,2.0)" } }, "1.1.0": { needs: { Core: "[1.0,2.0)" } } } },
    };
    const advice = advise(sketch, "Core 1.0.0, Web 1.0.0, Old 1.0.0");
    expect(proposedVersions(advice)).toBe("Core 1.0.0, Web 1.0.0, Old 1.1.0");
    expect(advice.proposal?.held.map(({ packageName }) => packageName)).toEqual(["Core", "Web"]);
    expect(advice.proposal?.held[0]?.notNewer?.rule).toBe("LibraryRequires");
  });

  it("holds back what clashes, and what brings in too much", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": {}, "2.0.0": { clashes: { B: "[2.0,)" } } } },
      B: { versions: { "1.0.0": {}, "2.0.0": {} } },
      C: { versions: { "1.0.0": {}, "2.0.0": { needs: { D: "2.0" } } } },
      D: { versions: { "1.0.0": {}, "2.0.0": { on: "net10.0" } } },
    };
    const advice = advise(sketch, "A 1.0.0, B 1.0.0, C 1.0.0");
    expect(moves(advice)).toEqual(["A 1.0.0 2.0.0 Major", "B 1.0.0 2.0.0 Major", "C 1.0.0 stays"]);
    expect(proposedVersions(advice)).toMatch(/^(A 1.0.0, B 2.0.0|A 2.0.0, B 1.0.0), C 1.0.0$/);
  });

  it("mends a broken set on the way, by a lower version only where nothing else does", () => {
    const sketch: CatalogSketch = {
      A: { versions: { "1.0.0": { on: "net8.0" }, "2.0.0": { on: "net10.0" } } },
      B: { versions: { "1.0.0": {}, "1.1.0": {} } },
      X: { versions: { "1.0.0": { on: "net10.0" }, "1.1.0": { on: "net8.0" } } },
    };
    expect(proposedVersions(advise(sketch, "A 2.0.0, B 1.0.0"))).toBe("A 1.0.0, B 1.1.0");
    expect(proposedVersions(advise(sketch, "X 1.0.0, B 1.0.0"))).toBe("X 1.1.0, B 1.1.0");
  });

  it("proposes nothing where nothing is compatible or nothing is newer", () => {
    const sketch: CatalogSketch = { A: { versions: { "1.0.0": { on: "net10.0" }, "2.0.0": { on: "net10.0" } } } };
    expect(advise(sketch, "A 1.0.0").proposal).toBeNull();
    expect(advise(plain, "A 2.0.0, B 1.0.1").proposal).toBeNull();
    expect(advise(plain, "")).toEqual({ upgrades: [], proposal: null, evaluations: 0, complete: true });
  });

  it("stays in its budget in a large set and says that it ended there", () => {
    const names = Array.from({ length: 80 }, (_, index) => `L${index}`);
    const sketch: CatalogSketch = Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          versions: Object.fromEntries(
            ["1.0.0", "2.0.0", "3.0.0", "4.0.0"].map((version) => [
              version,
              { needs: { [`L${(index + 1) % 80}x`]: "1.0", [`L${index + 1}`]: `[${version}]` } },
            ]),
          ),
        },
      ]),
    );
    const advice = advise(sketch, names.map((name) => `${name} 1.0.0`).join(", "));
    expect(advice.evaluations).toBeLessThanOrEqual(400);
  });

  const packages = ["A", "B", "C", "D"];
  const sketches: fc.Arbitrary<CatalogSketch> = fc
    .array(
      fc.array(
        fc.record({
          on: fc.constantFrom("", "net8.0", "net10.0", "netstandard2.0"),
          needs: fc.dictionary(fc.constantFrom(...packages), fc.constantFrom("1.0.0", "[1.0.0,2.0.0)", "2.0.0"), {
            maxKeys: 2,
          }),
          status: fc.constantFrom("Published", "Published", "Deprecated"),
        }),
        { minLength: 3, maxLength: 3 },
      ),
      { minLength: 4, maxLength: 4 },
    )
    .map((all) =>
      Object.fromEntries(
        all.map((versions, index) => [
          packages[index],
          { versions: Object.fromEntries(versions.map((facts, at) => [["1.0.0", "1.5.0", "2.0.0"][at], facts])) },
        ]),
      ),
    );

  it("names only what holds when it is evaluated again, whatever the order", () => {
    fc.assert(
      fc.property(sketches, fc.subarray(packages, { minLength: 1 }), (sketch, names) => {
        const input = inputOf(sketch, names.map((name) => `${name} 1.0.0`).join(", "));
        const advice = adviseUpgrades(input);
        const before = evaluateSet(input).violations.length;
        for (const { packageName, to, verified } of advice.upgrades) {
          if (to === null) continue;
          expect(verified).toBe(true);
          const libraries = input.libraries.map((library) =>
            library.packageName === packageName ? { packageName, version: to } : library,
          );
          expect(evaluateSet({ ...input, libraries }).violations.length).toBeLessThanOrEqual(before);
        }
        if (advice.proposal !== null)
          expect(evaluateSet({ ...input, libraries: advice.proposal.libraries }).compatible).toBe(true);
        const turnedAdvice = adviseUpgrades({ ...input, libraries: input.libraries.toReversed() });
        expect(turnedAdvice.upgrades).toEqual(advice.upgrades);
        expect(turnedAdvice.proposal?.changes).toEqual(advice.proposal?.changes);
      }),
      { numRuns: 120 },
    );
  });
});
