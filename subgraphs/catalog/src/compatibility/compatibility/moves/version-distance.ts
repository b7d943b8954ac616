import { compareVersions, isPrerelease, type NugetVersion } from "@factory/nuget/version";

/** How far two versions are apart, for `compareLists`: a smaller change needs less testing. */
export function versionDistance(from: NugetVersion, to: NugetVersion): readonly number[] {
  const up = compareVersions(from, to) < 0;
  const jumps: number[] = [];
  let hasChanged = false;
  for (const [index, part] of to.parts.entries()) {
    // after the first part that differs, the nearest is the lowest on the way up and the highest on the way down
    jumps.push(hasChanged ? (up ? part : -part) : Math.abs(part - (from.parts[index] ?? 0)));
    hasChanged ||= part !== from.parts[index];
  }
  const [major = 0, minor = 0, ...rest] = jumps;
  return [major, isPrerelease(to) ? 1 : 0, minor, ...rest];
}

/** Compares two lists number by number. */
export function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value - (b[index] ?? 0);
  return 0;
}
