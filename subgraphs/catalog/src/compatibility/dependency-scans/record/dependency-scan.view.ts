import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { ScanLimit } from "../limits/scan-limits.js";
import type { ScannedPackage } from "../resolution/scanned-package.js";
import type { DependencyScan, VulnerabilityCounts } from "./dependency-scan.entity.js";
import type { DependencyScanSummaryType, DependencyScanType, ScannedPackageType } from "./dependency-scan.type.js";

/** A row of `dependency_scans` without its packages. */
export interface ScanSummaryRow {
  dependency_scan_id: string;
  template_version_id: string | null;
  content_digest: string | null;
  runtime: string | null;
  libraries: DependencyScan["libraries"];
  limits: ScanLimit[];
  package_count: number;
  unknown_count: number;
  vulnerability_counts: VulnerabilityCounts;
  scanned_at: Date;
}

/** A whole row of `dependency_scans`. */
export interface ScanRow extends ScanSummaryRow {
  template_name: string | null;
  semantic_version: string | null;
  packages: ScannedPackage[];
}

export const scanSummaryColumns = `dependency_scan_id, template_version_id, content_digest, runtime, libraries, limits,
  package_count, unknown_count, vulnerability_counts, scanned_at`;

/** The view of a row, without its packages. */
export function scanSummary(row: ScanSummaryRow): DependencyScanSummaryType {
  return {
    dependencyScanId: encodeId("scn", row.dependency_scan_id),
    templateVersionId: row.template_version_id && encodeId("tpv", row.template_version_id),
    contentDigest: row.content_digest,
    runtime: row.runtime,
    libraries: row.libraries,
    complete: row.limits.length === 0,
    limits: row.limits,
    packageCount: row.package_count,
    unknownCount: row.unknown_count,
    vulnerabilityCounts: row.vulnerability_counts,
    scannedAt: row.scanned_at.toISOString(),
  };
}

/** The view of a whole row. */
export function scanView(row: ScanRow): DependencyScanType {
  return Object.assign(scanSummary(row), { packages: row.packages as ScannedPackageType[] });
}

/** The view of a scan that was just written. */
export function writtenScan(scan: DependencyScan): DependencyScanType {
  const { dependencyScanId, templateVersionId, contentDigest, runtime, libraries, packages, limits } = scan;
  const { packageCount, unknownCount, vulnerabilityCounts, scannedAt } = scan;
  return {
    dependencyScanId,
    templateVersionId,
    contentDigest,
    runtime,
    libraries,
    complete: limits.length === 0,
    limits,
    packageCount,
    unknownCount,
    vulnerabilityCounts,
    scannedAt: scannedAt.toISOString(),
    packages: packages as ScannedPackageType[],
  };
}

/** Counts each vulnerability of each package by its severity. */
export function vulnerabilityCounts(packages: readonly ScannedPackage[]): VulnerabilityCounts {
  const counts = { low: 0, moderate: 0, high: 0, critical: 0, unrated: 0 };
  const members = { Low: "low", Moderate: "moderate", High: "high", Critical: "critical" } as const;
  for (const { vulnerabilities } of packages)
    for (const { severity } of vulnerabilities) counts[severity === null ? "unrated" : members[severity]] += 1;
  return counts;
}
