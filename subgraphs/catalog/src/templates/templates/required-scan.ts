import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { type AdvisorySeverity, severityRank } from "../../libraries/advisories/advisory-severity.js";
import { comparedVersion } from "../../libraries/advisories/compared-version.js";
import { advisoriesAbout, type PackageAdvisories } from "../../libraries/advisories/matching-advisories.js";
import { renderDigest } from "./render-digest.js";
import type { TemplateVersion } from "./template-version.entity.js";
import {
  libraryFacts,
  newestScan,
  type StoredPackage,
  vulnerablePackages,
} from "./version-evidence/newest-scan-statement.js";

const limits = { advisories: 2000, matches: 2000 };
const maxErrors = 20;

interface ScanFinding {
  readonly code: "KnownVulnerability" | "LibraryVersionRetired";
  readonly severity: AdvisorySeverity | null;
  readonly packageName: string;
  readonly detail: string;
}

/**
 * The rule behind `governance.publish.scanSeverity`. Advisories and recalls since the scan count too. Throws
 * TEMPLATE_VERSION_NOT_SCANNED and TEMPLATE_VERSION_VULNERABLE.
 */
export async function requireScan(
  transaction: Transaction,
  version: TemplateVersion,
  lowest: AdvisorySeverity,
): Promise<void> {
  const { templateVersionId } = version;
  const scan = await newestScan(transaction, templateVersionId);
  const howToScan = `Scan it with scanDependencies(input: {templateVersionId: "${templateVersionId}"}), and publish it after that.`;
  const notScanned = (fault: string) =>
    new DomainError("TEMPLATE_VERSION_NOT_SCANNED", {
      detail: `${fault} This tenant publishes scanned versions only (governance.publish.scanSeverity). ${howToScan}`,
    });
  if (scan === undefined) throw notScanned("The dependencies of the version were never scanned.");
  if (scan.render_digest !== renderDigest(version, version.contentDigest))
    throw notScanned("The version has changed since its newest scan.");
  if (scan.limits.length > 0)
    throw notScanned(
      `The newest scan of the version is incomplete, because it reached a limit: ${scan.limits.join(", ")}.`,
    );
  const advisories = await advisoriesAbout(
    transaction,
    scan.packages.map(({ packageName }) => packageName),
    limits,
  );
  const findings = [
    ...(await libraryFindings(transaction, scan.packages)),
    ...scan.packages.flatMap((entry) => {
      const version = comparedVersion(entry);
      return (version === undefined ? [] : advisories.affecting(entry.packageName, version)).map(
        ({ advisoryId, severity }) =>
          vulnerable({ packageName: entry.packageName, version: version ?? null }, { id: advisoryId, severity }),
      );
    }),
  ];
  if (!advisories.complete) throw notScanned("Too many advisories are about the packages of the version.");
  const unknown = await unknownVersions(transaction, scan.packages, advisories);
  const blockers = distinct(findings.filter(({ severity }) => severityRank(severity) >= severityRank(lowest)));
  if (blockers.length === 0 && unknown.length > 0)
    throw notScanned(
      `Vulnerabilities are known of ${unknown.length} packages whose version the scan cannot tell: ${unknown.slice(0, maxErrors).join(", ")}. State a version, or a range with an inclusive lower bound and without a star.`,
    );
  if (blockers.length === 0) return;
  throw new DomainError("TEMPLATE_VERSION_VULNERABLE", {
    detail: `The version has ${blockers.length === 1 ? "a finding" : `${blockers.length} findings`} of severity ${lowest} or higher, which this tenant does not publish (governance.publish.scanSeverity). Change the packages and scan the new version, or read the findings with dependencyScans(templateVersionId: "${templateVersionId}"). The first one: ${blockers[0]?.detail}`,
    errors: blockers
      .slice(0, maxErrors)
      .map(({ code, detail }): FieldError => ({ pointer: "/templateVersionId", code, detail })),
  });
}

/** The packages that have vulnerabilities, but no version that can be compared with them. */
async function unknownVersions(
  transaction: Transaction,
  packages: readonly StoredPackage[],
  advisories: PackageAdvisories,
): Promise<string[]> {
  const unknown = packages.filter((entry) => comparedVersion(entry) === undefined);
  if (unknown.length === 0) return [];
  const vulnerabilities = await vulnerablePackages(
    transaction,
    unknown.map(({ packageName }) => packageName.toLowerCase()),
  );
  return unknown
    .filter(({ packageName }) => advisories.concern(packageName) || vulnerabilities.has(packageName.toLowerCase()))
    .map(({ packageName, requested }) => (requested === null ? packageName : `${packageName} ${requested}`));
}

/** Recalls and registered vulnerabilities at the present moment. An imported advisory never hides a registered one. */
async function libraryFindings(transaction: Transaction, packages: readonly StoredPackage[]): Promise<ScanFinding[]> {
  const ids = packages.flatMap(({ libraryVersionId }) => libraryVersionId ?? []);
  const facts = await libraryFacts(transaction, ids);
  return packages.flatMap((entry) => {
    const { isRecalled = false, vulnerabilities = [] } = facts.get(entry.libraryVersionId ?? "") ?? {};
    const vulnerabilityFindings = vulnerabilities.map(({ severity, advisoryUrl }) =>
      vulnerable(entry, { id: advisoryUrl, severity }),
    );
    return isRecalled ? [...vulnerabilityFindings, recalled(entry)] : vulnerabilityFindings;
  });
}

function vulnerable(
  { packageName, version }: Pick<StoredPackage, "packageName" | "version">,
  { id, severity }: { id: string; severity: AdvisorySeverity | null },
): ScanFinding {
  const rating = severity === null ? "without a severity" : `of severity ${severity}`;
  const detail = `${packageName} ${version ?? ""} has a known vulnerability ${rating}: ${id}.`;
  return { code: "KnownVulnerability", severity, packageName, detail };
}

function recalled({ packageName, version }: StoredPackage): ScanFinding {
  const detail = `${packageName} ${version ?? ""} was recalled.`;
  return { code: "LibraryVersionRetired", severity: "High", packageName, detail };
}

function distinct(findings: readonly ScanFinding[]): ScanFinding[] {
  return [...new Map(findings.map((candidate) => [candidate.detail, candidate])).values()];
}
