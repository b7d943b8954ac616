import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import type { ScannedPackage } from "../resolution/scanned-package.js";
import { DependencyScan, type VulnerabilityCounts } from "./dependency-scan.entity.js";
import type { DependencyScanSummaryType, DependencyScanType, ScannedPackageType } from "./dependency-scan.type.js";

const summaryMembers = [
  ...["dependencyScanId", "templateVersionId", "contentDigest", "runtime", "libraries", "limits"],
  ...["packageCount", "unknownCount", "vulnerabilityCounts", "scannedAt"],
] as const satisfies readonly (keyof DependencyScan)[];

type Summary = RecordOf<DependencyScan, (typeof summaryMembers)[number]>;

/** A whole row from `dependency_scans`. */
export type ScanRow = RowOf<DependencyScan>;
/** A row without its packages. */
export type ScanSummaryRow = RowOf<DependencyScan, (typeof summaryMembers)[number]>;
export const scanSummaryColumns = columnsOf(DependencyScan, summaryMembers);
export const readScan = rowReader(DependencyScan);

/** A scan's view without its packages. */
export function scanSummary(scan: Summary): DependencyScanSummaryType {
  const { dependencyScanId, templateVersionId, contentDigest, runtime, libraries, limits } = scan;
  const { packageCount, unknownCount, vulnerabilityCounts, scannedAt } = scan;
  return {
    ...{ dependencyScanId, templateVersionId, contentDigest, runtime, libraries },
    complete: limits.length === 0,
    ...{ limits, packageCount, unknownCount, vulnerabilityCounts },
    scannedAt: scannedAt.toISOString(),
  };
}

export function scanView(scan: Summary & Pick<DependencyScan, "packages">): DependencyScanType {
  return Object.assign(scanSummary(scan), { packages: scan.packages as ScannedPackageType[] });
}

/** Counts each package's vulnerabilities by its severity. */
export function vulnerabilityCounts(packages: readonly ScannedPackage[]): VulnerabilityCounts {
  const counts = { low: 0, moderate: 0, high: 0, critical: 0, unrated: 0 };
  const members = { Low: "low", Moderate: "moderate", High: "high", Critical: "critical" } as const;
  for (const { vulnerabilities } of packages)
    for (const { severity } of vulnerabilities) counts[severity === null ? "unrated" : members[severity]] += 1;
  return counts;
}
