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
  const compared: ScannedPackage[] = [];
  for (const one of packages) {
    const version = comparedVersion(one);
    const matched = version === undefined ? [] : yield* advisories.matching(one.packageName, version);
    compared.push(matched.length === 0 ? one : withMatched(one, matched));
    yield;
  }
  return compared;
}

function withMatched(one: ScannedPackage, matched: readonly MatchedAdvisory[]): ScannedPackage {
  const registered = one.vulnerabilities.map((vulnerability) => ({ vulnerability, id: lastPart(vulnerability) }));
  const known = new Set<ScannedVulnerability>();
  const imported = matched.map((advisory) => {
    const ids = new Set([advisory.advisoryId, ...advisory.aliases].map((id) => id.toLowerCase()));
    const same = registered.filter(({ id }) => id !== undefined && ids.has(id));
    for (const { vulnerability } of same) known.add(vulnerability);
    const severities = [advisory.severity, ...same.map(({ vulnerability }) => vulnerability.severity)];
    return { ...advisory, severity: severities.reduce(higher) };
  });
  return { ...one, vulnerabilities: [...imported, ...one.vulnerabilities.filter((each) => !known.has(each))] };
}

/** The last part of the address, which names the advisory. */
function lastPart({ url }: ScannedVulnerability): string | undefined {
  return (url ?? "").split(/[/?#]/).filter(Boolean).at(-1)?.toLowerCase();
}

function higher(a: AdvisorySeverity | null, b: AdvisorySeverity | null): AdvisorySeverity | null {
  return severityRank(b) > severityRank(a) ? b : a;
}
