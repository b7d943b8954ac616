import { compareText } from "../text-order.js";
import { compareVersions, formatVersion, type NugetVersion, parseVersion } from "../versions/version.js";
import type { PackageIdentity, PackageMetadata } from "./package-metadata.js";
import type { PackageSnapshot } from "./package-snapshot.js";
import type { KnownLibrary, Release } from "./release.js";

/** One package version that a project lists. */
export interface ListedPackage<P extends PackageMetadata = PackageMetadata> {
  /** The package name in lower case. */
  readonly key: string;
  readonly packageName: string;
  /** The version as it is registered, else as it is listed. */
  readonly text: string;
  readonly version: NugetVersion | undefined;
  readonly library: KnownLibrary<P> | undefined;
  readonly release: Release<P> | undefined;
  /** How often the list names this version. */
  readonly listed: number;
}

/** Looks up the listed packages, each version once, ordered by name and then by version, the highest version first. */
export function lookUpPackages<P extends PackageMetadata>(
  identities: readonly PackageIdentity[],
  snapshot: PackageSnapshot<P>,
): ListedPackage<P>[] {
  const packages = new Map<string, ListedPackage<P>>();
  // sorted first, so that the same spelling is kept whatever the list's order
  for (const { packageName, version: text } of identities.toSorted(bySpelling)) {
    const key = packageName.toLowerCase();
    const version = parseVersion(text);
    const identity = `${key}|${version === undefined ? text : formatVersion(version).toLowerCase()}`;
    const duplicate = packages.get(identity);
    const library = snapshot.library(key);
    const release = version && library?.releases.find((candidate) => compareVersions(candidate.version, version) === 0);
    packages.set(identity, {
      key,
      packageName: library?.packageName ?? duplicate?.packageName ?? packageName,
      text: release?.text ?? duplicate?.text ?? text,
      version,
      library,
      release,
      listed: (duplicate?.listed ?? 0) + 1,
    });
  }
  return [...packages.values()].sort((a, b) => compareText(a.key, b.key) || highestFirst(a, b));
}

function bySpelling(a: PackageIdentity, b: PackageIdentity): number {
  return compareText(a.packageName, b.packageName) || compareText(a.version, b.version);
}

function highestFirst(a: ListedPackage, b: ListedPackage): number {
  return a.version && b.version ? compareVersions(b.version, a.version) : compareText(b.text, a.text);
}
