import fc from "fast-check";
import {
  compareVersions,
  formatFullVersion,
  formatVersion,
  isPrerelease,
  isSemVer2,
  type NugetVersion,
  parseVersion,
} from "./version.js";

function version(text: string): NugetVersion {
  const result = parseVersion(text);
  if (result === undefined) throw new Error(`${text} is no version`);
  return result;
}

const normalForms: readonly (readonly [string, string])[] = [
  ["1", "1.0.0"],
  ["1. 0", "1.0.0"],
  ["1.0.0 -a", "1.0.0-a"],
  [" 1  .   2 ", "1.2.0"],
  ["1.0", "1.0.0"],
  ["1.2", "1.2.0"],
  ["1.2.3", "1.2.3"],
  ["1.2.3.0", "1.2.3"],
  ["1.2.3.4", "1.2.3.4"],
  ["1.0.0.1", "1.0.0.1"],
  ["0", "0.0.0"],
  ["0.0.0.0", "0.0.0"],
  ["01.002.3", "1.2.3"],
  ["1.0.0-alpha", "1.0.0-alpha"],
  ["1.0-Beta", "1.0.0-Beta"],
  ["1-rc.1", "1.0.0-rc.1"],
  ["1.0.0-alpha.1.2", "1.0.0-alpha.1.2"],
  ["1.0.0-0", "1.0.0-0"],
  ["1.0.0-0a", "1.0.0-0a"],
  ["1.0.0--", "1.0.0--"],
  ["1.0.0-a-b", "1.0.0-a-b"],
  ["1.2.3.4-preview.5", "1.2.3.4-preview.5"],
  ["1.0.0+build", "1.0.0"],
  ["1.0.0+build.5.sha-1f", "1.0.0"],
  ["1.0.0-rc+build", "1.0.0-rc"],
  [" 1.0.0 ", "1.0.0"],
  ["2147483647.0.0", "2147483647.0.0"],
  ["13.0.3", "13.0.3"],
  ["8.0.0-preview.7.23375.6", "8.0.0-preview.7.23375.6"],
];

const invalidVersions = [
  "",
  " ",
  "v1.0.0",
  "1.",
  ".1",
  "1..0",
  "1.0.0.0.0",
  "1.a",
  "a",
  "1.0.0-",
  "1.0.0+",
  "1.0.0-+b",
  "1.0.0-a..b",
  "1.0.0-.a",
  "1.0.0-a.",
  "1.0.0-a_b",
  "1.0.0-01",
  "1.0.0-alpha.007",
  "1.0.0-00",
  "1.0.0-ä",
  "1.0.0+a..b",
  "1.0.0- a",
  "1 0",
  "1.0 0",
  "-1.0",
  "1.-1",
  "2147483648.0",
  "1.*",
  "[1.0]",
  "1,0",
  "latest",
  "1.0.0+a+b",
];

/** Each row rises from left to right. */
const rising: readonly (readonly string[])[] = [
  ["0.9.9", "1.0.0", "1.0.1", "1.1.0", "2.0.0", "10.0.0"],
  ["1.0.0", "1.0.0.1", "1.0.0.2", "1.0.1"],
  [
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
  ],
  ["1.0.0-0", "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0--", "1.0.0-a"],
  ["1.0.0-a", "1.0.0-a-", "1.0.0-aa"],
  ["1.0.0-beta2", "1.0.0-beta20", "1.0.0-beta3"],
  ["1.0.0-rc", "1.0.0", "1.0.0.1-rc", "1.0.0.1"],
  ["1.9.0", "1.10.0", "1.11.0"],
  ["1.0.0-9007199254740992", "1.0.0-9007199254740993", "1.0.0-10000000000000000000"],
];

const equal: readonly (readonly [string, string])[] = [
  ["1.0", "1.0.0.0"],
  ["1", "1.0"],
  ["1.0.0-ALPHA", "1.0.0-alpha"],
  ["1.0.0-Rc.1", "1.0.0-rC.1"],
  ["1.0.0+a", "1.0.0+b"],
  ["1.0.0-rc+a", "1.0-rc"],
  ["1.02", "1.2.0"],
];

describe("NuGet versions", () => {
  it.each(normalForms)("reads %j as %s", (text, normalForm) => {
    expect(formatVersion(version(text))).toBe(normalForm);
  });

  it.each(invalidVersions)("does not read %j", (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });

  const pairs = rising.flatMap((row) =>
    row.flatMap((low, index) => row.slice(index + 1).map((high) => [low, high] as const)),
  );
  it.each(pairs)("%s is lower than %s", (low, high) => {
    expect(Math.sign(compareVersions(version(low), version(high)))).toBe(-1);
    expect(Math.sign(compareVersions(version(high), version(low)))).toBe(1);
  });

  it.each(equal)("%s equals %s", (a, b) => {
    expect(compareVersions(version(a), version(b))).toBe(0);
  });

  it.each([
    ["1.0+build", "1.0.0+build"],
    ["1.0.0-rc.1+sha.1f", "1.0.0-rc.1+sha.1f"],
    ["1.2.3.4+01", "1.2.3.4+01"],
    ["1.2.3.0", "1.2.3"],
    ["1.0-Beta+B", "1.0.0-Beta+B"],
  ])("writes %s in full as %s", (text, fullForm) => {
    expect(formatFullVersion(version(text))).toBe(fullForm);
  });

  it.each([
    ["1.0.0", false],
    ["1.0.0-beta", false],
    ["1.2.3.4-beta-2", false],
    ["1.0.0-beta.1", true],
    ["1.0.0+meta", true],
    ["1.0.0-beta+meta", true],
  ])("%s needs SemVer 2.0.0: %s", (text, needsSemVer2) => {
    expect(isSemVer2(version(text))).toBe(needsSemVer2);
  });

  it("tells prereleases by their label, never by the build metadata", () => {
    expect(isPrerelease(version("1.0.0-rc.1"))).toBe(true);
    expect(isPrerelease(version("1.0.0+rc.1"))).toBe(false);
  });

  it("prints what it reads back as the same version", () => {
    const label = fc.stringMatching(/^(?:0|[1-9A-Za-z-][0-9A-Za-z-]{0,5})$/);
    const text = fc
      .tuple(fc.array(fc.nat(9999), { minLength: 1, maxLength: 4 }), fc.array(label, { maxLength: 3 }))
      .map(([parts, labels]) => parts.join(".") + (labels.length > 0 ? `-${labels.join(".")}` : ""));
    fc.assert(
      fc.property(text, (source) => {
        const parsedVersion = version(source);
        expect(compareVersions(version(formatVersion(parsedVersion)), parsedVersion)).toBe(0);
      }),
    );
  });
});
