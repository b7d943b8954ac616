import { formatVersion, type NugetVersion, parseVersion } from "./version.js";
import {
  bestMatch,
  covers,
  describeRange,
  formatRange,
  isSubset,
  lowestIncluded,
  meet,
  parseRange,
  prettyRange,
  satisfies,
  shortRange,
  type VersionRange,
} from "./version-range.js";

function version(text: string): NugetVersion {
  const result = parseVersion(text);
  if (result === undefined) throw new Error(`${text} is no version`);
  return result;
}

function range(text: string): VersionRange {
  const result = parseRange(text);
  if (result === undefined) throw new Error(`${text} is no range`);
  return result;
}

const invalidRanges = [
  "",
  " ",
  "[",
  "]",
  "[]",
  "[ ]",
  "()",
  "(,)",
  "[,]",
  "[,)",
  "(1.0)",
  "[1.0)",
  "(1.0]",
  "[1.0",
  "1.0]",
  "[1.0,1.0)",
  "(1.0,1.0]",
  "[2.0,1.0]",
  "[1.0,1.0-rc]",
  "[1.0,2.0,3.0]",
  "[a,b]",
  "[1.0;2.0]",
  "{1.0}",
  "1.*.0",
  "**",
  "*.1",
  "1.2.3.4.*",
  "1.0.*-",
  "[1.0,2.*]",
  "[1.*]",
  "~1.0",
  "^1.0",
  ">=1.0",
  "1.0 - 2.0",
  "1.0.0-be_ta*",
  "1.0.0+*",
  "*+meta",
  "1.0.0-01*-*",
  "1.0.0-a..b*",
  "1.0.0-.*",
  "*-**",
  "*.*",
  "1.*.*",
  "[*]",
  "[1.0.0-*]",
  "[*,1.*]",
  "(1.*,2.*)",
  "[1.* ,2.0)",
  "1.0 2.0",
  "[1.0,2.0",
  "1.0,2.0]",
  "1.0,2.0",
  "([1.0])",
  "[[1.0]]",
  "(1.0-rc)",
  "[1.0-rc,1.0-beta]",
  "[2.0,1.0)",
  "(2.0,2.0]",
  "[,,]",
  "v1.0",
  "[v1.0,)",
  "latest",
  "1.0.0.0.0",
  "[1.0.0.0.0,)",
  "-1",
];

/** range: in full, short, as a message prints it. */
const forms: readonly (readonly [range: string, full: string, short: string, pretty: string])[] = [
  ["1.0", "[1.0.0, )", "1.0.0", "(>= 1.0.0)"],
  ["1", "[1.0.0, )", "1.0.0", "(>= 1.0.0)"],
  ["1.2.3.4", "[1.2.3.4, )", "1.2.3.4", "(>= 1.2.3.4)"],
  ["1.0.0-Beta.2", "[1.0.0-Beta.2, )", "1.0.0-Beta.2", "(>= 1.0.0-Beta.2)"],
  ["1.0+meta", "[1.0.0, )", "1.0.0", "(>= 1.0.0)"],
  ["[1.0,)", "[1.0.0, )", "1.0.0", "(>= 1.0.0)"],
  ["[1.0,]", "[1.0.0, )", "1.0.0", "(>= 1.0.0)"],
  ["(1.0,)", "(1.0.0, )", "(1.0.0, )", "(> 1.0.0)"],
  ["[1.0]", "[1.0.0, 1.0.0]", "[1.0.0]", "(= 1.0.0)"],
  ["[1.0,1.0]", "[1.0.0, 1.0.0]", "[1.0.0]", "(= 1.0.0)"],
  ["(1.0,1.0)", "(1.0.0, 1.0.0)", "(1.0.0, 1.0.0)", "(> 1.0.0 && < 1.0.0)"],
  ["(,1.0]", "(, 1.0.0]", "(, 1.0.0]", "(<= 1.0.0)"],
  ["[,1.0]", "(, 1.0.0]", "(, 1.0.0]", "(<= 1.0.0)"],
  ["(,1.0)", "(, 1.0.0)", "(, 1.0.0)", "(< 1.0.0)"],
  ["[1.0,2.0]", "[1.0.0, 2.0.0]", "[1.0.0, 2.0.0]", "(>= 1.0.0 && <= 2.0.0)"],
  ["(1.0,2.0)", "(1.0.0, 2.0.0)", "(1.0.0, 2.0.0)", "(> 1.0.0 && < 2.0.0)"],
  ["[1.0,2.0)", "[1.0.0, 2.0.0)", "[1.0.0, 2.0.0)", "(>= 1.0.0 && < 2.0.0)"],
  ["(1.0, 2.0]", "(1.0.0, 2.0.0]", "(1.0.0, 2.0.0]", "(> 1.0.0 && <= 2.0.0)"],
  ["(, )", "(, )", "(, )", ""],
  ["*", "[*, )", "*", "(>= 0.0.0)"],
  ["1.*", "[1.*, )", "1.*", "(>= 1.0.0)"],
  ["1.2.*", "[1.2.*, )", "1.2.*", "(>= 1.2.0)"],
  ["1.2.3.*", "[1.2.3.*, )", "1.2.3.*", "(>= 1.2.3)"],
  ["1.0.0-*", "[1.0.0-*, )", "1.0.0-*", "(>= 1.0.0-0)"],
  ["1.0.0-beta*", "[1.0.0-beta*, )", "1.0.0-beta*", "(>= 1.0.0-beta)"],
  ["1.0.0-Beta*", "[1.0.0-Beta*, )", "1.0.0-Beta*", "(>= 1.0.0-Beta)"],
  ["1.0.0-beta.*", "[1.0.0-beta.*, )", "1.0.0-beta.*", "(>= 1.0.0-beta.0)"],
  ["1.0.0.1-rc*", "[1.0.0.1-rc*, )", "1.0.0.1-rc*", "(>= 1.0.0.1-rc)"],
  ["*-*", "[*-*, )", "*-*", "(>= 0.0.0-0)"],
  ["*-rc*", "[*-rc*, )", "*-rc*", "(>= 0.0.0-rc)"],
  ["1.*-*", "[1.*-*, )", "1.*-*", "(>= 1.0.0-0)"],
  ["1.2.*-rc.*", "[1.2.*-rc.*, )", "1.2.*-rc.*", "(>= 1.2.0-rc.0)"],
  ["1.2.3.*-*", "[1.2.3.*-*, )", "1.2.3.*-*", "(>= 1.2.3-0)"],
  ["[1.*,3.0)", "[1.*, 3.0.0)", "[1.*, 3.0.0)", "(>= 1.0.0 && < 3.0.0)"],
  ["(1.0.0-*,2.0]", "(1.0.0-*, 2.0.0]", "(1.0.0-*, 2.0.0]", "(> 1.0.0-0 && <= 2.0.0)"],
  ["1*", "[10.0.0, )", "10.0.0", "(>= 10.0.0)"],
  ["1.2*", "[1.*, )", "1.*", "(>= 1.20.0)"],
];

/** The first range is inside the second. */
const subsets: readonly (readonly [inner: string, outer: string, is: boolean])[] = [
  ["[1.0,2.0]", "[1.0,2.0]", true],
  ["[1.0,2.0]", "[1.0,3.0)", true],
  ["[1.0,2.0]", "(1.0,2.0]", false],
  ["(1.0,2.0)", "[1.0,2.0]", true],
  ["(1.0,2.0)", "(1.0,2.0)", true],
  ["[1.0,2.0)", "[1.0,2.0)", true],
  ["[1.0,2.0]", "[1.0,2.0)", false],
  ["[1.5]", "[1.0,2.0)", true],
  ["[2.0]", "[1.0,2.0)", false],
  ["1.5", "1.0", true],
  ["1.0", "1.5", false],
  ["1.0", "[1.0,9.0)", false],
  ["(,1.0)", "(,1.0]", true],
  ["(,1.0]", "(,1.0)", false],
  ["(, )", "1.0", false],
  ["1.0", "(, )", true],
  ["(1.0,1.0)", "[5.0]", true],
  ["[5.0]", "(1.0,1.0)", false],
  ["[1.0-rc,1.0]", "[1.0-beta,1.0]", true],
  ["[1.0-alpha,1.0]", "[1.0-beta,1.0]", false],
];

const meets: readonly (readonly [a: string, b: string, both: string | undefined])[] = [
  ["1.0", "2.0", "[2.0.0, )"],
  ["1.0", "(,2.0)", "[1.0.0, 2.0.0)"],
  ["[1.0,2.0]", "[2.0,3.0]", "[2.0.0, 2.0.0]"],
  ["[1.0,2.0)", "[2.0,3.0]", undefined],
  ["[1.0,2.0]", "(2.0,3.0]", undefined],
  ["[1.0,2.0]", "[3.0]", undefined],
  ["(, )", "1.*", "[1.0.0, )"],
  ["[1.0,3.0)", "(1.0,2.0]", "(1.0.0, 2.0.0]"],
  ["(1.0,2.0)", "[1.0,2.0]", "(1.0.0, 2.0.0)"],
  ["(,1.0]", "(,1.0)", "(, 1.0.0)"],
];

/** range: the versions inside / the versions outside. */
const inside: readonly (readonly [range: string, inside: string, outside: string])[] = [
  ["1.0", "1.0 1.0.1 2.0 99.0 1.0.0.1 2.0-beta", "0.9 0.9.9.9 1.0-beta 0.0"],
  ["[1.0,)", "1.0 3.0", "0.9 1.0-rc"],
  ["(1.0,)", "1.0.1 1.0.0.1 2.0", "1.0 1.0.0.0 0.9"],
  ["[1.0]", "1.0 1.0.0 1.0.0.0 1.0+meta", "1.0.0.1 0.9 1.1 1.0-rc"],
  ["[1.0,1.0]", "1.0", "1.0.1"],
  ["(,1.0]", "1.0 0.1 0.0 1.0-rc", "1.0.1 2.0"],
  ["(,1.0)", "0.9 1.0-rc", "1.0 1.1"],
  ["[,2.0)", "0.1 1.9.9 2.0-alpha", "2.0 2.0.1"],
  ["[1.0,2.0]", "1.0 1.5 2.0 2.0-rc", "0.9 2.0.1 1.0-rc"],
  ["(1.0,2.0)", "1.0.1 1.9.9", "1.0 2.0"],
  ["[1.0,2.0)", "1.0 1.9 2.0-beta", "2.0 2.1 0.9"],
  ["(1.0,2.0]", "1.5 2.0", "1.0 2.0.0.1"],
  [" [ 1.0 , 2.0 ) ", "1.0 1.1", "2.0"],
  ["(, )", "0.0 1.0 99.0-rc", ""],
  ["1.0-beta", "1.0-beta 1.0-rc 1.0 1.0-BETA 1.0-beta.1", "1.0-alpha 0.9"],
  ["[1.0-alpha,1.0]", "1.0-alpha 1.0-beta 1.0", "1.0.1 0.9"],
  ["[1.2.3.4,1.2.3.6)", "1.2.3.4 1.2.3.5", "1.2.3 1.2.3.6"],
  ["*", "0.0 1.0 9.9", ""],
  ["1.*", "1.0 1.9 2.0", "0.9 1.0-rc"],
  ["1.2.*", "1.2.0 1.2.9 1.3", "1.1.9"],
  ["[1.*,3.0)", "1.0 2.9", "3.0 0.9"],
  ["1.0.0-*", "1.0.0-0 1.0.0-alpha 1.0.0 1.1", "0.9"],
  ["1.0.0-beta*", "1.0.0-beta 1.0.0-beta2 1.0.0-beta.1 1.0.0", "1.0.0-alpha"],
  ["*-*", "0.0.0-0 1.0-rc 3.0", ""],
];

/** range: the versions a person means by it / the others. */
const meant: readonly (readonly [range: string, meant: string, others: string])[] = [
  ["*", "1.0 2.0", "2.0-rc"],
  ["1.*", "1.0 1.9.9", "2.0 0.9 1.5-rc"],
  ["1.2.*", "1.2.0 1.2.7", "1.3.0 1.2.7-rc 1.1"],
  ["1.2.3.*", "1.2.3 1.2.3.9", "1.2.4"],
  ["1.*-*", "1.0 1.5-rc 1.9", "2.0 2.0-rc"],
  ["1.2.*-rc*", "1.2.0 1.2.5-rc.1 1.2.5-RC", "1.2.5-beta 1.3.0"],
  ["1.0.0-*", "1.0.0-alpha 1.0.0", "1.0.1 1.0.1-alpha"],
  ["1.0.0-beta*", "1.0.0-beta2 1.0.0-beta.1 1.0.0", "1.0.0-rc 1.0.1"],
  ["1.0.0-beta.*", "1.0.0-beta.0 1.0.0-beta.7", "1.0.0-beta2 1.0.1"],
  ["*-*", "1.0-rc 2.0", ""],
  ["[1.0,2.0)", "1.0 1.9", "2.0"],
];

const matches: readonly (readonly [range: string, versions: string, best: string | undefined])[] = [
  ["1.0", "1.0 1.1 2.0", "1.0.0"],
  ["1.0", "0.9 1.1 2.0", "1.1.0"],
  ["1.0", "0.8 0.9", undefined],
  ["1.0", "", undefined],
  ["1.0", "1.1-beta 2.0", "2.0.0"],
  ["1.0", "1.1-beta", undefined],
  ["1.0-alpha", "1.0-beta 1.0 2.0", "1.0.0-beta"],
  ["[1.0,2.0-beta]", "1.5-rc 1.8", "1.5.0-rc"],
  ["(1.0,)", "1.0 1.0.1 2.0", "1.0.1"],
  ["[1.0]", "0.9 1.0 1.1", "1.0.0"],
  ["[1.0]", "0.9 1.1", undefined],
  ["[1.0,2.0)", "2.0 3.0", undefined],
  ["(,2.0)", "0.5 1.0 1.9 2.0", "0.5.0"],
  ["(, )", "3.0 1.0 2.0", "1.0.0"],
  ["[1.0,3.0]", "3.0 2.0", "2.0.0"],
  ["1*", "9.0 10.0 11.0", "10.0.0"],
  ["1.2*", "1.2 1.19 1.20 1.21 2.0", "1.21.0"],
  ["1.0", "1.0+a 1.0.1", "1.0.0"],
  ["(1.0,1.0)", "1.0 0.9 1.1", undefined],
  ["[1.0,2.0)", "2.0-alpha 1.0-rc", undefined],
  ["[1.0,2.0-rc)", "2.0-alpha 2.0-rc", "2.0.0-alpha"],
  ["[1.0.0.1,)", "1.0.0.0 1.0.0.3 1.0.0.2", "1.0.0.2"],
  ["*", "1.0 10.0 9.0", "10.0.0"],
  ["*-*", "1.0-alpha", "1.0.0-alpha"],
  ["*-*", "2.0 2.0-rc", "2.0.0"],
  ["*-beta*", "1.0 2.0-beta 3.0-alpha 2.0-beta.1", "2.0.0-beta.1"],
  ["1.*-beta*", "1.0-beta 1.1-alpha 1.2-beta.3 2.0", "1.2.0-beta.3"],
  ["1.*-*", "2.0 0.9", "2.0.0"],
  ["1.1.*-*", "1.1.0-a 1.1.1-b 1.2.0", "1.1.1-b"],
  ["1.1.1.*-*", "1.1.1.1-a 1.1.1.2 1.1.2", "1.1.1.2"],
  ["1.0.0-b*", "1.0.0-a 1.0.0-beta 1.0.0-B2 1.0.0-c", "1.0.0-beta"],
  ["1.0.0-*", "1.0.1-alpha 1.1.0", "1.0.1-alpha"],
  ["1.0-*", "1.0.0-rc.2 1.0.0-rc.10", "1.0.0-rc.10"],
  ["1.0.0-rc-*", "1.0.0-rc-1 1.0.0-rc-2 1.0.0-rc.9", "1.0.0-rc-2"],
  ["(1.*,3.0)", "1.0 1.4", "1.4.0"],
  ["*", "1.0 2.0 3.0-rc", "2.0.0"],
  ["*", "3.0-rc", undefined],
  ["*-*", "1.0 2.0 3.0-rc", "3.0.0-rc"],
  ["*-rc*", "1.0 2.0-rc.1 3.0-beta", "2.0.0-rc.1"],
  ["1.*", "1.0 1.5 1.9 2.0", "1.9.0"],
  ["1.*", "1.5 1.9-rc", "1.5.0"],
  ["1.*", "2.0 3.0", "2.0.0"],
  ["1.*", "0.9", undefined],
  ["1.2.*", "1.2.0 1.2.10 1.2.9 1.3.0", "1.2.10"],
  ["1.2.*", "1.3.0 1.4.0", "1.3.0"],
  ["1.2.3.*", "1.2.3 1.2.3.7 1.2.4", "1.2.3.7"],
  ["1.*-*", "1.0 1.5-rc 2.0-rc", "1.5.0-rc"],
  ["1.0.0-*", "1.0.0-alpha 1.0.0-beta 1.1.0", "1.0.0-beta"],
  ["1.0.0-*", "1.0.0-alpha 1.0.0", "1.0.0"],
  ["1.0.0-beta*", "1.0.0-alpha 1.0.0-beta.2 1.0.0-beta.10", "1.0.0-beta.10"],
  ["1.0.0-beta*", "1.0.0-alpha 1.0.0-rc 1.2.0", "1.0.0-rc"],
  ["1.0.0-rc.*", "1.0.0-rc.1 1.0.0-rc.12 1.0.0-rc.2", "1.0.0-rc.12"],
  ["[1.*,1.5)", "1.0 1.4 1.5 1.9", "1.4.0"],
];

const words: readonly (readonly [string, string])[] = [
  ["1.0", "≥ 1.0.0"],
  ["(1.0,2.0]", "> 1.0.0 and ≤ 2.0.0"],
  ["[1.0]", "1.0.0 exactly"],
  ["(1.0,1.0)", "> 1.0.0 and < 1.0.0"],
  ["(,2.0)", "< 2.0.0"],
  ["(, )", "any version"],
  ["1.2.*", "1.2.*"],
];

function split(text: string): string[] {
  return text.split(" ").filter(Boolean);
}

describe("version ranges", () => {
  it.each(invalidRanges)("refuse %j", (text) => {
    expect(parseRange(text)).toBeUndefined();
  });

  const bounds = inside.flatMap(([text, within, without]) => [
    ...split(within).map((item) => [text, "is satisfied by", item, true] as const),
    ...split(without).map((item) => [text, "is not satisfied by", item, false] as const),
  ]);
  it.each(bounds)("%s %s %s", (text, _verb, candidate, isSatisfied) => {
    expect(satisfies(range(text), version(candidate))).toBe(isSatisfied);
  });

  const wishes = meant.flatMap(([text, within, without]) => [
    ...split(within).map((item) => [text, "covers", item, true] as const),
    ...split(without).map((item) => [text, "does not cover", item, false] as const),
  ]);
  it.each(wishes)("%s %s %s", (text, _verb, candidate, isCovered) => {
    expect(covers(range(text), version(candidate))).toBe(isCovered);
  });

  it.each(matches)("%s among [%s] takes %s", (text, versions, best) => {
    const list = split(versions).map(version);
    for (const order of [list, list.toReversed()]) {
      const match = bestMatch(range(text), order);
      expect(match && formatVersion(match)).toBe(best);
    }
  });

  it.each(forms)("%s is written %s, shortly %s, in a message %j", (text, full, short, pretty) => {
    const parsedRange = range(text);
    expect([formatRange(parsedRange), shortRange(parsedRange), prettyRange(parsedRange)]).toEqual([
      full,
      short,
      pretty,
    ]);
  });

  it.each(subsets)("%s lies in %s: %s", (inner, outer, isContained) => {
    expect(isSubset(range(inner), range(outer))).toBe(isContained);
  });

  it.each(meets)("%s and %s meet in %s", (a, b, both) => {
    for (const intersection of [meet(range(a), range(b)), meet(range(b), range(a))])
      expect(intersection?.text).toBe(both);
  });

  it.each(words)("%s reads as %s", (text, sentence) => {
    expect(describeRange(range(text))).toBe(sentence);
  });
});

describe("lowestIncluded", () => {
  it.each([
    ["12.0.1", "12.0.1"],
    ["[12.0.1,13.0)", "12.0.1"],
    ["[12.0.1]", "12.0.1"],
    ["(12.0.1,13.0)", undefined],
    ["[,13.0)", undefined],
    ["12.*", undefined],
    ["[12.*,13.0)", undefined],
  ])("of %s is %s", (text, formattedLowest) => {
    const lowest = lowestIncluded(range(text));
    expect(lowest && formatVersion(lowest)).toBe(formattedLowest);
  });
});
