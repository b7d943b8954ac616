import { compareVersions, isPrerelease, type NugetVersion } from "@factory/nuget/version";
import type { VersionJump } from "@factory/schema/vocabularies/libraries";
import type { Release } from "../evaluation/catalog-library.js";
import type { CatalogSnapshot } from "../evaluation/evaluation-context.js";
import type { Finding } from "../rules/finding.js";
import type { RuleName } from "../rules/rule-names.js";

/** The reason why a package cannot change to its newest version alone. */
export interface UpgradeBlock {
  version: string;
  rule: RuleName;
  detail: string;
  /** The other package that prevents the upgrade. Null if no single package does. */
  packageName: string | null;
}

export interface VersionChange {
  packageName: string;
  from: string;
  to: string;
  jump: VersionJump;
}

/** Versions for the whole set that were evaluated together. */
export interface UpgradeProposal {
  libraries: { packageName: string; version: string }[];
  changes: VersionChange[];
  /** Packages that stay below their newest version, with the reason. */
  held: { packageName: string; version: string; newest: string; notNewer: UpgradeBlock | null }[];
  compatible: boolean;
}

/** The Published versions above this one that may be recommended, the newest first. */
export function newerReleases({ library, version }: Release): Release[] {
  return library.releases
    .filter(
      (release) =>
        release.status === "Published" &&
        compareVersions(release.version, version) > 0 &&
        // a prerelease is recommended only to those who already use one
        (!isPrerelease(release.version) || isPrerelease(version)),
    )
    .toReversed();
}

/** Describes the first rule that a version would break. */
export function describeBlock(
  { rule, detail, subject, packageName }: Finding,
  to: Release,
  snapshot: CatalogSnapshot,
): UpgradeBlock {
  const ownKey = to.library.key;
  // a subject names both packages in the broken pair
  const keys = [packageName.toLowerCase(), ...subject.split("|")].filter((key) => key !== ownKey);
  const [other] = keys.flatMap((key) => snapshot.library(key) ?? []);
  return { version: to.text, rule, detail, packageName: other?.packageName ?? null };
}

export function jumpBetween(from: NugetVersion, to: NugetVersion): VersionJump {
  if (from.parts[0] !== to.parts[0]) return "Major";
  if (from.parts[1] !== to.parts[1]) return "Minor";
  return from.parts[2] !== to.parts[2] || from.parts[3] !== to.parts[3] ? "Patch" : "Prerelease";
}
