import type { PausableWork } from "@factory/runtime/threads/long-work";
import { severityRank } from "../advisories/advisory-severity.js";
import { comparedVersion } from "../advisories/compared-version.js";
import type { MatchedAdvisory, PackageAdvisories } from "../advisories/matching-advisories.js";
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
  const left = one.vulnerabilities.filter((registered) => !matched.some((advisory) => isSame(registered, advisory)));
  const imported = matched.map((advisory) => {
    const severities = one.vulnerabilities
      .filter((registered) => isSame(registered, advisory))
      .map(({ severity }) => severity);
    const [severity = advisory.severity] = [advisory.severity, ...severities].sort(
      (a, b) => severityRank(b) - severityRank(a),
    );
    return { ...advisory, severity };
  });
  return { ...one, vulnerabilities: [...imported, ...left] };
}

function isSame({ url }: ScannedVulnerability, { advisoryId, aliases }: MatchedAdvisory): boolean {
  const last = (url ?? "").split(/[/?#]/).filter(Boolean).at(-1)?.toLowerCase();
  return last !== undefined && [advisoryId, ...aliases].some((id) => id.toLowerCase() === last);
}
