import { compareText } from "@factory/nuget/text-order";
import { severityRank } from "../../../libraries/advisories/advisory-severity.js";
import type { ScannedPackage, ScannedVulnerability } from "../resolution/scanned-package.js";

/** CycloneDX's words for severities. */
const ratings = { Low: "low", Moderate: "medium", High: "high", Critical: "critical" } as const;

interface FoundVulnerability {
  readonly vulnerability: ScannedVulnerability;
  readonly refs: string[];
}

/**
 * The vulnerabilities of all packages in the form that CycloneDX defines, each once, with the packages that it affects.
 */
export function foundVulnerabilities(packages: readonly ScannedPackage[]): object[] {
  const vulnerabilitiesById = new Map<string, FoundVulnerability>();
  for (const { ref, vulnerabilities } of packages)
    for (const vulnerability of vulnerabilities) {
      const id = idOf(vulnerability);
      const sameVulnerability = vulnerabilitiesById.get(id);
      if (sameVulnerability === undefined) vulnerabilitiesById.set(id, { vulnerability, refs: [ref] });
      else
        vulnerabilitiesById.set(id, {
          vulnerability: worse(sameVulnerability.vulnerability, vulnerability),
          refs: [...sameVulnerability.refs, ref],
        });
    }
  return [...vulnerabilitiesById]
    .sort(([a], [b]) => compareText(a, b))
    .map(([id, vulnerability]) => vulnerabilityOf(id, vulnerability));
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

/** The advisory's id, or its address where it was registered without one. */
function idOf({ advisoryId, url }: ScannedVulnerability): string {
  return advisoryId ?? url ?? "";
}

/** An id's database: the letters before its first hyphen, for example `CVE`. */
function sourceOf(alias: string): string {
  return alias.split("-")[0] ?? alias;
}

function worse(a: ScannedVulnerability, b: ScannedVulnerability): ScannedVulnerability {
  return severityRank(b.severity) > severityRank(a.severity) ? b : a;
}
