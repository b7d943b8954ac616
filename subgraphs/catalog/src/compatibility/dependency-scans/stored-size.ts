import type { PausableWork } from "@factory/runtime/threads/long-work";
import type { ScannedPackage } from "./resolution/scanned-package.js";

/** A scan's packages that fit into its size. */
interface SizedPackages {
  readonly packages: ScannedPackage[];
  /** Whether nothing was left out. */
  readonly complete: boolean;
}

/**
 * Keeps as much of the packages as fits into so many bytes: first the packages themselves, and then each package's
 * vulnerabilities and dependencies in their order.
 */
export function* withinSize(packages: readonly ScannedPackage[], maxBytes: number): PausableWork<SizedPackages> {
  let remainingBytes = maxBytes;
  const keptPackages: { readonly whole: ScannedPackage; readonly bare: ScannedPackage; readonly bytes: number }[] = [];
  for (const whole of packages) {
    const bare = { ...whole, vulnerabilities: [], dependsOn: [] };
    const bytes = bytesOf(bare);
    if (bytes > remainingBytes) break;
    remainingBytes -= bytes;
    keptPackages.push({ whole, bare, bytes });
    yield;
  }
  const refs = new Set(keptPackages.map(({ bare }) => bare.ref));
  let complete = keptPackages.length === packages.length;
  const sizedPackages: ScannedPackage[] = [];
  for (const { whole, bare, bytes } of keptPackages) {
    const more = bytesOf(whole) - bytes;
    const fits = more <= remainingBytes;
    if (fits) remainingBytes -= more;
    else complete = false;
    const scannedPackage = fits ? whole : bare;
    sizedPackages.push({ ...scannedPackage, dependsOn: scannedPackage.dependsOn.filter((ref) => refs.has(ref)) });
    yield;
  }
  return { packages: sizedPackages, complete };
}

function bytesOf(scannedPackage: ScannedPackage): number {
  return Buffer.byteLength(JSON.stringify(scannedPackage)) + 1;
}
