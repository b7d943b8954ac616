import { compareVersions, isPrerelease, type NugetVersion } from "@factory/nuget/version";

/** How far a change of version reaches: smaller is less to test again. */
export function versionDistance(from: NugetVersion, to: NugetVersion): readonly number[] {
  const up = compareVersions(from, to) < 0;
  const jumps: number[] = [];
  let changed = false;
  for (const [index, part] of to.parts.entries()) {
    // behind the first part that differs, near means low on the way up and high on the way down
    jumps.push(changed ? (up ? part : -part) : Math.abs(part - (from.parts[index] ?? 0)));
    changed ||= part !== from.parts[index];
  }
  const [major = 0, minor = 0, ...rest] = jumps;
  return [major, isPrerelease(to) ? 1 : 0, minor, ...rest];
}

export function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value - (b[index] ?? 0);
  return 0;
}
