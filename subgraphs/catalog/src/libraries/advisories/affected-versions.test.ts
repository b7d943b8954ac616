import { compareVersions, parseVersion } from "@factory/nuget/version";
import { doAtOnce } from "@factory/runtime/threads/long-work";
import fc from "fast-check";
import { covers, fixedVersions, isAffected, type OsvEvent, VersionCollection } from "./affected-versions.js";

const version = (text: string) => {
  const nugetVersion = parseVersion(text);
  if (nugetVersion === undefined) throw new Error(text);
  return nugetVersion;
};
function affectedVersions(ranges: readonly (readonly OsvEvent[])[], listedVersions: readonly string[]) {
  const collection = new VersionCollection();
  for (const events of ranges) collection.addRange(events);
  collection.addVersions(listedVersions);
  return doAtOnce(collection.affected());
}
const order = (a: string, b: string) => compareVersions(version(a), version(b));

/** One range's evaluation as ossf.github.io/osv-schema writes it down, over sorted events. */
function byTheSpecification(events: readonly OsvEvent[], text: string): boolean {
  const limits = events.flatMap(({ limit }) => limit ?? []);
  if (limits.length > 0 && !limits.some((limit) => limit === "*" || order(text, limit) < 0)) return false;
  const at = ({ introduced, fixed, last_affected }: OsvEvent) => introduced ?? fixed ?? last_affected ?? "";
  const rank = ({ fixed, introduced }: OsvEvent) => (fixed !== undefined ? 0 : introduced !== undefined ? 1 : 2);
  const sortedEvents = events
    .filter(({ limit }) => limit === undefined)
    .toSorted((a, b) => {
      if ((at(a) === "0") !== (at(b) === "0")) return at(a) === "0" ? -1 : 1;
      return order(at(a), at(b)) || rank(a) - rank(b);
    });
  let vulnerable = false;
  for (const { introduced, fixed, last_affected } of sortedEvents) {
    if (introduced !== undefined && (introduced === "0" || order(text, introduced) >= 0)) vulnerable = true;
    if (fixed !== undefined && order(text, fixed) >= 0) vulnerable = false;
    if (last_affected !== undefined && order(text, last_affected) > 0) vulnerable = false;
  }
  return vulnerable;
}

const aVersion = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 2 }), fc.constantFrom("", "-alpha", "-rc.1"))
  .map(([major, minor, label]) => `${major}.${minor}.0${label}`);
const anEvent: fc.Arbitrary<OsvEvent> = fc.oneof(
  fc.constant({ introduced: "0" }),
  aVersion.map((introducedVersion) => ({ introduced: introducedVersion })),
  aVersion.map((fixedVersion) => ({ fixed: fixedVersion })),
  aVersion.map((last_affected) => ({ last_affected })),
  aVersion.map((limit) => ({ limit })),
  fc.constant({ limit: "*" }),
);

describe("affected versions", () => {
  it("are those of the evaluation that OSV specifies, for ranges in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.array(anEvent, { maxLength: 6 }), { maxLength: 3 }), aVersion, (ranges, text) => {
        const isExpected = ranges.some((events) => byTheSpecification(events, text));
        expect(isAffected(affectedVersions(ranges, []), version(text))).toBe(isExpected);
      }),
      { numRuns: 3000 },
    );
  });

  it("do not change when the listed versions repeat what the ranges say", () => {
    fc.assert(
      fc.property(
        fc.array(anEvent, { maxLength: 6 }),
        fc.array(aVersion, { maxLength: 5 }),
        aVersion,
        (events, listedVersions, text) => {
          const affectedSet = affectedVersions([events], listedVersions);
          const isExpected =
            byTheSpecification(events, text) ||
            listedVersions.some((listedVersion) => order(listedVersion, text) === 0);
          expect(isAffected(affectedSet, version(text))).toBe(isExpected);
        },
      ),
    );
  });

  it("are stored without the listed versions that a range covers", () => {
    const { intervals, versions } = affectedVersions(
      [[{ fixed: "13.0.1" }, { introduced: "0" }]],
      ["12.0.3", "13.0.1", "13.0.1.0", "not a version"],
    );
    expect(intervals).toEqual([{ from: null, to: "13.0.1", inclusive: false }]);
    expect(versions).toEqual(["13.0.1"]);
  });

  it("end at the version itself where a single version is affected", () => {
    const affectedSet = affectedVersions([[{ introduced: "1.2.0" }, { last_affected: "1.2.0" }]], []);
    expect(["1.1.9", "1.2.0", "1.2.0.1"].map((text) => isAffected(affectedSet, version(text)))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("begin before every prerelease where a range begins at 0", () => {
    expect(isAffected(affectedVersions([[{ introduced: "0" }]], []), version("0.0.0-alpha"))).toBe(true);
  });

  it("name the versions that fix them", () => {
    const events = [{ introduced: "0" }, { fixed: "1.5.0" }, { introduced: "2.0.0" }, { fixed: "2.1.0" }];
    expect(fixedVersions(affectedVersions([events], []))).toEqual(["1.5.0", "2.1.0"]);
  });

  it("cover others only if they affect each of their versions", () => {
    const some = fc
      .tuple(fc.array(fc.array(anEvent, { maxLength: 4 }), { maxLength: 2 }), fc.array(aVersion, { maxLength: 3 }))
      .map(([ranges, listedVersions]) => affectedVersions(ranges, listedVersions));
    fc.assert(
      fc.property(some, some, aVersion, (wide, narrow, text) => {
        expect(covers(narrow, narrow)).toBe(true);
        if (covers(wide, narrow) && isAffected(narrow, version(text)))
          expect(isAffected(wide, version(text))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ["a later fix", [[{ introduced: "1.0" }, { fixed: "3.0" }]], [], true],
    ["an earlier fix", [[{ introduced: "1.0" }, { fixed: "1.9" }]], [], false],
    ["a later beginning", [[{ introduced: "1.1" }, { fixed: "2.0" }]], [], false],
    ["a last version in place of the fix", [[{ introduced: "1.0" }, { last_affected: "1.9" }]], [], false],
    ["no end", [[{ introduced: "0" }]], [], true],
    ["versions in place of the range", [], ["1.0", "1.1"], false],
    ["two ranges without a gap", [[{ introduced: "1.0" }, { fixed: "1.5" }], [{ introduced: "1.5" }]], [], true],
  ])("with %s cover a range or not", (_, ranges, listedVersions, isExpected) => {
    const narrow = affectedVersions([[{ introduced: "1.0" }, { fixed: "2.0" }]], []);
    expect(covers(affectedVersions(ranges, listedVersions), narrow)).toBe(isExpected);
  });
});
