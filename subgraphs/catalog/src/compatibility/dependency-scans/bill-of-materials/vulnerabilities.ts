import { compareText } from "@factory/nuget/text-order";
import { severityRank } from "../../../libraries/advisories/advisory-severity.js";
import type { ScannedPackage, ScannedVulnerability } from "../resolution/scanned-package.js";

/** The words of CycloneDX for severities. */
const ratings = { Low: "low", Moderate: "medium", High: "high", Critical: "critical" } as const;

interface FoundVulnerability {
  readonly vulnerability: ScannedVulnerability;
  readonly refs: string[];
}

/** The vulnerabilities of all packages in the form of CycloneDX, each once, with the packages that it affects. */
export function foundVulnerabilities(packages: readonly ScannedPackage[]): object[] {
  const found = new Map<string, FoundVulnerability>();
  for (const { ref, vulnerabilities } of packages)
    for (const vulnerability of vulnerabilities) {
      const id = idOf(vulnerability);
      const known = found.get(id);
      if (known === undefined) found.set(id, { vulnerability, refs: [ref] });
      else found.set(id, { vulnerability: worse(known.vulnerability, vulnerability), refs: [...known.refs, ref] });
    }
  return [...found].sort(([a], [b]) => compareText(a, b)).map(([id, one]) => vulnerabilityOf(id, one));
}

function vulnerabilityOf(id: string, { vulnerability, refs }: FoundVulnerability): object {
  const { severity, summary, aliases, url } = vulnerability;
  return {
    id,
    ...(url === null ? {} : { source: { url }, advisories: [{ url }] }),
    ...(aliases.length === 0
      ? {}
      : { references: aliases.map((alias) => ({ id: alias, source: { name: sourceOf(alias) } })) }),
    ratings: [{ severity: severity === null ? "unknown" : ratings[severity] }],
    ...(summary === null ? {} : { description: summary }),
    affects: [...new Set(refs)].sort(compareText).map((ref) => ({ ref })),
  };
}

/** The id of the advisory, or its address where it was registered without one. */
function idOf({ advisoryId, url }: ScannedVulnerability): string {
  return advisoryId ?? url ?? "";
}

/** The database of an id: the letters before its first hyphen, for example `CVE`. */
function sourceOf(alias: string): string {
  return alias.split("-")[0] ?? alias;
}

function worse(a: ScannedVulnerability, b: ScannedVulnerability): ScannedVulnerability {
  return severityRank(b.severity) > severityRank(a.severity) ? b : a;
}
