import { type FloatingVersion, floatsTo, parseFloatingVersion } from "./floating-version.js";
import { compareVersions, formatVersion, isPrerelease, type NugetVersion, parseVersion } from "./version.js";

/** A NuGet version range. `floating` says which versions inside the bounds are wanted first. */
export interface VersionRange {
  readonly text: string;
  readonly min: NugetVersion | undefined;
  readonly minInclusive: boolean;
  readonly max: NugetVersion | undefined;
  readonly maxInclusive: boolean;
  readonly floating: FloatingVersion | undefined;
}

const bracketForm = /^([[(])(.*)([\])])$/s;

/** Reads `1.0` (at least 1.0), `[1.0]`, `(1.0,2.0]`, `[,2.0)`, `1.*`, `[1.*,3.0)`; undefined for anything else. */
export function parseRange(text: string): VersionRange | undefined {
  const trimmed = text.trim();
  const brackets = bracketForm.exec(trimmed);
  if (brackets === null)
    return withBounds({ text: trimmed, least: trimmed, most: "", minInclusive: true, maxInclusive: false });
  const [, open, inside = "", close] = brackets;
  const bounds = inside.split(",");
  const minInclusive = open === "[";
  const maxInclusive = close === "]";
  // "(, )" is every version, "(,)" is a slip: NuGet tells them apart by the blank
  if (bounds.length > 2 || bounds.every((bound) => bound === "")) return undefined;
  if (bounds.length === 1 && (inside.trim() === "" || !(minInclusive && maxInclusive))) return undefined;
  const [least = "", most = least] = bounds;
  return withBounds({ text: trimmed, least, most, minInclusive, maxInclusive });
}

interface Bounds {
  text: string;
  least: string;
  most: string;
  minInclusive: boolean;
  maxInclusive: boolean;
}

function withBounds({ text, least, most, minInclusive, maxInclusive }: Bounds): VersionRange | undefined {
  const floating = least.includes("*") ? parseFloatingVersion(least.trim()) : undefined;
  const min = least.includes("*") ? floating?.least : parseVersion(least);
  const max = parseVersion(most);
  const unreadable = (least.trim() !== "" && min === undefined) || (most.trim() !== "" && max === undefined);
  if (unreadable || (least === "" && most === "")) return undefined;
  if (min !== undefined && max !== undefined) {
    const order = compareVersions(min, max);
    if (order > 0 || (order === 0 && !(minInclusive && maxInclusive))) return undefined;
  }
  return { text, min, minInclusive, max, maxInclusive, floating };
}

/** Is the version between the bounds? As in NuGet a float only sets the lower one: `1.*` is satisfied by 2.0. */
export function satisfies(range: VersionRange, version: NugetVersion): boolean {
  return !isBelow(range, version) && !isAbove(range, version);
}

/** Does a person who writes this range mean this version? Unlike `satisfies`, `1.*` means 1.x and nothing else. */
export function covers(range: VersionRange, version: NugetVersion): boolean {
  return satisfies(range, version) && (range.floating === undefined || floatsTo(range.floating, version));
}

export function isBelow({ min, minInclusive }: VersionRange, version: NugetVersion): boolean {
  if (min === undefined) return false;
  const order = compareVersions(version, min);
  return minInclusive ? order < 0 : order <= 0;
}

export function isAbove({ max, maxInclusive }: VersionRange, version: NugetVersion): boolean {
  if (max === undefined) return false;
  const order = compareVersions(version, max);
  return maxInclusive ? order > 0 : order >= 0;
}

/** Prereleases are chosen only where a bound is one, or the range floats to them. */
export function admitsPrereleases({ min, max, floating }: VersionRange): boolean {
  return (
    [min, max].some((bound) => bound !== undefined && isPrerelease(bound)) || floating?.releasePrefix !== undefined
  );
}

/** The version a restore takes: the lowest in the range, or the highest the range floats to. */
export function bestMatch(range: VersionRange, versions: readonly NugetVersion[]): NugetVersion | undefined {
  const wanted = versions.filter(
    (version) => satisfies(range, version) && (admitsPrereleases(range) || !isPrerelease(version)),
  );
  const { floating } = range;
  const floated = floating === undefined ? [] : wanted.filter((version) => floatsTo(floating, version));
  return floated.length > 0 ? extreme(floated, 1) : extreme(wanted, -1);
}

function extreme(versions: readonly NugetVersion[], direction: 1 | -1): NugetVersion | undefined {
  let best: NugetVersion | undefined;
  for (const version of versions)
    if (best === undefined || compareVersions(version, best) * direction > 0) best = version;
  return best;
}

/** The range in words of a sentence: "≥ 1.0.0 and < 2.0.0", "1.4.0 exactly", "1.*", "any version". */
export function describeRange({ text, min, minInclusive, max, maxInclusive, floating }: VersionRange): string {
  if (floating !== undefined) return text;
  if (min !== undefined && max !== undefined && compareVersions(min, max) === 0) return `${formatVersion(min)} exactly`;
  const bounds: string[] = [];
  if (min !== undefined) bounds.push(`${minInclusive ? "≥" : ">"} ${formatVersion(min)}`);
  if (max !== undefined) bounds.push(`${maxInclusive ? "≤" : "<"} ${formatVersion(max)}`);
  return bounds.length === 0 ? "any version" : bounds.join(" and ");
}
