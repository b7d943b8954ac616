import type { DependencyScanType } from "../dependency-scans/record/dependency-scan.type.js";

/** Converts a scan into the answer of the gRPC method, where null members are absent. */
export function scanAnswer({ dependencyScanId, contentDigest, complete, limits, packages }: DependencyScanType) {
  return {
    dependencyScanId,
    contentDigest: contentDigest ?? undefined,
    complete,
    limits,
    packages: packages.map(({ version, requested, libraryVersionId, license, vulnerabilities, ...one }) => ({
      ...one,
      frameworks: [...one.frameworks],
      dependsOn: [...one.dependsOn],
      version: version ?? undefined,
      requested: requested ?? undefined,
      libraryVersionId: libraryVersionId ?? undefined,
      license: license ?? undefined,
      vulnerabilities: vulnerabilities.map(({ advisoryId, severity, summary, url, ...found }) => ({
        ...found,
        aliases: [...found.aliases],
        fixedVersions: [...found.fixedVersions],
        advisoryId: advisoryId ?? undefined,
        severity: severity ?? undefined,
        summary: summary ?? undefined,
        url: url ?? undefined,
      })),
    })),
  };
}
