import { compareVersions, isPrerelease, type NugetVersion, parseVersion } from "@factory/nuget/version";

/** The highest version; a stable version counts as higher than every prerelease. Texts that are not valid versions come last. */
export function latestOf(versions: readonly string[]): string | null {
  let latest: { text: string; version: NugetVersion | undefined } | undefined;
  for (const text of versions) {
    const version = parseVersion(text);
    if (latest === undefined || comesBefore(version, latest.version)) latest = { text, version };
  }
  return latest?.text ?? null;
}

function comesBefore(version: NugetVersion | undefined, other: NugetVersion | undefined): boolean {
  if (!version || !other) return version !== undefined;
  if (isPrerelease(version) !== isPrerelease(other)) return isPrerelease(other);
  return compareVersions(version, other) > 0;
}
