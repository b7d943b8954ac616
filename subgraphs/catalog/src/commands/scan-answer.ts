import type { DependencyScanType } from "../compatibility/dependency-scans/record/dependency-scan.type.js";

/** The packages of one answer. A whole message has at most 1 MiB. */
const maxBytes = 768 * 1024;

/** Converts a scan into the answer of the gRPC method, where null members are absent and packages beyond a size, too. */
export function scanAnswer({ dependencyScanId, contentDigest, complete, limits, packages }: DependencyScanType) {
  const answered = firstPackages(packages);
  return {
    dependencyScanId,
    contentDigest: contentDigest ?? undefined,
    complete,
    limits,
    packages: answered,
    omittedPackages: packages.length - answered.length,
  };
}

function firstPackages(packages: DependencyScanType["packages"]) {
  const answered: ReturnType<typeof packageAnswer>[] = [];
  let left = maxBytes;
  for (const one of packages) {
    const answer = packageAnswer(one);
    // the message is shorter than the same members in JSON
    left -= Buffer.byteLength(JSON.stringify(answer));
    if (left < 0) break;
    answered.push(answer);
  }
  return answered;
}

function packageAnswer({
  version,
  requested,
  libraryVersionId,
  license,
  vulnerabilities,
  ...one
}: DependencyScanType["packages"][number]) {
  return {
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
  };
}
