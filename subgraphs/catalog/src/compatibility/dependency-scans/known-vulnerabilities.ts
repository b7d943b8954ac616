import type { PausableWork } from "@factory/runtime/threads/long-work";
import { type AdvisorySeverity, severityRank } from "../../libraries/advisories/advisory-severity.js";
import { comparedVersion } from "../../libraries/advisories/compared-version.js";
import type { MatchedAdvisory, PackageAdvisories } from "../../libraries/advisories/matching-advisories.js";
import type { ScannedPackage, ScannedVulnerability } from "./resolution/scanned-package.js";

/**
 * Adds the imported advisories to the packages. An advisory that was also registered with the version, under the address
 * that ends with its id or with an alias, is listed once, with the higher severity.
 */
export function* withAdvisories(
  packages: readonly ScannedPackage[],
  advisories: PackageAdvisories,
): PausableWork<ScannedPackage[]> {
  const comparedPackages: ScannedPackage[] = [];
  for (const scannedPackage of packages) {
    const version = comparedVersion(scannedPackage);
    const matchingAdvisories =
      version === undefined ? [] : yield* advisories.matching(scannedPackage.packageName, version);
    comparedPackages.push(
      matchingAdvisories.length === 0 ? scannedPackage : withMatched(scannedPackage, matchingAdvisories),
    );
    yield;
  }
  return comparedPackages;
}

function withMatched(scannedPackage: ScannedPackage, matchingAdvisories: readonly MatchedAdvisory[]): ScannedPackage {
  const registrations = scannedPackage.vulnerabilities.map((vulnerability) => ({
    vulnerability,
    id: lastPart(vulnerability),
  }));
  const coveredVulnerabilities = new Set<ScannedVulnerability>();
  const importedVulnerabilities = matchingAdvisories.map((advisory) => {
    const ids = new Set([advisory.advisoryId, ...advisory.aliases].map((id) => id.toLowerCase()));
    const sameRegistrations = registrations.filter(({ id }) => id !== undefined && ids.has(id));
    for (const { vulnerability } of sameRegistrations) coveredVulnerabilities.add(vulnerability);
    const severities = [advisory.severity, ...sameRegistrations.map(({ vulnerability }) => vulnerability.severity)];
    return { ...advisory, severity: severities.reduce(higher) };
  });
  return {
    ...scannedPackage,
    vulnerabilities: [
      ...importedVulnerabilities,
      ...scannedPackage.vulnerabilities.filter((each) => !coveredVulnerabilities.has(each)),
    ],
  };
}

/** The last part of the address, which names the advisory. */
function lastPart({ url }: ScannedVulnerability): string | undefined {
  return (url ?? "").split(/[/?#]/).filter(Boolean).at(-1)?.toLowerCase();
}

function higher(a: AdvisorySeverity | null, b: AdvisorySeverity | null): AdvisorySeverity | null {
  return severityRank(b) > severityRank(a) ? b : a;
}
