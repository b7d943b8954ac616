import type { DependencyScanType } from "../compatibility/dependency-scans/record/dependency-scan.type.js";

/** The packages in one answer. A whole message has at most 1 MiB. */
const maxBytes = 768 * 1024;

/** Converts a scan into the gRPC method's answer, without null members and without packages beyond a size. */
export function scanAnswer({ dependencyScanId, contentDigest, complete, limits, packages }: DependencyScanType) {
  const answeredPackages = firstPackages(packages);
  return {
    dependencyScanId,
    contentDigest: contentDigest ?? undefined,
    complete,
    limits,
    packages: answeredPackages,
    omittedPackages: packages.length - answeredPackages.length,
  };
}

function firstPackages(packages: DependencyScanType["packages"]) {
  const answers: ReturnType<typeof packageAnswer>[] = [];
  let remainingBytes = maxBytes;
  for (const scannedPackage of packages) {
    const answer = packageAnswer(scannedPackage);
    // the message is shorter than the same members in JSON
    remainingBytes -= Buffer.byteLength(JSON.stringify(answer));
    if (remainingBytes < 0) break;
    answers.push(answer);
  }
  return answers;
}

function packageAnswer({
  version,
  requested,
  libraryVersionId,
  license,
  vulnerabilities,
  ...members
}: DependencyScanType["packages"][number]) {
  return {
    ...members,
    frameworks: [...members.frameworks],
    dependsOn: [...members.dependsOn],
    version: version ?? undefined,
    requested: requested ?? undefined,
    libraryVersionId: libraryVersionId ?? undefined,
    license: license ?? undefined,
    vulnerabilities: vulnerabilities.map(({ advisoryId, severity, summary, url, ...vulnerability }) => ({
      ...vulnerability,
      aliases: [...vulnerability.aliases],
      fixedVersions: [...vulnerability.fixedVersions],
      advisoryId: advisoryId ?? undefined,
      severity: severity ?? undefined,
      summary: summary ?? undefined,
      url: url ?? undefined,
    })),
  };
}
