import { type FloatingVersion, floatsTo, formatFloating, parseStar } from "./floating-version.js";
import { compareVersions, formatVersion, isPrerelease, type NugetVersion, parseVersion } from "./version.js";

/** A NuGet version range. With `floating`, a restore takes the highest matching version between the bounds. */
export interface VersionRange {
  readonly text: string;
  readonly min: NugetVersion | undefined;
  readonly minInclusive: boolean;
  readonly max: NugetVersion | undefined;
  readonly maxInclusive: boolean;
  readonly floating: FloatingVersion | undefined;
}

const bracketForm = /^([[(])(.*)([\])])$/s;

/** Parses `1.0` (1.0 or higher), `[1.0]`, `(1.0,2.0]`, `[,2.0)`, `1.*`, `[1.*,3.0)`; undefined for anything else. */
export function parseRange(text: string): VersionRange | undefined {
  const content = text.trim();
  const brackets = bracketForm.exec(content);
  if (brackets === null)
    return withBounds({ text: content, least: content, most: "", minInclusive: true, maxInclusive: false });
  const [, open, inside = "", close] = brackets;
  const bounds = inside.split(",");
  const minInclusive = open === "[";
  const maxInclusive = close === "]";
  // NuGet accepts "(, )" for every version, but refuses "(,)" without the space
  if (bounds.length > 2 || bounds.every((bound) => bound === "")) return undefined;
  if (bounds.length === 1 && (inside.trim() === "" || !(minInclusive && maxInclusive))) return undefined;
  const [least = "", most = least] = bounds;
  return withBounds({ text: content, least, most, minInclusive, maxInclusive });
}

interface Bounds {
  text: string;
  least: string;
  most: string;
  minInclusive: boolean;
  maxInclusive: boolean;
}

function withBounds({ text, least, most, minInclusive, maxInclusive }: Bounds): VersionRange | undefined {
  const star = least.includes("*") ? parseStar(least) : undefined;
  const min = least.includes("*") ? star?.least : parseVersion(least);
  const max = parseVersion(most);
  const unreadable = (least.trim() !== "" && min === undefined) || (most.trim() !== "" && max === undefined);
  if (unreadable || (least === "" && most === "")) return undefined;
  if (min !== undefined && max !== undefined) {
    const order = compareVersions(min, max);
    // "(1.0,1.0)" is valid and empty; "[1.0,1.0)" contradicts itself and is not valid
    if (order > 0 || (order === 0 && minInclusive !== maxInclusive)) return undefined;
  }
  return { text, min, minInclusive, max, maxInclusive, floating: star?.floating };
}

/** Whether the version lies between the bounds. As in NuGet, 2.0 satisfies `1.*`: the star sets only the lower bound. */
export function satisfies(range: VersionRange, version: NugetVersion): boolean {
  return !isBelow(range, version) && !isAbove(range, version);
}

/** Whether the version is one that a reader expects in the range: unlike with `satisfies`, `1.*` means only 1.x. */
export function covers(range: VersionRange, version: NugetVersion): boolean {
  return satisfies(range, version) && (range.floating === undefined || floatsTo(range.floating, version));
}

/** Whether the version is lower than every version in the range. */
export function isBelow({ min, minInclusive }: VersionRange, version: NugetVersion): boolean {
  if (min === undefined) return false;
  const order = compareVersions(version, min);
  return minInclusive ? order < 0 : order <= 0;
}

/** Whether the version is higher than every version in the range. */
export function isAbove({ max, maxInclusive }: VersionRange, version: NugetVersion): boolean {
  if (max === undefined) return false;
  const order = compareVersions(version, max);
  return maxInclusive ? order > 0 : order >= 0;
}

/** Whether a restore may take a prerelease: only where a bound is one, or where the range floats to prereleases. */
export function admitsPrereleases({ min, max, floating }: VersionRange): boolean {
  return (
    [min, max].some((bound) => bound !== undefined && isPrerelease(bound)) || floating?.releasePrefix !== undefined
  );
}

/** The version that a restore takes: the lowest in the range, or the highest that matches a floating range. */
export function bestMatch(range: VersionRange, versions: readonly NugetVersion[]): NugetVersion | undefined {
  const candidates = versions.filter(
    (version) => satisfies(range, version) && (admitsPrereleases(range) || !isPrerelease(version)),
  );
  const { floating } = range;
  const matches = floating === undefined ? [] : candidates.filter((version) => floatsTo(floating, version));
  return matches.length > 0 ? extreme(matches, 1) : extreme(candidates, -1);
}

function extreme(versions: readonly NugetVersion[], direction: 1 | -1): NugetVersion | undefined {
  let best: NugetVersion | undefined;
  for (const version of versions)
    if (best === undefined || compareVersions(version, best) * direction > 0) best = version;
  return best;
}

/**
 * The version that a restore takes where every version exists: the lowest one. Undefined where only the versions that
 * exist can tell: for a floating range, and without an inclusive lower bound.
 */
export function lowestIncluded({ min, minInclusive, floating }: VersionRange): NugetVersion | undefined {
  return floating === undefined && minInclusive ? min : undefined;
}

/** Describes the range for a sentence: "≥ 1.0.0 and < 2.0.0", "1.4.0 exactly", "1.*", "any version". */
export function describeRange({ text, min, minInclusive, max, maxInclusive, floating }: VersionRange): string {
  if (floating !== undefined) return text;
  if (min && max && minInclusive && maxInclusive && compareVersions(min, max) === 0)
    return `${formatVersion(min)} exactly`;
  const bounds: string[] = [];
  if (min !== undefined) bounds.push(`${minInclusive ? "≥" : ">"} ${formatVersion(min)}`);
  if (max !== undefined) bounds.push(`${maxInclusive ? "≤" : "<"} ${formatVersion(max)}`);
  return bounds.length === 0 ? "any version" : bounds.join(" and ");
}

/** Formats the range in NuGet's full form, without short forms: `[1.0.0, )`, `(, 2.0.0)`, `[1.*, )`. */
export function formatRange({ min, minInclusive, max, maxInclusive, floating }: VersionRange): string {
  const least = floating === undefined ? min && formatVersion(min) : formatFloating(floating);
  const open = min !== undefined && minInclusive ? "[" : "(";
  const close = max !== undefined && maxInclusive ? "]" : ")";
  return `${open}${least ?? ""}, ${max === undefined ? "" : formatVersion(max)}${close}`;
}

/** The shortest form that reads back as the same range: `1.0.0`, `[1.0.0]`, `1.*`, else the full one. */
export function shortRange(range: VersionRange): string {
  const { min, minInclusive, max, maxInclusive, floating } = range;
  if (min !== undefined && minInclusive && max === undefined)
    return floating === undefined ? formatVersion(min) : formatFloating(floating);
  const single = min && max && minInclusive && maxInclusive && compareVersions(min, max) === 0;
  return single ? `[${formatVersion(min)}]` : formatRange(range);
}

/** Formats the range as NuGet does in its messages: `(>= 1.0.0 && < 2.0.0)`, empty for every version. */
export function prettyRange({ min, minInclusive, max, maxInclusive }: VersionRange): string {
  if (min && max && minInclusive && maxInclusive && compareVersions(min, max) === 0) return `(= ${formatVersion(min)})`;
  const bounds: string[] = [];
  if (min !== undefined) bounds.push(`${minInclusive ? ">=" : ">"} ${formatVersion(min)}`);
  if (max !== undefined) bounds.push(`${maxInclusive ? "<=" : "<"} ${formatVersion(max)}`);
  return bounds.length === 0 ? "" : `(${bounds.join(" && ")})`;
}

/** Whether every version of `inner` is in `outer`. A floating range counts by its bounds only. */
export function isSubset(inner: VersionRange, outer: VersionRange): boolean {
  if (isEmpty(inner)) return true;
  return !isEmpty(outer) && isLowEnough(outer, inner) && isHighEnough(outer, inner);
}

function isLowEnough({ min, minInclusive }: VersionRange, inner: VersionRange): boolean {
  if (min === undefined) return true;
  const order = inner.min === undefined ? -1 : compareVersions(inner.min, min);
  return order > 0 || (order === 0 && (minInclusive || !inner.minInclusive));
}

function isHighEnough({ max, maxInclusive }: VersionRange, inner: VersionRange): boolean {
  if (max === undefined) return true;
  const order = inner.max === undefined ? 1 : compareVersions(inner.max, max);
  return order < 0 || (order === 0 && (maxInclusive || !inner.maxInclusive));
}

/** Whether no version can be in the range, as in `(1.0,1.0)`. */
export function isEmpty({ min, minInclusive, max, maxInclusive }: VersionRange): boolean {
  return min !== undefined && max !== undefined && compareVersions(min, max) === 0 && !(minInclusive && maxInclusive);
}

/** The range of versions that are in both ranges, without floating parts. Undefined if no version is in both. */
export function meet(a: VersionRange, b: VersionRange): VersionRange | undefined {
  const low = isLowEnough(a, b) ? b : a;
  const high = isHighEnough(a, b) ? b : a;
  const { min, minInclusive } = low;
  const { max, maxInclusive } = high;
  const range = { text: "", min, minInclusive, max, maxInclusive, floating: undefined };
  const order = min && max ? compareVersions(min, max) : -1;
  if (order > 0 || (order === 0 && !(minInclusive && maxInclusive))) return undefined;
  return { ...range, text: formatRange(range) };
}
